// Delivers the queues of other services (`store/contracts/deliveries.ts`). Of all nodes, one at a time delivers to a
// subscriber: it holds the queue, and another one takes over when its hold has run out.

import {
  type Delivery,
  type DeliveryKind,
  type DeliveryOutcome,
  type DeliveryQueue,
  deliveriesWait,
  longestPause,
  partsOfQueue,
  type Sender,
  type Senders,
} from '../model/delivery.ts';
import { type Clock, HOUR, MINUTE, type Millis, SECOND } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { Random } from '../platform/random.ts';
import type { AttemptedDelivery, DeliveryStore } from '../store/contracts/deliveries.ts';

/** Longer than an attempt may take, with a clock that differs a little. */
const holdTime: Millis = MINUTE;
/** How many subscribers one node delivers to at the same time; one that is slow does not delay the others. */
const mostQueues = 16;
/** Of these places, so many for subscribers that failed last time: each may take as long as an attempt may. */
const mostFailing = 12;
/** How many batches a subscriber gets before the others have their turn. */
const turn = 50;
/** A subscriber that takes them slowly gets fewer. */
const longestTurn: Millis = 30 * SECOND;
const shortestPause: Millis = SECOND;
/** A delivery that its subscriber objects to delays those behind it for at least so long and so many attempts. */
const objectedTo = { atLeast: HOUR, attempts: 10 } as const;
/** After a failure of ours. */
const pauseAfterError: Millis = 10 * SECOND;

export type Deliverer = ReturnType<typeof deliverer>;

interface DelivererNeeds {
  readonly deliveries: DeliveryStore;
  readonly senders: Senders;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Whether the clock is right, so that signatures will be accepted. */
  readonly isReady: () => boolean;
}

/** Finds the queues that are due, and delivers several at the same time. */
export function deliverer(needs: DelivererNeeds) {
  const { deliveries, clock, log } = needs;
  const holder = needs.random.id();
  const failures = new Map<DeliveryKind, number>();
  const givenUp = new Map<DeliveryKind, number>();
  const underWay = new Map<DeliveryQueue, Promise<void>>();
  let looking: Promise<void> | null = null;
  /** Counts the calls of `wake`: after something was read as empty, only a later call says that it is so no more. */
  let woken = 0;
  /** Whether more queues were due than one node delivers to at a time. */
  let hasMore = false;
  const turns = queuesInTurn();
  let isStopped = false;

  const mayGoOn = () => !isStopped && needs.isReady();
  const deliverTurn = queueDelivery(needs, {
    holder,
    mayGoOn,
    count(kind, { again, lost }) {
      failures.set(kind, (failures.get(kind) ?? 0) + again);
      givenUp.set(kind, (givenUp.get(kind) ?? 0) + lost);
    },
  });

  function wake(): void {
    woken += 1;
    looking ??= look()
      .catch((error) => log.warn('deliveries could not be read', { error }))
      .finally(() => {
        looking = null;
      });
  }

  async function look(): Promise<void> {
    for (let seen = -1; seen !== woken && mayGoOn(); ) {
      seen = woken;
      const due = await deliveries.listDue(holder, clock.now());
      const next = due.filter((queue) => !underWay.has(queue));
      const begun = isStopped ? [] : turns.choose(next, [...underWay.keys()]);
      hasMore = begun.length < next.length;
      for (const queue of begun) begin(queue);
    }
  }

  function begin(queue: DeliveryQueue): void {
    const before = woken;
    turns.begin(queue);
    const delivering = deliverTurn(queue)
      .catch((error) => {
        log.warn('deliveries could not be made', { queue, error });
        return pauseAfterError;
      })
      .then((pause) => {
        underWay.delete(queue);
        turns.end(queue, pause !== null && pause > 0);
        if (pause !== null) setTimeout(wake, pause).unref();
        if (hasMore || woken !== before) wake();
      });
    underWay.set(queue, delivering);
  }

  return {
    /** Looks for something to deliver, now. */
    wake,
    /** How many attempts have failed since the start, by kind. */
    failures: (): ReadonlyMap<DeliveryKind, number> => failures,
    /** How many deliveries were given up since the start, by kind. */
    givenUp: (): ReadonlyMap<DeliveryKind, number> => givenUp,
    /** Begins no more deliveries, and waits for those under way. */
    async stop(): Promise<void> {
      isStopped = true;
      await looking;
      await Promise.all(underWay.values());
    },
  };
}

/** Each queue has its turn, but those whose last turn failed get only a part of the places. */
function queuesInTurn() {
  let begun = 0;
  const latest = new Map<DeliveryQueue, number>();
  const failing = new Set<DeliveryQueue>();
  return {
    begin(queue: DeliveryQueue): void {
      begun += 1;
      latest.set(queue, begun);
    },
    end(queue: DeliveryQueue, hasFailed: boolean): void {
      if (hasFailed) failing.add(queue);
      else failing.delete(queue);
    },
    choose(due: readonly DeliveryQueue[], underWay: readonly DeliveryQueue[]): readonly DeliveryQueue[] {
      let forFailing = mostFailing - underWay.filter((queue) => failing.has(queue)).length;
      return due
        .toSorted((one, other) => (latest.get(one) ?? 0) - (latest.get(other) ?? 0))
        .filter((queue) => !failing.has(queue) || forFailing-- > 0)
        .slice(0, mostQueues - underWay.length);
    },
  };
}

