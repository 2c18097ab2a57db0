// What is done for more people than one step takes: a job, carried on call by call, so that it shows how far it is.

import { make } from '../../session/api.ts';
import type { BulkJob, BulkResult, CarriedOnBulkJob, ImportResult } from '../../types.ts';

export const jobs = 'identities/bulk/jobs';

export interface JobResult extends BulkResult {
  readonly created: ImportResult['created'];
}

/** @param show gets the job after each call */
export async function checkedJob(body: object, show: (job: BulkJob) => void): Promise<BulkJob> {
  let job = await make<BulkJob>({ method: 'POST', path: jobs, body });
  while (job.state === 'checking') {
    job = await carriedOn(job, false);
    show(job);
  }
  return job;
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
