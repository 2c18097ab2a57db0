// Many identities are changed, or made from a table, in one step or by a job. A job is checked for all of them first, and
// then made a piece at a time, each in one step, so that logins need not wait. The caller carries a job on, call by call,
// and so with a right that is valid now; its progress is stored, so a job that was left can be carried on by any
// administrator.

import { setImmediate } from 'node:timers/promises';
import { AuthError, existing } from '../errors/auth-error.ts';
import { mostInOneStep } from '../model/bulk-actions.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { Filter } from '../model/list-query.ts';
import type { BulkJob, BulkJobPiece } from '../store/contracts/bulk-jobs.ts';
import { NotAsSeen } from '../store/contracts/gathered.ts';
import { type AdminCall, actingFor } from './admin-call.ts';
import type { BulkOrder, BulkSelection, BulkWork, Gathered, ImportProblem, Made, Outlook } from './bulk.ts';
import * as bulk from './bulk.ts';
import { gatherRows, type Row } from './import-people.ts';
import type { PolicyPreview } from './login-explanation.ts';
import type { AdminServices } from './services.ts';

/** The findings of the check of a job so far. */
export interface JobOutlook extends Outlook {
  readonly administrators: number;
  readonly first: Made['created'];
}

type JobWork = BulkWork | { readonly action: 'import' };

export interface KnownBulkJob extends BulkJob {
  readonly work: JobWork;
  readonly found: JobOutlook;
}

/** A call makes a few steps. */
const stepsOfCall = 10;

/**
 * A change or action for identities: all of them or none.
 * @throws AuthError could_not_validate, conflict   names the identity, or an id that no identity has: nothing is
 *                                                  changed. Or, after the first of several steps, the job that stopped
 */
export async function changeMany(
  needs: AdminServices,
  by: AdminCall,
  order: BulkOrder,
): Promise<Made & { readonly matched: number }> {
  const { work } = order;
  const identities = await bulk.selected(needs, by, order);
  const { length: matched } = identities;
  const gathered = await bulk.workOnAll(needs, by, { identities, work }).catch((error) => {
    throw bulk.saying(error, (text) => `${text}. Nothing was changed`);
  });
  const pieces = idsOf(identities);
  return { matched, ...(await makeAll(needs, by, { gathered, of: { work, pieces, matched } })) };
}

const noOutlook: Outlook = { refused: { count: 0, first: [] }, policy: null, objection: null };

type NewJob = Pick<KnownBulkJob, 'work'> &
  Partial<Pick<KnownBulkJob, 'state' | 'selection' | 'matched'>> & {
    readonly pieces: readonly BulkJobPiece[];
  };

/** Makes the checked changes: in one step if that is small enough, or else by a job. */
export async function makeAll(
  needs: AdminServices,
  by: AdminCall,
  { gathered, of }: { readonly gathered: Gathered; readonly of: NewJob & { readonly matched: number } },
): Promise<Made> {
  if (of.matched <= mostInOneStep) {
    const { gathering, ...made } = gathered;
    await gathering.commit(false);
    return made;
  }
  const { id } = await storeJob(needs, by, { ...of, state: 'checked' });
  const all: Made[] = [];
  try {
    for (let isDone = false; !isDone; ) {
      const { job, ...made } = await carryOnBulkJob(needs, by, { id, isConfirmed: true });
      all.push(made);
      isDone = job.state === 'done';
    }
    return allMade(all);
  } catch (error) {
    const { done, matched } = await getBulkJob(needs, id);
    if (done > 0)
      throw bulk.saying(
        error,
        (text) => `${text}; ${done} of ${matched} are done, and the job ${id} goes on from there`,
      );
    await deleteBulkJob(needs, by, id);
    throw error;
  }
}

function allMade(all: readonly Made[]): Made {
  return {
    invitations: all.flatMap(({ invitations }) => invitations),
    created: all.flatMap(({ created }) => created),
    problems: all.flatMap(({ problems }) => problems),
  };
}