/**
 * Delivers from one queue until nothing waits, something fails or its turn is over.
 * @returns resolves with when to go on, in Millis; null: nothing waits any more, or another node has the queue
 */
function queueDelivery(
  { deliveries, senders, clock, log }: DelivererNeeds,
  {
    holder,
    mayGoOn,
    count,
  }: {
    readonly holder: string;
    readonly mayGoOn: () => boolean;
    readonly count: (kind: DeliveryKind, ended: { readonly again: number; readonly lost: number }) => void;
  },
): (queue: DeliveryQueue) => Promise<Millis | null> {
  /** @returns the deliveries that were tried */
  async function attempt(
    sender: Sender<DeliveryKind>,
    subscriber: string,
    waiting: readonly Delivery[],
  ): Promise<readonly AttemptedDelivery[]> {
    const noted = (delivery: Delivery, outcome: DeliveryOutcome): AttemptedDelivery => ({
      seq: delivery.seq,
      ...(isHopeless(delivery, outcome, clock.now())
        ? { state: 'failed', result: `skipped after ${delivery.attempts + 1} attempts: ${outcome.result}` }
        : { state: outcome.state, result: outcome.result }),
      dueAt: outcome.waitsAlone === true ? clock.now() + pauseAfter(delivery.attempts + 1) : 0,
    });
    const bound = clock.now() - deliveriesWait;
    const late = waiting.filter(({ createdAt }) => createdAt <= bound);
    const timely = waiting.filter(({ createdAt }) => createdAt > bound);
    const internal = (error: unknown): DeliveryOutcome => {
      log.error('a delivery failed', { subscriber, error });
      return { state: 'waiting', result: 'an internal error, which the log has' };
    };
    const outcomes =
      'send' in sender
        ? await Promise.all(timely.map((delivery) => sender.send(subscriber, delivery).catch(internal)))
        : timely.length === 0
          ? []
          : await sender.sendInOrder(subscriber, timely, mayGoOn).catch((error) => [internal(error)]);
    const sent = outcomes.flatMap((outcome, at) => {
      const delivery = timely[at];
      return delivery === undefined ? [] : [noted(delivery, outcome)];
    });
    return [...late.map((delivery) => noted(delivery, tooLate(delivery))), ...sent];
  }

  return async (queue) => {
    const [kind, subscriber] = partsOfQueue(queue);
    const sender: Sender<DeliveryKind> = senders[kind];
    const hold = () => ({ queue, holder, until: clock.now() + holdTime });
    let failures = await deliveries.hold(hold(), clock.now());
    if (failures === null) return null;
    let pause: Millis | null = 0;
    const end = clock.monotonic() + longestTurn;
    const isOver = (batch: number) => batch === turn || clock.monotonic() > end;
    for (let batch = 0; !isOver(batch) && pause === 0 && mayGoOn(); batch += 1) {
      const waiting = await deliveries.next(queue, { order: sender.order, most: sender.atOnce }, clock.now());
      if (waiting.length === 0) pause = null;
      else {
        const attempted = await attempt(sender, subscriber, waiting);
        const { length: failed } = attempted.filter(({ state, dueAt }) => state === 'waiting' && dueAt === 0);
        // A subscriber that takes something is there: only the rest waits for a while.
        failures = failed === 0 ? 0 : failed < attempted.length ? 1 : failures + 1;
        pause = failed === 0 ? 0 : pauseAfter(failures);
        const ended = (as: DeliveryOutcome['state']) => attempted.filter(({ state }) => state === as).length;
        count(kind, { again: ended('waiting'), lost: ended('failed') });
        const now = clock.now();
        const pausedUntil = failed === 0 ? 0 : now + pause;
        if (!(await deliveries.note(hold(), { deliveries: attempted, failures, pausedUntil, now })))
          return null;
      }
    }
    await deliveries.release(queue, holder);
    return pause;
  };
}

/** A receiver that was away and objects once, as it comes back, is asked again. */
function isHopeless(delivery: Delivery, { isObjectedTo, result }: DeliveryOutcome, now: Millis): boolean {
  return (
    isObjectedTo === true &&
    result === delivery.result &&
    delivery.attempts + 1 >= objectedTo.attempts &&
    delivery.createdAt <= now - objectedTo.atLeast
  );
}

function tooLate({ result }: Delivery): DeliveryOutcome {
  return { state: 'failed', result: `given up${result === null ? '' : ` after: ${result}`}` };
}

/** @param failures in a row, at least one */
function pauseAfter(failures: number): Millis {
  return Math.min(longestPause, shortestPause * 2 ** Math.min(failures - 1, 20));
}
