import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clock,
  deliveringFrom,
  memoryDeliveries,
  refused,
  type Send,
  sendingInOrder,
  settled,
  taken,
} from '../../test/support/memory-deliveries.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../platform/clock.ts';

test('one process delivers to a subscriber, and another one takes over when that is gone', async () => {
  const { store, add, states } = memoryDeliveries();
  const sent: string[] = [];
  const dead = deliveringFrom(store, async (_to, id) => {
    sent.push(`dead ${id}`);
    return new Promise(() => {});
  });
  const living = deliveringFrom(store, async (_to, id) => {
    sent.push(`living ${id}`);
    return taken;
  });
  for (const subscriber of ['one', 'one', 'one']) add(subscriber);
  dead.wake();
  await settled();
  living.wake();
  await settled();
  assert.deepEqual(sent, ['dead 0']);
  clock.advance(MINUTE);
  living.wake();
  await settled();
  assert.deepEqual(sent, ['dead 0', 'living 0', 'living 1', 'living 2']);
  assert.deepEqual(states('one'), ['delivered', 'delivered', 'delivered']);
  await living.stop();
});

test('deliveries that are added while a queue is being delivered go out too', async () => {
  const { store, add, states } = memoryDeliveries();
  const delivering = deliveringFrom(store, async (to, id) => {
    if (Number(id) < 120) {
      add(to);
      delivering.wake();
    }
    return taken;
  });
  add('one');
  delivering.wake();
  for (let turn = 0; turn < 20; turn += 1) await settled();
  assert.equal(states('one').length, 122 - 1);
  assert.ok(states('one').every((state) => state === 'delivered'));
  await delivering.stop();
});

test('a subscriber that is away for a day loses nothing, in order, and delays no other subscriber', async () => {
  const { store, add, states } = memoryDeliveries();
  const sent: string[] = [];
  let isAway = true;
  const delivering = deliveringFrom(store, async (to, id) => {
    if (to !== 'away') return taken;
    sent.push(id);
    return isAway ? refused : taken;
  });
  const pauses: number[] = [];
  for (const end = clock.now() + DAY; clock.now() < end; clock.advance(MINUTE)) {
    if (states('away').length < 10) add('away');
    if (states('there').length < 100) add('there');
    const before = sent.length;
    delivering.wake();
    await settled();
    pauses.push(sent.length - before);
    assert.ok(states('there').every((state) => state === 'delivered'));
  }
  assert.deepEqual(new Set(sent), new Set(['0']), 'the first one waits for no other');
  const tries = sent.length;
  assert.ok(tries > 200 && tries < 320, `${tries} attempts, one in five minutes`);
  isAway = false;
  clock.advance(5 * MINUTE);
  delivering.wake();
  await settled();
  const order = sent.slice(tries).map(Number);
  assert.deepEqual(
    order,
    order.toSorted((one, other) => one - other),
  );
  assert.deepEqual(new Set(states('away')), new Set(['delivered']));
  assert.equal(delivering.failures().get('logout'), tries);
  await delivering.stop();
});

test('a delivery that is never taken delays no other of its subscriber where order does not matter', async () => {
  const { store, add, states } = memoryDeliveries();
  const send: Send = async (_to, id) => (id === '0' ? refused : taken);
  const delivering = deliveringFrom(store, send, { atOnce: 1, order: 'least-tried' });
  for (let at = 0; at < 5; at += 1) add('one');
  for (let round = 0; round < 5; round += 1) {
    delivering.wake();
    await settled();
    clock.advance(5 * MINUTE);
  }
  assert.deepEqual(states('one'), ['waiting', ...Array(4).fill('delivered')]);
  clock.advance(3 * DAY);
  delivering.wake();
  await settled();
  assert.equal(states('one')[0], 'failed');
  await delivering.stop();
});

test('slow subscribers, however many, all have their turn', async () => {
  const { store, add } = memoryDeliveries();
  const answers: (() => void)[] = [];
  const reached = new Set<string>();
  const delivering = deliveringFrom(store, (to) => {
    reached.add(to);
    return new Promise((resolve) => answers.push(() => resolve(refused)));
  });
  for (let at = 0; at < 40; at += 1) add(`subscriber ${at}`);
  delivering.wake();
  await settled();
  assert.equal(reached.size, 16);
  for (let round = 0; round < 3; round += 1) {
    for (const answer of answers.splice(0)) answer();
    await settled();
  }
  assert.equal(reached.size, 40);
  for (const answer of answers.splice(0)) answer();
  await delivering.stop();
});

