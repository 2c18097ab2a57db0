import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FixedClock, fixedClock } from '../../test/support/fixed-clock.ts';
import type { Change } from '../model/change.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';
import {
  AnotherHistory,
  type ChangeListener,
  EntryLost,
  type FeedPosition,
} from '../store/contracts/changes.ts';
import { feedPosition, followFeed } from './follow-feed.ts';

const entry = (seq: number, at = 0): Change => ({ seq, kind: 'identity', entityId: `i${seq}`, at });

/** A feed that a test fills, and what a follower did with it. */
async function followed(clock: FixedClock = fixedClock('2026-03-01T12:00:00Z')) {
  let entries: Change[] = [entry(1)];
  let history = 'a';
  let restore: string | null = null;
  let listener: ChangeListener = async () => {};
  const done: string[] = [];
  const state = { refuseRead: false, refuseApply: false, refuseAll: false, reads: 0 };
  /** Rounds wait here while a test pauses them. */
  let gate = Promise.resolve();
  const store = {
    changes: {
      async readAfter(position: FeedPosition | null) {
        state.reads += 1;
        await gate;
        if (state.refuseRead) throw new Error('cannot read');
        const last = position?.last ?? null;
        if (last !== null && entries.every(({ seq }) => seq !== last.seq)) throw new EntryLost();
        if (position?.history !== history) throw new AnotherHistory();
        const changes = entries.filter(({ seq }) => seq > (position.last?.seq ?? 0));
        return { changes, position: { ...position, last: entries.at(-1) ?? null } };
      },
      latest: async () => ({ history, horizon: '', last: entries.at(-1) ?? null }),
      onChange(called: ChangeListener) {
        listener = called;
        return () => {
          listener = async () => {};
        };
      },
    },
    restores: { latest: async () => restore },
  };
  const feed = followFeed({
    store,
    clock,
    from: await feedPosition(store),
    async apply({ seq }) {
      if (state.refuseApply) throw new Error('cannot apply');
      done.push(`apply ${seq}`);
    },
    async readEverything() {
      if (state.refuseAll) throw new Error('cannot read everything');
      done.push('everything');
    },
    onLoss: () => void done.push('loss'),
  });
  return {
    clock,
    feed,
    done,
    state,
    add: (seq: number, at = 0) => void entries.push(entry(seq, at)),
    replaceBy(seqs: readonly number[], by = history) {
      entries = seqs.map((seq) => entry(seq));
      history = by;
    },
    restoreAs(id: string) {
      restore = id;
    },
    notify: (notice: Parameters<ChangeListener>[0]) => listener(notice),
    /** @returns lets the rounds continue */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

describe('a follower of the feed', () => {
  test('applies what comes after its position, in order and once', async () => {
    const { feed, done, add, notify } = await followed();
    add(2);
    add(5);
    await notify('perhaps-new');
    add(6);
    await feed.catchUp();
    await feed.catchUp();
    assert.deepEqual(done, ['apply 2', 'apply 5', 'apply 6']);
    feed.stop();
  });

  test('is behind after an entry could not be applied, and reads everything again', async () => {
    const { feed, done, add, state } = await followed();
    add(2);
    state.refuseApply = true;
    await assert.rejects(feed.catchUp(), /cannot apply/);
    assert.equal(feed.isBehind, true);
    state.refuseApply = false;
    await feed.beFresh();
    assert.equal(feed.isBehind, false);
    assert.deepEqual(done, ['everything']);
    feed.stop();
  });

  test('reads once for all callers that come while it reads, and after they came', async () => {
    const { feed, done, add, hold, state } = await followed();
    const goOn = hold();
    const first = feed.catchUp();
    await new Promise(setImmediate);
    const others = Array.from({ length: 20 }, () => feed.catchUp());
    add(2);
    goOn();
    await Promise.all([first, ...others]);
    assert.equal(state.reads, 2);
    assert.deepEqual(done, ['apply 2']);
    feed.stop();
  });

  test('of a failed round does not fail the next one, which reads everything', async () => {
    const { feed, done, add, state } = await followed();
    state.refuseRead = true;
    const failing = feed.catchUp();
    await assert.rejects(failing, /cannot read/);
    state.refuseRead = false;
    add(2);
    await feed.catchUp();
    assert.deepEqual(done, ['everything']);
    feed.stop();
  });

  test('that was suspended for two seconds is behind until it has read', async () => {
    const { feed, clock, done, state } = await followed();
    clock.advance(2 * SECOND);
    assert.deepEqual([feed.isBehind, feed.hasStoodStill], [false, false]);
    await feed.beFresh();
    assert.equal(state.reads, 0);
    clock.advance(1);
    assert.deepEqual([feed.isBehind, feed.hasStoodStill], [true, true]);
    await feed.beFresh();
    assert.deepEqual([feed.isBehind, feed.hasStoodStill], [false, false]);
    assert.deepEqual(done, []);
    feed.stop();
  });

  test('that was suspended while it read reads once more', async () => {
    const { feed, clock, done, add, hold, state } = await followed();
    const goOn = hold();
    const reading = feed.listen();
    while (state.reads === 0) await new Promise(setImmediate);
    clock.advance(3 * SECOND);
    const fresh = feed.beFresh();
    goOn();
    await reading;
    add(2);
    await fresh;
    assert.deepEqual([done, feed.isBehind], [['apply 2'], false]);
    feed.stop();
  });

  test('reads everything when the feed may not reach back, and then what came meanwhile', async () => {
    const { feed, clock, done, add } = await followed();
    clock.advance(30 * MINUTE);
    await feed.catchUp();
    assert.deepEqual(done, []);
    clock.advance(30 * MINUTE + 1);
    add(2);
    await feed.catchUp();
    add(3);
    await feed.catchUp();
    assert.deepEqual(done, ['everything', 'apply 3']);
    feed.stop();
  });

  test('reads everything after the clock was set back, and when it is told to', async () => {
    const { feed, clock, done } = await followed();
    clock.set(clock.now() - 2 * SECOND);
    await feed.catchUp();
    assert.deepEqual(done, []);
    clock.set(clock.now() - 3 * SECOND);
    await feed.catchUp();
    await feed.startOver();
    assert.deepEqual(done, ['everything', 'everything']);
    feed.stop();
  });

  test('starts over with the numbers of another history, even when the first try fails', async () => {
    const { feed, done, add, replaceBy, notify, state } = await followed();
    add(2);
    add(3);
    await feed.catchUp();
    replaceBy([1, 2]);
    state.refuseAll = true;
    await assert.rejects(notify('perhaps-another-history'), /cannot read everything/);
    assert.equal(feed.isBehind, true);
    state.refuseAll = false;
    await feed.beFresh();
    add(3);
    await feed.catchUp();
    assert.deepEqual(done, ['apply 2', 'apply 3', 'loss', 'loss', 'everything', 'apply 3']);
    feed.stop();
  });

  test('tells of a loss where the database lacks the entry that it read last, unless that may have been deleted', async () => {
    const { feed, clock, done, add, replaceBy } = await followed();
    add(2, clock.now());
    await feed.catchUp();
    // Numbers that were handed out before are not given again.
    replaceBy([1, 40], 'b');
    await feed.catchUp();
    assert.deepEqual(done, ['apply 2', 'loss', 'everything']);
    replaceBy([41], 'c');
    await feed.catchUp();
    assert.deepEqual(done, ['apply 2', 'loss', 'everything', 'everything'], 'the entry was hours old');
    feed.stop();
  });

  test('that finds another history reads everything in the same round, and is behind until it has', async () => {
    const { feed, done, add, replaceBy, state } = await followed();
    replaceBy([1, 2, 3], 'b');
    await feed.catchUp();
    assert.deepEqual([done, feed.isBehind], [['everything'], false]);
    replaceBy([1, 2, 3], 'c');
    state.refuseAll = true;
    await assert.rejects(feed.catchUp(), /cannot read everything/);
    assert.equal(feed.isBehind, true);
    state.refuseAll = false;
    add(4);
    await feed.beFresh();
    assert.deepEqual([done, feed.isBehind], [['everything', 'everything'], false]);
    feed.stop();
  });

  test('of a database that was restored refuses every call', async () => {
    const { feed, restoreAs, state } = await followed();
    restoreAs('r1');
    await feed.catchUp();
    assert.equal(feed.isBehind, false);
    await assert.rejects(feed.listen(), /restored from a backup.*restart/);
    assert.equal(feed.isBehind, true);
    await assert.rejects(feed.beFresh(), /restored from a backup/);
    const { reads } = state;
    await assert.rejects(feed.startOver(), /restored from a backup/);
    assert.equal(state.reads, reads);
    feed.stop();
  });

  test('notices nothing any more once it is stopped', async () => {
    const { feed, done, add, notify } = await followed();
    feed.stop();
    add(2);
    await notify('perhaps-new');
    assert.deepEqual(done, []);
  });
});
