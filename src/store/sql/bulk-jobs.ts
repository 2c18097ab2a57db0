import type { BulkJob, BulkJobStore } from '../contracts/bulk-jobs.ts';
import { insert, reader } from './codec.ts';
import { concern } from './concern.ts';
import { affects, run } from './intent.ts';

export const bulkJobs = concern<BulkJobStore>()({
  writes: {
    *create(job) {
      yield* insert('bulk_jobs', job);
      yield* run(
        'DELETE FROM bulk_jobs WHERE id NOT IN (SELECT id FROM bulk_jobs ORDER BY created_at DESC, id LIMIT ?)',
        mostKept,
      );
    },
    advance(job) {
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
    },
    delete(id) {
      return affects('DELETE FROM bulk_jobs WHERE id = ? RETURNING id', id);
    },
  },
  methods: ({ find, all }) => ({
    find: (id) => find(bulkJobOf, 'SELECT * FROM bulk_jobs WHERE id = ?', id),
    listAll: () => all(bulkJobOf, 'SELECT * FROM bulk_jobs ORDER BY created_at DESC, id'),
  }),
});

const bulkJobOf = reader<BulkJob>()(
  'id reference madeBy selection work:json state matched done reached? found:json step createdAt updatedAt',
);

const mostKept = 100;
