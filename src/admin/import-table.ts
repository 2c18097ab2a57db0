// The import of a table: at once, or as a job for the caller to carry on.

import { existing } from '../errors/auth-error.ts';
import { mostInOneStep } from '../model/bulk-actions.ts';
import type { BulkJobPiece } from '../store/contracts/bulk-jobs.ts';
import { type AdminCall, actingFor } from './admin-call.ts';
import type { ImportProblem, Made } from './bulk.ts';
import { getBulkJob, isImport, type KnownBulkJob, makeAll, piecesOf, storeJob } from './bulk-jobs.ts';
import { gatherRows, rowsOf } from './import-people.ts';
import type { AdminServices } from './services.ts';

export interface ImportResult {
  readonly rows: number;
  /** Empty if there are problems, or nothing was to be made, or not yet. */
  readonly created: Made['created'];
  readonly problems: readonly ImportProblem[];
  /** For the caller to carry on. */
  readonly job?: KnownBulkJob;
}

export interface ImportOrder {
  /** At most `mostAtOnce` rows. */
  readonly csv: string;
  readonly dryRun: boolean;
  /** Whether what is more than one step is neither checked nor made now: the caller carries on its job. */
  readonly asJob: boolean;
  /** The id of a job to which the rows are added, before it is carried on; `new`: it begins one, with few rows too. */
  readonly job?: string | undefined;
  /** Of the whole table of a job: how many lines come before the first row that are not in `csv`. */
  readonly linesBefore: number;
}

/**
 * Checks every row of a table, and makes the identities if all of them are acceptable.
 * @throws MalformedInput, AuthError   as `rowsOf`, and as `changeMany` where a name is taken meanwhile
 * @throws AuthError not_found         there is no such job of a table, or it was carried on already
 */
export async function importPeople(
  needs: AdminServices,
  by: AdminCall,
  { csv, dryRun, asJob, job, linesBefore }: ImportOrder,
): Promise<ImportResult> {
  const rows = rowsOf(csv, by, linesBefore);
  const of = { work: { action: 'import' }, pieces: piecesOf(rows) } as const;
  const { length: matched } = rows;
  if (job !== undefined || (asJob && matched > mostInOneStep)) {
    const isNew = job === undefined || job === 'new';
    const stored = isNew ? await storeJob(needs, by, of) : await addToJob(needs, by, { ...of, id: job });
    return { rows: matched, created: [], problems: [], job: stored };
  }
  const gathered = await gatherRows(needs, by, rows);
  const { problems } = gathered;
  const isMade = problems.length === 0 && !dryRun;
  const made = isMade ? await makeAll(needs, by, { gathered, of: { ...of, matched } }) : { created: [] };
  return { rows: matched, created: made.created, problems };
}

async function addToJob(
  needs: AdminServices,
  by: AdminCall,
  { id, pieces }: { readonly id: string; readonly pieces: readonly BulkJobPiece[] },
): Promise<KnownBulkJob> {
  const job = await getBulkJob(needs, id);
  const isAdded =
    isImport(job.work) && (await actingFor(needs, by).bulkJobs.add(id, pieces, needs.clock.now()));
  return existing(isAdded ? job : null);
}
