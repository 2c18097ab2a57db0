import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY } from '../../src/platform/clock.ts';
import type { BulkJob } from '../../src/store/contracts/bulk-jobs.ts';
import type { SharedDatabase } from './contract.ts';
import { t0, uniqueName } from './fixtures.ts';

const newJob = (): BulkJob => ({
  id: uniqueName('job'),
  reference: 'reference',
  madeBy: 'root',
  selection: null,
  work: { action: 'import' },
  state: 'checked',
  matched: 3,
  done: 0,
  reached: null,
  found: {},
  step: 0,
  createdAt: t0,
  updatedAt: t0,
});

/** Jobs for many identities. */
export function bulkJobTests({ store }: SharedDatabase): void {
  describe('a job with pieces of its own', () => {
    test('loses each with the step that did it, of two calls at once in one, and all with itself', async () => {
      const { bulkJobs } = store;
      const job = newJob();
      await bulkJobs.create({ ...job, pieces: [['a', 'b'], ['c'], ['d']] });
      assert.deepEqual(await bulkJobs.piecesFrom(job.id, 0), [['a', 'b'], ['c']]);
      const checking = { ...job, state: 'checking', reached: '1' } as const;
      assert.equal(await bulkJobs.advance(checking), true);
      assert.deepEqual(await bulkJobs.piecesFrom(job.id, 0), [['a', 'b'], ['c']]);

      const working = { ...job, state: 'working', done: 2, reached: '1', step: 1 } as const;
      const both = await Promise.all([bulkJobs.advance(working), bulkJobs.advance(working)]);
      assert.deepEqual(both.sort(), [false, true]);
      assert.deepEqual(await bulkJobs.find(job.id), { ...working, step: 2 });
      assert.deepEqual(await bulkJobs.piecesFrom(job.id, 0), [['c'], ['d']]);
      await bulkJobs.advance({ ...working, state: 'done', reached: null, step: 2 });
      assert.deepEqual(await bulkJobs.piecesFrom(job.id, 0), []);

      const other = newJob();
      await bulkJobs.create({ ...other, pieces: [['e']] });
      assert.equal(await bulkJobs.delete(other.id), true);
      assert.deepEqual(await bulkJobs.piecesFrom(other.id, 0), []);
      assert.equal(await bulkJobs.advance(other), false);
    });

    test('gets more at its end until the first is checked', async () => {
      const { bulkJobs } = store;
      const job = { ...newJob(), state: 'checking' } as const;
      await bulkJobs.create({ ...job, pieces: [['a'], ['b']] });
      assert.equal(await bulkJobs.add(job.id, [['c'], ['d']], t0 + 1), true);
      assert.equal(await bulkJobs.add(job.id, [['e']], t0 + 2), true);
      assert.deepEqual(await bulkJobs.piecesFrom(job.id, 1), [['b'], ['c']]);
      assert.deepEqual(await bulkJobs.piecesFrom(job.id, 3), [['d'], ['e']]);
      assert.deepEqual(await bulkJobs.find(job.id), { ...job, updatedAt: t0 + 2 });
      await bulkJobs.advance({ ...job, reached: '1' });
      assert.equal(await bulkJobs.add(job.id, [['f']], t0 + 3), false);
      const filtered = { ...newJob(), selection: 'true' };
      await bulkJobs.create({ ...filtered, pieces: [] });
      for (const id of [filtered.id, 'none']) assert.equal(await bulkJobs.add(id, [['g']], t0), false);
    });

    test('is deleted after a day in which it was only checked, and stays if it has begun', async () => {
      const { bulkJobs, expiry } = store;
      const left = newJob();
      const begun = { ...newJob(), state: 'working' } as const;
      for (const job of [left, begun]) await bulkJobs.create({ ...job, pieces: [['a']] });
      await expiry.deleteExpired(t0 + DAY - 1, 1000);
      assert.ok(await bulkJobs.find(left.id));
      await expiry.deleteExpired(t0 + DAY, 1000);
      assert.equal(await bulkJobs.find(left.id), null);
      assert.deepEqual(await bulkJobs.piecesFrom(left.id, 0), []);
      assert.ok(await bulkJobs.find(begun.id));
    });
  });
}
