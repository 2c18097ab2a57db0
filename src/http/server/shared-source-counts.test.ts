import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CountedTogether,
  clearRow,
  countingTable,
  sharedSourceCounts,
  sharedWaitingSums,
} from './shared-source-counts.ts';

const key = new Uint8Array(32).fill(7);

function threads(table: CountedTogether['table'], name = 'a') {
  return [0, 1, 2].map((row) => sharedSourceCounts({ table, key, row }, name));
}

test('threads share one limit, for each source and interface', () => {
  const table = countingTable(3);
  const [one, two, three] = threads(table);
  const open = [one, two, three, one, two].map((counts) => counts?.open('192.0.2.1', 4));
  assert.deepEqual(open, [true, true, true, true, false]);
  assert.equal(two?.open('192.0.2.2', 4), true);
  assert.equal(threads(table, 'b')[1]?.open('192.0.2.1', 4), true);
  three?.close('192.0.2.1');
  assert.deepEqual([two?.open('192.0.2.1', 4), one?.open('192.0.2.1', 4)], [true, false]);
});

test('connections of a thread that has died do not count', () => {
  const table = countingTable(3);
  const [one, two] = threads(table);
  for (let at = 0; at < 4; at += 1) two?.open('192.0.2.1', 4);
  assert.equal(one?.open('192.0.2.1', 4), false);
  clearRow(table, 1);
  assert.equal(one?.open('192.0.2.1', 4), true);
  assert.deepEqual(
    table.reduce((sum, count) => sum + count, 0),
    1,
  );
});

test('threads share the sums of what waits, for each source and in all', () => {
  const table = countingTable(3);
  const [one, two] = [0, 1].map((row) => sharedWaitingSums({ table, key, row }));
  one?.publish(new Map([['192.0.2.1', 100]]));
  two?.publish(
    new Map([
      ['192.0.2.1', 20],
      ['192.0.2.2', 3],
    ]),
  );
  assert.deepEqual([one?.of('192.0.2.1'), one?.of('192.0.2.2'), one?.all()], [120, 3, 123]);
  two?.publish(new Map([['192.0.2.2', 5]]));
  assert.deepEqual([one?.of('192.0.2.1'), one?.of('192.0.2.2'), one?.all()], [100, 5, 105]);
  clearRow(table, 0);
  assert.deepEqual([two?.of('192.0.2.1'), two?.all()], [0, 5]);
});
