// One change or action for any number of identities. It is checked for all of them first, and then made a piece at a time,
// each in one step, so that logins need not wait. The caller carries a job on, call by call, and so with a right that is
// valid now; what was reached is stored, so a job that was left can be carried on by any administrator.

import { setImmediate } from 'node:timers/promises';
import { AuthError, existing } from '../errors/auth-error.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { Filter } from '../model/list-query.ts';
import type { BulkJob } from '../store/contracts/bulk-jobs.ts';
import { NotAsSeen } from '../store/contracts/gathered.ts';
import { type AdminCall, actingFor } from './admin-call.ts';
import {
  type BulkResult,
  type BulkWork,
  filterOf,
  mostNamed,
  type Outlook,
  outlookOf,
  read,
  readPage,
  workOnAll,
} from './bulk.ts';
import type { PolicyPreview } from './login-explanation.ts';
import type { AdminServices } from './services.ts';

/** What the check of a job has found so far. */
export interface JobOutlook extends Outlook {
  readonly administrators: number;
  readonly first: readonly Pick<Identity, 'id' | 'name'>[];
}

export interface KnownBulkJob extends BulkJob {
  readonly work: BulkWork;
  readonly found: JobOutlook;
}

/** How many identities are checked or changed in one step; a call makes a few steps. */
const inOneStep = 200;
const stepsOfCall = 5;

/**
 * Nothing is done before it is carried on.
 * @throws AuthError could_not_validate, invalid_filter
 */
export async function createBulkJob(
  needs: AdminServices,
  by: AdminCall,
  { selection, work }: { readonly selection: string; readonly work: BulkWork },
): Promise<KnownBulkJob> {
  filterOf(selection);
  const now = needs.clock.now();
  const job: KnownBulkJob = {
    id: needs.random.id(),
    reference: by.origin.requestId,
    madeBy: by.actor.identityId,
    selection,
    work,
    state: 'checking',
    matched: 0,
    done: 0,
    reached: null,
    found: {
      administrators: 0,
      first: [],
      refused: { count: 0, first: [] },
      policy: null,
      objection: null,
    },
    step: 0,
    createdAt: now,
    updatedAt: now,
  };
  await actingFor(needs, by).bulkJobs.create(job);
  return job;
}

/** @throws AuthError not_found */
export async function getBulkJob({ store }: Pick<AdminServices, 'store'>, id: string): Promise<KnownBulkJob> {
  return known(existing(await store.bulkJobs.find(id)));
}

/** The newest first. */
export async function listBulkJobs({
  store,
}: Pick<AdminServices, 'store'>): Promise<readonly KnownBulkJob[]> {
  return (await store.bulkJobs.listAll()).map(known);
}

/** What was done stays done. @throws AuthError not_found */
export async function deleteBulkJob(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  if (!(await actingFor(needs, by).bulkJobs.delete(id))) throw new AuthError('not_found');
}

// Sound because `createBulkJob` and `carryOn` wrote it.
const known = (job: BulkJob) => job as KnownBulkJob;

/**
 * Carries a job on for a while.
 * @param isConfirmed whether a job that is checked may begin to change
 * @returns the links of the invitations that this call made
 * @throws AuthError not_found
 * @throws AuthError could_not_validate, conflict   names the identity that it is not possible for; the pieces before
 *                                                  stay done, and the job can be carried on
 */
export async function carryOnBulkJob(
  needs: AdminServices,
  by: AdminCall,
  { id, isConfirmed }: { readonly id: string; readonly isConfirmed: boolean },
): Promise<Pick<BulkResult, 'invitations'> & { readonly job: KnownBulkJob }> {
  const invitations: BulkResult['invitations'][number][] = [];
  let job = await getBulkJob(needs, id);
  const asJob = { ...by, origin: { ...by.origin, requestId: job.reference } };
  // What was checked in this very call, nobody has read yet.
  const mayChange = isConfirmed && job.state !== 'checking';
  for (let steps = 0, misses = 0; steps < stepsOfCall && mayGoOn(job, mayChange); steps += 1) {
    try {
      if (job.state === 'checking') await checkPiece(needs, asJob, job);
      else invitations.push(...(await changePiece(needs, asJob, job)));
    } catch (error) {
      // Or links that were made would reach nobody; the next call says why it stops here.
      if (invitations.length > 0) break;
      misses += 1;
      // One of them was changed, or another call carried the job on: the piece is read again.
      if (!wasChangedMeanwhile(error) || misses > stepsOfCall) throw error;
    }
    job = await getBulkJob(needs, id);
    await setImmediate();
  }
  return { job, invitations };
}

