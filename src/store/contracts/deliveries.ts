import type {
  Delivery,
  DeliveryKind,
  DeliveryOrder,
  DeliveryOutcome,
  DeliveryPayloads,
  DeliveryQueue,
  DeliveryState,
  EventKind,
  SentEvent,
} from '../../model/delivery.ts';
import type { Millis } from '../../platform/clock.ts';

export interface NewDelivery<Kind extends DeliveryKind> {
  readonly kind: Kind;
  readonly subscriber: string;
  readonly id: string;
  readonly payload: DeliveryPayloads[Kind];
}

/** How an attempt ended. */
export interface AttemptedDelivery extends Pick<DeliveryOutcome, 'state' | 'result'> {
  readonly seq: number;
  /** Of one that waits: when it may be tried again; 0: with its queue. */
  readonly dueAt: Millis;
}

/** The node that delivers a queue now, and until when no other node does. */
export interface QueueHold {
  readonly queue: DeliveryQueue;
  /** Another one for each start of a process. */
  readonly holder: string;
  readonly until: Millis;
}

/** An event for one subscription. */
export interface QueuedEvent {
  readonly kind: EventKind;
  /** The id of the subscription. */
  readonly subscriber: string;
  readonly id: string;
  readonly payload: SentEvent;
}

/** Which deliveries are made again: the named ones that do not wait. */
export type Replay =
  | { readonly ids: readonly string[] }
  | { readonly since: Millis; readonly states: readonly DeliveryState[] };

export interface DeliveryBacklog {
  readonly queue: DeliveryQueue;
  readonly waiting: number;
  /** When the oldest one was queued. */
  readonly oldestAt: Millis;
  /** How many attempts in a row have failed. */
  readonly failures: number;
}

/**
 * Deliveries to other services. Entries are added by the intents that change something, in the same transaction,
 * each with an entry in the change feed. Of two changes, the one that began after the other was committed comes later
 * in its queue; concurrent ones have no order.
 */
export interface DeliveryStore {
  /** Queues something that no other change belongs to. The same one again changes nothing, unless it was given up. */
  add<Kind extends DeliveryKind>(delivery: NewDelivery<Kind>, now: Millis): Promise<void>;
  /**
   * Queues with something due that are not in a pause and that no other process holds, by name. Those of disabled event
   * subscriptions are missing.
   */
  listDue(holder: string, now: Millis): Promise<readonly DeliveryQueue[]>;
  /**
   * Exactly one of several concurrent callers gets the queue.
   * @returns how many attempts in a row have failed; null: another one has it, or it is in a pause
   */
  hold(hold: QueueHold, now: Millis): Promise<number | null>;
  /** The first that wait and are due. `oldest`: in their order; `least-tried`: those first that were tried least often. */
  next(
    queue: DeliveryQueue,
    wanted: { readonly order: DeliveryOrder; readonly most: number },
    now: Millis,
  ): Promise<readonly Delivery[]>;
  /**
   * Notes attempts and extends the hold.
   * @param pausedUntil when the queue is tried again; 0: at once
   * @param failures    how many attempts in a row have failed
   * @returns false when another process holds the queue meanwhile: then nothing was noted
   */
  note(
    hold: QueueHold,
    attempted: {
      readonly deliveries: readonly AttemptedDelivery[];
      readonly failures: number;
      readonly pausedUntil: Millis;
      readonly now: Millis;
    },
  ): Promise<boolean>;
  /** Lets go of a queue. */
  release(queue: DeliveryQueue, holder: string): Promise<void>;
  /** The newest first, at most `most`. @param state null: all */
  list<Kind extends DeliveryKind>(
    queue: DeliveryQueue<Kind>,
    state: DeliveryState | null,
    most: number,
  ): Promise<readonly Delivery<Kind>[]>;
  /**
   * Makes deliveries again that do not wait, at once: at most ten thousand of a queue, the oldest first.
   * @returns how many
   */
  replay(queue: DeliveryQueue, replay: Replay, now: Millis): Promise<number>;
  /** Waiting deliveries, by queue; empty queues, and those of disabled event subscriptions, are missing. */
  backlog(): Promise<readonly DeliveryBacklog[]>;
  /**
   * Deletes deliveries that were queued before this, and the oldest of one state in a queue beyond `most`: of logout
   * tokens, the oldest of the person with most.
   * @returns how many, at most `batch`
   */
  deleteOld(old: { readonly before: Millis; readonly most: number }, batch: number): Promise<number>;
}
