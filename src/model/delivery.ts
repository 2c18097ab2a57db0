import { MINUTE, type Millis } from '../platform/clock.ts';
import type { ApiSessionId, IdentityId } from './ids.ts';
import type { QueuedMail, QueuedReset } from './mail.ts';

/** The payload of a delivery, by kind. Each kind has one sender. */
export interface DeliveryPayloads {
  /** A mail to a person. */
  readonly mail: QueuedMail;
  /** Someone has forgotten a password: whom the name means is looked up here, so that the answer cannot depend on it. */
  readonly reset: QueuedReset;
  /** A logout token for an application (OIDC Back-Channel Logout 1.0): the session that ended. */
  readonly logout: {
    readonly sessionId: ApiSessionId;
    readonly identityId: IdentityId;
    /** Of the ID tokens of the session. */
    readonly issuer: string;
  };
  /** An entry of the audit trail, for an event subscription. */
  readonly event: SentEvent;
  /** A refused login, for an event subscription. In a queue of its own: strangers cause as many as they like. */
  readonly 'refused-login': SentEvent;
}

/** The longest pause before a queue or a delivery is tried again. */
export const longestPause: Millis = 5 * MINUTE;

/** An event as subscribers get it. The id of its delivery is that of the event. */
export interface SentEvent {
  /** Its name. */
  readonly type: string;
  readonly at: Millis;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The kinds of what an event subscription gets. The subscriber of each is the id of the subscription. */
export const eventKinds = ['event', 'refused-login'] as const;
export type EventKind = (typeof eventKinds)[number];

export type DeliveryKind = keyof DeliveryPayloads;
/** All of them: a kind that is missing here is not assignable. */
export const deliveryKinds = Object.keys({
  mail: true,
  reset: true,
  logout: true,
  event: true,
  'refused-login': true,
} satisfies Record<DeliveryKind, true>) as DeliveryKind[];

/**
 * The deliveries of one subscriber, in order: the kind, and the id of the subscriber. Of a `logout` that is the id of
 * the client; there is one mail server, and one place where names are looked up.
 */
export type DeliveryQueue<Kind extends DeliveryKind = DeliveryKind> = `${Kind}:${string}`;

export function queueOf<Kind extends DeliveryKind>(kind: Kind, subscriber: string): DeliveryQueue<Kind> {
  return `${kind}:${subscriber}`;
}

export function partsOfQueue(queue: DeliveryQueue): readonly [kind: DeliveryKind, subscriber: string] {
  const at = queue.indexOf(':');
  return [queue.slice(0, at) as DeliveryKind, queue.slice(at + 1)];
}

/** `failed`: given up. */
export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface Delivery<Kind extends DeliveryKind = DeliveryKind> {
  /** Orders the deliveries of all queues. */
  readonly seq: number;
  /** The same at each attempt, and unique in its queue. Of a `logout`: the id of the session. */
  readonly id: string;
  readonly payload: DeliveryPayloads[Kind];
  readonly state: DeliveryState;
  /** How often it was sent. */
  readonly attempts: number;
  readonly createdAt: Millis;
  readonly lastAttemptAt: Millis | null;
  /** How the last attempt went, in words for administrators; null: there was none. */
  readonly result: string | null;
}

/** How an attempt ended. */
export interface DeliveryOutcome {
  /** `waiting`: it is to be tried again. `forgotten`: nothing was to be sent, and no trace remains. */
  readonly state: DeliveryState | 'forgotten';
  readonly result: string;
  /** Of one that is to be tried again: the subscriber is there and would take others, so that only this one waits. */
  readonly waitsAlone?: boolean;
  /** Of one that is to be tried again, in an order: the subscriber is there and objects to this one. */
  readonly isObjectedTo?: boolean;
}

/** `oldest`: in order, one waits for the one before. `least-tried`: one that fails delays no other. */
export type DeliveryOrder = 'oldest' | 'least-tried';

export type SentDelivery<Kind extends DeliveryKind> = Pick<Delivery<Kind>, 'id' | 'payload' | 'createdAt'>;

/** Sends what is delivered of one kind: each delivery by itself, or several together. */
export type Sender<Kind extends DeliveryKind> = {
  /** How many deliveries of one subscriber are sent at the same time, or together. */
  readonly atOnce: number;
} & (
  | {
      readonly order: DeliveryOrder;
      send(subscriber: string, delivery: SentDelivery<Kind>): Promise<DeliveryOutcome>;
    }
  | {
      readonly order: 'oldest';
      /**
       * @param deliveries at least one, the oldest first
       * @param mayGoOn    asked before each further one: a process that stops waits for one answer, not for all
       * @returns how those at the beginning ended, at least one; the rest was not tried. Only the last may be `waiting`
       */
      sendInOrder(
        subscriber: string,
        deliveries: readonly SentDelivery<Kind>[],
        mayGoOn: () => boolean,
      ): Promise<readonly DeliveryOutcome[]>;
    }
);

export type Senders = { readonly [Kind in DeliveryKind]: Sender<Kind> };

/** After this long without success a delivery is given up. */
export const deliveriesWait: Millis = 3 * 24 * 60 * 60 * 1000;
