import type { BulkJob, BulkJobPiece, BulkJobStore } from '../contracts/bulk-jobs.ts';
import { insert, integerOrNull, reader } from './codec.ts';
import { concern } from './concern.ts';
import { affects, first, type Intent, run } from './intent.ts';

export const bulkJobs = concern<BulkJobStore>()({
  writes: {
    *create({ pieces, ...job }) {
      yield* insert('bulk_jobs', job);
      yield* insertPieces(job.id, pieces);
      yield* run`DELETE FROM bulk_jobs
        WHERE id NOT IN (SELECT id FROM bulk_jobs ORDER BY created_at DESC, id LIMIT ${mostKept})`;
    },
    *add(id, pieces, now) {
      const isFound = yield* affects`UPDATE bulk_jobs SET updated_at = ${now}
        WHERE id = ${id} AND selection IS NULL AND step = 0 RETURNING id`;
      if (isFound) yield* insertPieces(id, pieces);
      return isFound;
    },
    *advance(job) {
      const advanced = yield* affects`UPDATE bulk_jobs SET state = ${job.state}, matched = ${job.matched},
          done = ${job.done}, reached = ${job.reached}, found = ${JSON.stringify(job.found)},
          updated_at = ${job.updatedAt}, step = step + 1
         WHERE id = ${job.id} AND step = ${job.step} RETURNING id`;
      const isChanging = job.state === 'working' || job.state === 'done';
      // Nothing of a table is kept longer than needed.
      if (advanced && isChanging && job.selection === null)
        yield* run`DELETE FROM bulk_job_pieces WHERE job_id = ${job.id}
          AND number < ${Number(job.reached ?? Number.MAX_SAFE_INTEGER)}`;
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

function* insertPieces(jobId: string, pieces: readonly BulkJobPiece[]): Intent<void> {
  const last = yield* first('SELECT max(number) AS number FROM bulk_job_pieces WHERE job_id = ?', jobId);
  const next = 1 + ((last && integerOrNull(last, 'number')) ?? -1);
  for (const [at, items] of pieces.entries())
    yield* insert('bulk_job_pieces', { jobId, number: next + at, items });
}

const bulkJobOf = reader<BulkJob>()(
  'id reference madeBy selection? work:json state matched done reached? found:json step createdAt updatedAt',
);
const pieceOf = reader<{ items: BulkJobPiece }>()('items:json');

const mostKept = 100;
