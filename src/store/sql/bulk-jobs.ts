import type { BulkJob, BulkJobStore } from '../contracts/bulk-jobs.ts';
import { type Database, insert, reader } from './codec.ts';
import { affects, type Intent, run } from './intent.ts';

export const bulkJobIntents = { createBulkJob, advanceBulkJob, deleteBulkJob } as const;

export function bulkJobStore({ read, find, writing }: Database<typeof bulkJobIntents>): BulkJobStore {
  return {
    ...writing({ create: 'createBulkJob', advance: 'advanceBulkJob', delete: 'deleteBulkJob' }),
    find: (id) => find(bulkJobOf, 'SELECT * FROM bulk_jobs WHERE id = ?', id),
    async listAll() {
      return (await read('SELECT * FROM bulk_jobs ORDER BY created_at DESC, id')).map(bulkJobOf);
    },
  };
}

const bulkJobOf = reader<BulkJob>()(
  'id reference madeBy selection work:json state matched done reached? found:json step createdAt updatedAt',
);

const mostKept = 100;

function* createBulkJob(job: BulkJob): Intent<void> {
  yield* insert('bulk_jobs', job);
  yield* run(
    'DELETE FROM bulk_jobs WHERE id NOT IN (SELECT id FROM bulk_jobs ORDER BY created_at DESC, id LIMIT ?)',
    mostKept,
  );
}

function advanceBulkJob(job: BulkJob): Intent<boolean> {
  return affects(
    `UPDATE bulk_jobs SET state = ?, matched = ?, done = ?, reached = ?, found = ?, updated_at = ?, step = step + 1
     WHERE id = ? AND step = ? RETURNING id`,
    job.state,
    job.matched,
    job.done,
    job.reached,
    JSON.stringify(job.found),
    job.updatedAt,
    job.id,
    job.step,
  );
}

function deleteBulkJob(id: string): Intent<boolean> {
  return affects('DELETE FROM bulk_jobs WHERE id = ? RETURNING id', id);
}