/** The administrators together, so that what leaves none is refused before anything is changed. */
function idsOf(identities: readonly Identity[]): readonly BulkJobPiece[] {
  const idsWhere = (which: boolean) =>
    identities.flatMap(({ id, isAdmin }) => (isAdmin === which ? [id] : []));
  const administrators = idsWhere(true);
  return [...(administrators.length > 0 ? [administrators] : []), ...piecesOf(idsWhere(false))];
}

export function piecesOf(items: BulkJobPiece): readonly BulkJobPiece[] {
  const count = Math.ceil(items.length / mostInOneStep);
  return Array.from({ length: count }, (_, at) => items.slice(at * mostInOneStep, (at + 1) * mostInOneStep));
}

/**
 * Nothing is done before it is carried on.
 * @throws AuthError could_not_validate, invalid_filter
 */
export async function createBulkJob(
  needs: AdminServices,
  by: AdminCall,
  { selection, work }: { readonly selection: BulkSelection; readonly work: BulkWork },
): Promise<KnownBulkJob> {
  if ('ids' in selection)
    return storeJob(needs, by, { work, pieces: idsOf(await bulk.byIds(needs, by, selection.ids)) });
  bulk.filterOf(selection.filter);
  return storeJob(needs, by, { work, pieces: [], selection: selection.filter });
}

export async function storeJob(
  needs: AdminServices,
  by: AdminCall,
  { pieces, ...of }: NewJob,
): Promise<KnownBulkJob> {
  const now = needs.clock.now();
  const job: KnownBulkJob = {
    id: needs.random.id(),
    reference: by.origin.requestId,
    madeBy: by.actor.identityId,
    selection: null,
    state: 'checking',
    matched: 0,
    done: 0,
    reached: null,
    found: { administrators: 0, first: [], ...noOutlook },
    step: 0,
    createdAt: now,
    updatedAt: now,
    ...of,
  };
  await actingFor(needs, by).bulkJobs.create({ ...job, pieces });
  return job;
}

/** @throws AuthError not_found */
export async function getBulkJob({ store }: AdminServices, id: string): Promise<KnownBulkJob> {
  return known(existing(await store.bulkJobs.find(id)));
}

/** The newest first. */
export async function listBulkJobs({ store }: AdminServices): Promise<readonly KnownBulkJob[]> {
  return (await store.bulkJobs.listAll()).map(known);
}

/** Finished changes stay. @throws AuthError not_found */
export async function deleteBulkJob(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  existing(await actingFor(needs, by).bulkJobs.delete(id));
}

// Sound because `storeJob` and `carryOn` wrote it.
const known = (job: BulkJob) => job as KnownBulkJob;

/**
 * Carries a job on for a while.
 * @param isConfirmed whether a job that is checked may begin to change
 * @returns the changes of this call
 * @throws AuthError not_found
 * @throws AuthError could_not_validate, conflict   names the identity that it is not possible for; the pieces before
 *                                                  stay done, and the job can be carried on
 */
