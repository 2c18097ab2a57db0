import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedClock } from '../../test/support/fixed-clock.ts';
import { memoryLogger } from '../../test/support/memory-logger.ts';
import type { ControllerNode } from '../model/node.ts';
import { DAY, HOUR, type Millis, SECOND } from '../platform/clock.ts';
import { clockWatch } from './clock-watch.ts';

function watched(truth: string, beats: readonly Millis[] = []) {
  const clock = fixedClock(truth);
  const database = { offset: 0, isAway: false };
  const log = memoryLogger();
  const nodes = {
    async databaseTime() {
      if (database.isAway) throw new Error('away');
      return Date.parse(truth) + clock.monotonic() + database.offset;
    },
    async listAll() {
      const others = beats.map((at) => ({
        name: `other-${at}`,
        lastSeenAt: Date.parse(truth) + at,
        leftAt: null,
      }));
      const own = { name: 'own', lastSeenAt: clock.now(), leftAt: null };
      return [...others, own] as unknown as readonly ControllerNode[];
    },
  };
  const doneOver = { count: 0, fails: false };
  const watch = clockWatch({
    store: { nodes },
    clock,
    log,
    async onSetRight() {
      if (doneOver.fails) throw new Error('not now');
      doneOver.count += 1;
    },
  });
  const events = () => log.entries.map(({ level, fields }) => [level, fields.event]);
  return { clock, database, doneOver, watch, events };
}

const truth = '2026-01-01T00:00:00Z';

test("a clock is right, noticeable or wrong compared with the database's, and each is logged once", async () => {
  const { clock, watch, events } = watched(truth, [0]);
  for (const [ahead, isWrong] of [
    [0, false],
    [4 * SECOND, false],
    [-5 * SECOND, false],
    [6 * SECOND, false],
    [-29 * SECOND, false],
    [31 * SECOND, true],
    [-DAY, true],
    [0, false],
  ] as const) {
    clock.set(Date.parse(truth) + ahead);
    await watch.compare('own');
    await watch.compare('own');
    assert.deepEqual([watch.ahead, watch.isWrong], [ahead, isWrong]);
  }
  assert.deepEqual(events(), [
    ['warn', 'clock.noticeable'],
    ['error', 'clock.wrong'],
    ['info', 'clock.right'],
  ]);
});

test('a clock that jumps is wrong at once, until the next look says otherwise', async () => {
  const { clock, database, watch } = watched(truth);
  await watch.compare('own');
  clock.set(Date.parse(truth) + HOUR);
  assert.equal(watch.isWrong, true);
  // Also while the database cannot be asked.
  database.isAway = true;
  await watch.compare();
  assert.equal(watch.isWrong, true);
  // The machine was asleep, and its monotonic clock too.
  database.isAway = false;
  database.offset = HOUR;
  await watch.compare();
  assert.equal(watch.isWrong, false);
});

test('a clock that was wrong counts as wrong until its effects are corrected', async () => {
  const { clock, doneOver, watch, events } = watched(truth);
  clock.set(Date.parse(truth) - HOUR / 3);
  await watch.compare('own');
  assert.equal(watch.isWrong, true);
  clock.set(truth);
  assert.equal(watch.isWrong, true);
  doneOver.fails = true;
  await watch.compare();
  assert.equal(watch.isWrong, true);
  doneOver.fails = false;
  await watch.compare();
  assert.deepEqual([watch.isWrong, doneOver.count], [false, 1]);
  await watch.compare();
  assert.equal(doneOver.count, 1);
  assert.deepEqual(
    events().map(([, event]) => event),
    ['clock.wrong', 'clock.right'],
  );
});

test("if the other nodes agree with our clock, the database's is wrong, and no node stops", async () => {
  const { database, watch, events } = watched(truth, [-3 * SECOND]);
  database.offset = HOUR;
  await watch.compare('own');
  assert.deepEqual([watch.ahead, watch.isWrong], [-HOUR, false]);
  assert.deepEqual(events(), [['warn', 'clock.noticeable']]);
});
