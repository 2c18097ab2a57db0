// What is done for more people than one step should take: a job, carried on call by call, so that it shows how far it is.

import { make } from '../../session/api.ts';
import type { BulkJob, BulkResult, CarriedOnBulkJob } from '../../types.ts';

export const jobs = 'identities/bulk/jobs';

/** Sign-ins would wait too long for more of them in one step. */
export const mostInOneStep = 1000;

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
  show: (job: BulkJob, soFar: BulkResult) => void,
): Promise<BulkResult> {
  const invitations: BulkResult['invitations'][number][] = [];
  for (let job = checked; ; ) {
    const next = await carriedOn(job, true);
    invitations.push(...next.invitations);
    job = next;
    const result = { reference: job.reference, matched: job.done, invitations };
    show(job, result);
    if (job.state === 'done') return result;
  }
}

function carriedOn({ id }: BulkJob, confirmed: boolean): Promise<CarriedOnBulkJob> {
  return make({ method: 'POST', path: `${jobs}/${encodeURIComponent(id)}/continue`, body: { confirmed } });
}
