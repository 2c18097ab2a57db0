// Work for more people than one step takes: a job, carried on call by call, so that it shows its progress.

import { make } from '../../session/api.ts';
import type { BulkJob, BulkResult, CarriedOnBulkJob, ImportResult } from '../../types.ts';

export const jobs = 'identities/bulk/jobs';

export interface JobResult extends BulkResult {
  readonly created: ImportResult['created'];
}

/**
 * @param show gets the job before each call and at the end
 * @returns the job, and the problems of its table
 */
export async function checkedJob(
  ordered: BulkJob,
  show: (job: BulkJob) => void,
): Promise<{ readonly job: BulkJob; readonly problems: ImportResult['problems'] }> {
  const problems: ImportResult['problems'][number][] = [];
  let job = ordered;
  show(job);
  while (job.state === 'checking') {
    const next = await carriedOn(job, false);
    problems.push(...next.problems);
    job = next;
    show(job);
  }
  return { job, problems };
}

/** @param show gets what is done after each call; the work may fail after that */
export async function doneJob(
  checked: BulkJob,
  show: (job: BulkJob, soFar: JobResult) => void,
): Promise<JobResult> {
  const invitations: JobResult['invitations'][number][] = [];
  const created: JobResult['created'][number][] = [];
  for (let job = checked; ; ) {
    const next = await carriedOn(job, true);
    invitations.push(...next.invitations);
    created.push(...next.created);
    job = next;
    const result = { reference: job.reference, matched: job.done, invitations, created };
    show(job, result);
    if (job.state === 'done') return result;
  }
}

function carriedOn({ id }: BulkJob, confirmed: boolean): Promise<CarriedOnBulkJob> {
  return make({ method: 'POST', path: `${jobs}/${encodeURIComponent(id)}/continue`, body: { confirmed } });
}
