// A deliverer on a store in memory, with subscribers that the test lets answer.

import type {
  Delivery,
  DeliveryOrder,
  DeliveryOutcome,
  DeliveryQueue,
  Senders,
} from '../../src/model/delivery.ts';
import { queueOf } from '../../src/model/delivery.ts';
import { asId } from '../../src/model/ids.ts';
import { createRandom } from '../../src/platform/random.ts';
import type { DeliveryStore } from '../../src/store/contracts/deliveries.ts';
import { deliverer } from '../../src/tasks/deliver.ts';
import { fixedClock } from './fixed-clock.ts';
import { memoryLogger } from './memory-logger.ts';

export const started = '2026-01-01T00:00:00Z';
export const clock = fixedClock(started);

type Row = { -readonly [Name in keyof Delivery]: Delivery[Name] } & { queue: DeliveryQueue; dueAt?: number };
interface QueueRow {
  failures: number;
  pausedUntil: number;
  holder: string | null;
  heldUntil: number;
}

/** What the contract says, without a database. */
export function memoryDeliveries() {
  const rows: Row[] = [];
  const queues = new Map<DeliveryQueue, QueueRow>();
  const waitingOf = (queue: DeliveryQueue, now: number) =>
    rows.filter((row) => row.queue === queue && row.state === 'waiting' && (row.dueAt ?? 0) <= now);
  const isFree = ({ pausedUntil, heldUntil, holder }: QueueRow, by: string, now: number) =>
    pausedUntil <= now && (heldUntil <= now || holder === by);
  const store = {
    async listDue(holder, now) {
      const isDue = ([queue, row]: [DeliveryQueue, QueueRow]) =>
        isFree(row, holder, now) && waitingOf(queue, now).length > 0;
      return [...queues]
        .filter(isDue)
        .map(([queue]) => queue)
        .sort();
    },
    async hold({ queue, holder, until }, now) {
      const row = queues.get(queue);
      if (row === undefined || !isFree(row, holder, now)) return null;
      Object.assign(row, { holder, heldUntil: until });
      return row.failures;
    },
    async next(queue, { order, most }, now) {
      const found = waitingOf(queue, now);
      if (order === 'least-tried') found.sort((one, other) => one.attempts - other.attempts);
      return found.slice(0, most);
    },
    async note({ queue, holder, until }, { deliveries, failures, pausedUntil, now }) {
      const row = queues.get(queue);
      if (row?.holder !== holder) return false;
      Object.assign(row, { heldUntil: until, failures, pausedUntil });
      for (const { seq, state, result, dueAt } of deliveries) {
        const found = rows.find((delivery) => delivery.seq === seq);
        if (state === 'forgotten')
          rows.splice(
            rows.findIndex((row) => row.seq === seq),
            1,
          );
        else if (found)
          Object.assign(found, { state, result, dueAt, attempts: found.attempts + 1, lastAttemptAt: now });
      }
      return true;
    },
    async release(queue, holder) {
      const row = queues.get(queue);
      if (row?.holder === holder) Object.assign(row, { holder: null, heldUntil: 0 });
    },
  } satisfies Partial<DeliveryStore>;
  return {
    store: store as unknown as DeliveryStore,
    queues,
    attempts: () => rows.map(({ attempts }) => attempts),
    states: (subscriber: string) =>
      rows.filter(({ queue }) => queue === queueOf('logout', subscriber)).map(({ state }) => state),
    add(subscriber: string) {
      const queue = queueOf('logout', subscriber);
      if (!queues.has(queue)) queues.set(queue, { failures: 0, pausedUntil: 0, holder: null, heldUntil: 0 });
      const id = String(rows.length);
      const payload = { sessionId: asId(id), identityId: asId('i'), issuer: '' } as Delivery['payload'];
      const row = {
        seq: rows.length,
        id,
        payload,
        state: 'waiting',
        attempts: 0,
        createdAt: clock.now(),
      } as const;
      rows.push({ ...row, queue, lastAttemptAt: null, result: null });
    },
  };
}

export type Send = (subscriber: string, id: string) => Promise<DeliveryOutcome>;

export function deliveringFrom(
  store: DeliveryStore,
  send: Send,
  rules: { readonly atOnce: number; readonly order: DeliveryOrder } = { atOnce: 1, order: 'oldest' },
) {
  const random = createRandom(clock);
  const logout = {
    ...rules,
    send: (subscriber: string, { id }: { readonly id: string }) => send(subscriber, id),
  };
  const needs = {
    deliveries: store,
    senders: { logout } as unknown as Senders,
    clock,
    random,
    log: memoryLogger(),
    isReady: () => true,
  };
  return deliverer(needs);
}

/** A sender that gets several deliveries at a time. */
export function sendingInOrder(
  store: DeliveryStore,
  sendInOrder: (ids: readonly string[]) => readonly DeliveryOutcome[],
) {
  const logout = {
    atOnce: 4,
    order: 'oldest',
    sendInOrder: async (_to: string, deliveries: readonly { readonly id: string }[]) =>
      sendInOrder(deliveries.map(({ id }) => id)),
  } as const;
  const needs = {
    deliveries: store,
    senders: { logout } as unknown as Senders,
    clock,
    random: createRandom(clock),
  };
  return deliverer({ ...needs, log: memoryLogger(), isReady: () => true });
}

export const taken: DeliveryOutcome = { state: 'delivered', result: 'ok' };
export const refused: DeliveryOutcome = { state: 'waiting', result: 'no' };

/** Lets everything under way go on until it waits for the clock or for an answer. */
export async function settled() {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
}
