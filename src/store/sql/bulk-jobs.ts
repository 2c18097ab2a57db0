import type { BulkJob, BulkJobPiece, BulkJobStore } from '../contracts/bulk-jobs.ts';
import { insert, reader } from './codec.ts';
import { concern } from './concern.ts';
import { affects, run } from './intent.ts';

export const bulkJobs = concern<BulkJobStore>()({
  writes: {
    *create({ pieces, ...job }) {
      yield* insert('bulk_jobs', job);
      for (const [number, items] of pieces.entries())
        yield* insert('bulk_job_pieces', { jobId: job.id, number, items });
      yield* run(
        'DELETE FROM bulk_jobs WHERE id NOT IN (SELECT id FROM bulk_jobs ORDER BY created_at DESC, id LIMIT ?)',
        mostKept,
      );
    },
    *advance(job) {
      const advanced = yield* affects(
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
      const isChanging = job.state === 'working' || job.state === 'done';
      // Nothing of a table is kept longer than needed.
      if (advanced && isChanging && job.selection === null)
        yield* run(
          'DELETE FROM bulk_job_pieces WHERE job_id = ? AND number < ?',
          job.id,
          Number(job.reached ?? Number.MAX_SAFE_INTEGER),
        );
      return advanced;
    },
    delete(id) {
      return affects('DELETE FROM bulk_jobs WHERE id = ? RETURNING id', id);
    },
  },
  methods: ({ find, all }) => ({
    find: (id) => find(bulkJobOf, 'SELECT * FROM bulk_jobs WHERE id = ?', id),
    listAll: () => all(bulkJobOf, 'SELECT * FROM bulk_jobs ORDER BY created_at DESC, id'),
    async piecesFrom(id, number) {
      const sql =
        'SELECT items FROM bulk_job_pieces WHERE job_id = ? AND number >= ? ORDER BY number LIMIT 2';
      return (await all(pieceOf, sql, id, number)).map(({ items }) => items);
    },
  }),
});

const bulkJobOf = reader<BulkJob>()(
  'id reference madeBy selection? work:json state matched done reached? found:json step createdAt updatedAt',
);
const pieceOf = reader<{ items: BulkJobPiece }>()('items:json');

const mostKept = 100;