test('two hundred subscribers that fail slowly, again and again, do not delay one that takes', async () => {
  const { store, add, states } = memoryDeliveries();
  const answers: (() => void)[] = [];
  const tries = new Map<string, number>();
  const failed = new Set<string>();
  const delivering = deliveringFrom(store, (to) => {
    if (to === 'there') return Promise.resolve(taken);
    tries.set(to, (tries.get(to) ?? 0) + 1);
    return new Promise((resolve) =>
      answers.push(() => {
        failed.add(to);
        resolve(refused);
      }),
    );
  });
  for (let at = 0; at < 200; at += 1) add(`away ${at}`);
  for (let round = 0; round < 60; round += 1) {
    // Once each has failed: before, nothing tells them from others.
    if (failed.size === 200) {
      add('there');
      delivering.wake();
      await settled();
      assert.ok(
        states('there').every((state) => state === 'delivered'),
        `round ${round}`,
      );
    }
    delivering.wake();
    await settled();
    clock.advance(10 * SECOND);
    for (const answer of answers.splice(0)) answer();
    await settled();
  }
  assert.ok(states('there').length > 30);
  const counts = [...tries.values()];
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, 'the others have their turns all the same');
  for (const answer of answers.splice(0)) answer();
  await delivering.stop();
});

test('subscribers that take each delivery slowly leave their places to others', async () => {
  const { store, add } = memoryDeliveries();
  const answers: (() => void)[] = [];
  const reached = new Set<string>();
  const delivering = deliveringFrom(store, (to) => {
    reached.add(to);
    return new Promise((resolve) => answers.push(() => resolve(taken)));
  });
  for (let at = 0; at < 16; at += 1) for (let each = 0; each < 9; each += 1) add(`slow ${at}`);
  add('the last one');
  delivering.wake();
  for (let round = 0; round < 3; round += 1) {
    await settled();
    clock.advance(20 * SECOND);
    for (const answer of answers.splice(0)) answer();
  }
  await settled();
  assert.ok(reached.has('the last one'));
  for (const answer of answers.splice(0)) answer();
  await delivering.stop();
});

test('a sender that throws is an attempt that failed', async () => {
  const { store, add, states, queues } = memoryDeliveries();
  const delivering = deliveringFrom(store, async () => {
    throw new Error('a bug');
  });
  add('one');
  delivering.wake();
  await settled();
  assert.deepEqual(states('one'), ['waiting']);
  const [row] = queues.values();
  assert.deepEqual([row?.failures, row?.holder, row?.pausedUntil], [1, null, clock.now() + SECOND]);
  clock.advance(HOUR);
  await delivering.stop();
  delivering.wake();
  await settled();
  assert.equal(queues.values().next().value?.failures, 1, 'nothing is sent after the end');
});

test('deliveries that are sent together stay in order, and what was not tried counts as no attempt', async () => {
  const { store, add, states, queues } = memoryDeliveries();
  const sent: string[] = [];
  let taking = 3;
  const delivering = sendingInOrder(store, (ids) => {
    sent.push(ids.join(' '));
    const outcomes = ids.slice(0, taking).map(() => taken);
    return outcomes.length === ids.length ? outcomes : [...outcomes, refused];
  });
  for (let at = 0; at < 10; at += 1) add('one');
  delivering.wake();
  await settled();
  assert.deepEqual(sent, ['0 1 2 3']);
  assert.deepEqual(states('one'), [...Array(3).fill('delivered'), ...Array(7).fill('waiting')]);
  assert.equal(queues.values().next().value?.failures, 1);
  taking = 4;
  clock.advance(MINUTE);
  delivering.wake();
  await settled();
  assert.deepEqual(sent.slice(1), ['3 4 5 6', '7 8 9']);
  assert.ok(states('one').every((state) => state === 'delivered'));
  await delivering.stop();
});

test('a sender of several that throws has tried the oldest', async () => {
  const { store, add, states, attempts } = memoryDeliveries();
  const delivering = sendingInOrder(store, () => {
    throw new Error('a bug');
  });
  for (let at = 0; at < 2; at += 1) add('one');
  delivering.wake();
  await settled();
  assert.deepEqual(
    [states('one'), attempts()],
    [
      ['waiting', 'waiting'],
      [1, 0],
    ],
  );
  clock.advance(3 * DAY);
  delivering.wake();
  await settled();
  assert.deepEqual(states('one'), ['failed', 'failed']);
  await delivering.stop();
});

test('one that waits alone delays no other, and is tried again with growing pauses', async () => {
  const { store, add, states } = memoryDeliveries();
  const sent: string[] = [];
  const delivering = deliveringFrom(
    store,
    async (_to, id) => {
      sent.push(id);
      return id === '0' ? { ...refused, waitsAlone: true } : taken;
    },
    { atOnce: 1, order: 'least-tried' },
  );
  add('one');
  for (let round = 0; round < 60; round += 1) {
    add('one');
    delivering.wake();
    await settled();
    assert.deepEqual(new Set(states('one').slice(1)), new Set(['delivered']), `round ${round}`);
    clock.advance(SECOND);
  }
  const { length: attempts } = sent.filter((id) => id === '0');
  assert.ok(attempts > 3 && attempts < 8, String(attempts));
  await delivering.stop();
});

test('an event without a subscriber leaves no trace', async () => {
  const { store, add, states } = memoryDeliveries();
  const delivering = deliveringFrom(store, async () => ({ state: 'forgotten', result: 'nobody' }));
  add('one');
  delivering.wake();
  await settled();
  assert.deepEqual(states('one'), []);
  await delivering.stop();
});