/** @throws AuthError conflict   it is confirmed, and not possible */
function mayGoOn({ state, found: { refused, objection } }: KnownBulkJob, isConfirmed: boolean): boolean {
  if (state !== 'checked') return state !== 'done';
  if (!isConfirmed) return false;
  if (refused.count === 0 && objection === null) return true;
  throw new AuthError('conflict', {
    description: 'The check has found that this is not possible for all: nothing was changed; see refused',
  });
}

function wasChangedMeanwhile(error: unknown): boolean {
  return error instanceof AuthError && error.cause instanceof NotAsSeen;
}

async function checkPiece(needs: AdminServices, by: AdminCall, job: KnownBulkJob): Promise<void> {
  const { identities, next } = await pieceOf(needs, by, job);
  // Only the administrators need to be tried in one step: the others are not counted by any rule for all together.
  const isTried = job.reached === null;
  const outlook = await outlookOf(needs, by, { identities, work: job.work, isTried });
  const advanced = await actingFor(needs, by).bulkJobs.advance({
    ...job,
    matched: job.matched + identities.length,
    found: together(job.found, { ...outlook, identities }),
    state: next === null ? 'checked' : 'checking',
    reached: next,
    updatedAt: needs.clock.now(),
  });
  if (!advanced) throw new AuthError('conflict', { cause: new NotAsSeen('changed') });
}

async function changePiece(
  needs: AdminServices,
  by: AdminCall,
  job: KnownBulkJob,
): Promise<BulkResult['invitations']> {
  const { identities, next } = await pieceOf(needs, by, job);
  const { gathering, invitations } = await workOnAll(needs, by, { identities, work: job.work });
  // Gathered too: a piece is made exactly when it is noted, however often a call is repeated.
  await gathering.needs.store.bulkJobs.advance({
    ...job,
    done: job.done + identities.length,
    state: next === null ? 'done' : 'working',
    reached: next,
    updatedAt: needs.clock.now(),
  });
  await gathering.commit(false, true);
  return invitations;
}

/**
 * All administrators together, so that what leaves none is refused before anything is changed; then the others in the
 * order of their ids.
 */
async function pieceOf(
  needs: AdminServices,
  by: AdminCall,
  { selection, reached }: KnownBulkJob,
): Promise<{ readonly identities: readonly Identity[]; readonly next: string | null }> {
  const only = (isAdmin: boolean): Filter => ({
    op: 'and',
    terms: [filterOf(selection), { op: '=', field: 'isAdmin', value: isAdmin }],
  });
  if (reached === null) return { identities: await read(needs, by, only(true)), next: '' };
  return readPage(needs, by, { filter: only(false), after: reached, most: inOneStep });
}

function together(
  before: JobOutlook,
  { identities, refused, policy, objection }: Outlook & { readonly identities: readonly Identity[] },
): JobOutlook {
  return {
    administrators: before.administrators + identities.filter(({ isAdmin }) => isAdmin).length,
    first: firstOf(
      before.first,
      identities.map(({ id, name }) => ({ id, name })),
    ),
    refused: {
      count: before.refused.count + refused.count,
      first: firstOf(before.refused.first, refused.first),
    },
    policy: policiesTogether(before.policy, policy),
    objection: before.objection ?? objection,
  };
}

function policiesTogether(before: PolicyPreview | null, more: PolicyPreview | null): PolicyPreview | null {
  if (before === null || more === null) return before ?? more;
  return {
    touched: before.touched + more.touched,
    joins: before.joins + more.joins,
    leaves: before.leaves + more.leaves,
    asksMore: before.asksMore + more.asksMore,
    lockedOut: {
      count: before.lockedOut.count + more.lockedOut.count,
      first: firstOf(before.lockedOut.first, more.lockedOut.first),
    },
  };
}

function firstOf<Item>(before: readonly Item[], more: readonly Item[]): readonly Item[] {
  return [...before, ...more].slice(0, mostNamed);
}