export async function carryOnBulkJob(
  needs: AdminServices,
  by: AdminCall,
  { id, isConfirmed }: { readonly id: string; readonly isConfirmed: boolean },
): Promise<Made & { readonly job: KnownBulkJob }> {
  const all: Made[] = [];
  let job = await getBulkJob(needs, id);
  const asJob = { ...by, origin: { ...by.origin, requestId: job.reference } };
  // The findings of a check in this very call were not shown to the caller yet.
  const mayChange = isConfirmed && job.state !== 'checking';
  for (let steps = 0, misses = 0; steps < stepsOfCall && mayGoOn(job, mayChange); steps += 1) {
    try {
      all.push(await (job.state === 'checking' ? checkPiece : changePiece)(needs, asJob, job));
    } catch (error) {
      // Or links that were made, and problems, would get lost; the next call says why it stops here.
      if (all.length > 0) break;
      misses += 1;
      // One of them was changed, or another call carried the job on: the piece is read again.
      const isOther = wasChangedMeanwhile(error) || (await getBulkJob(needs, id)).step > job.step;
      if (!isOther || misses > stepsOfCall) throw error;
    }
    job = await getBulkJob(needs, id);
    await setImmediate();
  }
  return { job, ...allMade(all) };
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

async function checkPiece(needs: AdminServices, by: AdminCall, job: KnownBulkJob): Promise<Made> {
  const { work } = job;
  const { identities, rows, next } = await pieceOf(needs, by, job);
  const problems = isImport(work) ? (await gatherRows(needs, by, rows)).problems : [];
  const outlook = isImport(work)
    ? { ...noOutlook, refused: { count: problems.length, first: problems.map(refusedRow) } }
    : await bulk.outlookOf(needs, by, { identities, work });
  const advanced = await actingFor(needs, by).bulkJobs.advance({
    ...job,
    matched: job.matched + identities.length + rows.length,
    found: together(job.found, { ...outlook, identities }),
    state: next === null ? 'checked' : 'checking',
    reached: next,
    updatedAt: needs.clock.now(),
  });
  if (!advanced) throw new AuthError('conflict', { cause: new NotAsSeen('changed') });
  return { invitations: [], created: [], problems };
}

/** As of an identity, but it has no id yet. */
const refusedRow = ({ line, column, reason }: ImportProblem) => ({
  id: null,
  name: `line ${line}`,
  reason: `${column ?? ''} ${reason}`.trim(),
});

async function changePiece(needs: AdminServices, by: AdminCall, job: KnownBulkJob): Promise<Made> {
  const { work } = job;
  const { identities, rows, next } = await pieceOf(needs, by, job);
  const { gathering, ...made } = isImport(work)
    ? await rowsPossible(needs, by, rows)
    : await bulk.workOnAll(needs, by, { identities, work });
  // Gathered too: a piece is made exactly when it is noted, however often a call is repeated.
  await gathering.needs.store.bulkJobs.advance({
    ...job,
    done: job.done + identities.length + rows.length,
    state: next === null ? 'done' : 'working',
    reached: next,
    updatedAt: needs.clock.now(),
  });
  await gathering.commit(false, true);
  return made;
}

export const isImport = (work: JobWork): work is Exclude<JobWork, BulkWork> =>
  'action' in work && work.action === 'import';

/** Rows that were checked, as long as nothing came in between. @throws AuthError conflict   names the line */
async function rowsPossible(needs: AdminServices, by: AdminCall, rows: readonly Row[]): Promise<Gathered> {
  const gathered = await gatherRows(needs, by, rows);
  const [problem] = gathered.problems;
  if (problem === undefined) return gathered;
  const { name, reason } = refusedRow(problem);
  throw new AuthError('conflict', { description: `Not possible for ${name}: ${reason}` });
}

interface Piece {
  readonly identities: readonly Identity[];
  /** Of a table. */
  readonly rows: readonly Row[];
  /** `reached` after it; null: it is the last one. */
  readonly next: string | null;
}

async function pieceOf(
  needs: AdminServices,
  by: AdminCall,
  { id, selection, work, reached }: KnownBulkJob,
): Promise<Piece> {
  if (selection === null) {
    const at = Number(reached ?? 0);
    const [items = [], following] = await needs.store.bulkJobs.piecesFrom(id, at);
    const next = following === undefined ? null : String(at + 1);
    // Sound because `storeJob` got the pieces that the work takes.
    if (isImport(work)) return { identities: [], rows: items as readonly Row[], next };
    return { identities: await bulk.readIds(needs, by, items as readonly string[]), rows: [], next };
  }
  const only = (isAdmin: boolean): Filter => ({
    op: 'and',
    terms: [bulk.filterOf(selection), { op: '=', field: 'isAdmin', value: isAdmin }],
  });
  // All administrators together, as in `idsOf`; then the others in the order of their ids.
  if (reached === null) return { identities: await bulk.read(needs, by, only(true)), rows: [], next: '' };
  return {
    ...(await bulk.readPage(needs, by, { filter: only(false), after: reached, most: mostInOneStep })),
    rows: [],
  };
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
  return [...before, ...more].slice(0, bulk.mostNamed);
}
