import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '../platform/clock.ts';
import { nodesAgreeWithClock } from './clock-offset.ts';

const beat = (lastSeenAt: number, leftAt: number | null = null) => ({ lastSeenAt, leftAt });

test("the database's clock is wrong when other nodes agree with ours and none agrees with it", () => {
  for (const shift of [-86_400, -45, 45, 86_400].map((seconds) => seconds * SECOND)) {
    const truth = 1_000_000_000_000;
    const beats = [truth, truth - 3 * SECOND, truth - 10 * SECOND].map((at) => beat(at));
    const wrongDatabase = { ours: truth, databases: truth + shift };
    const wrongNode = { ours: truth + shift, databases: truth };
    for (const others of [beats, ...beats.map((one) => [one])]) {
      assert.equal(nodesAgreeWithClock(others, wrongDatabase), true, `database off by ${shift}`);
      assert.equal(nodesAgreeWithClock(others, wrongNode), false, `we are off by ${shift}`);
    }
    // It is unknown; nor can nodes that have stopped.
    for (const others of [[], [beat(truth, truth)], [beat(truth - 3_600_000)]]) {
      assert.equal(nodesAgreeWithClock(others, wrongDatabase), false);
    }
    // Another one that is as wrong as we are.
    assert.equal(nodesAgreeWithClock([beat(truth + shift), beat(truth)], wrongNode), false);
  }
});
