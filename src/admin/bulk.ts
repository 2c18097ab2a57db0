// One change or action for many identities. Each goes through the same rules as when it is changed by itself; the changes
// are collected and made together at the end. Audit events of one call have its reference id. bulk-jobs.ts orders them.

import { setImmediate } from 'node:timers/promises';
import { AuthError } from '../errors/auth-error.ts';
import type { AuditEvent, AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { BulkAction } from '../model/bulk-actions.ts';
import { type Identity, identityEntity } from '../model/entities/identity.ts';
import { listFieldsOf } from '../model/entities/listed-fields.ts';
import type { IdentityId } from '../model/ids.ts';
import { budgetOf, type Filter, noOrder, type Term, termsOf } from '../model/list-query.ts';
import { typedName } from '../model/names.ts';
import type { Millis } from '../platform/clock.ts';
import { inChunks } from '../platform/in-chunks.ts';
import { NotAsSeen } from '../store/contracts/gathered.ts';
import { AlreadyTaken, ReferenceGone } from '../store/contracts/store.ts';
import { reasonOf, refusedField } from './acceptable-values.ts';
import { type AdminCall, objectionTo, withoutAdministrator } from './admin-call.ts';
import { parseFilter } from './filter-language.ts';
import {
  type Disabling,
  deleteIdentity,
  disableIdentity,
  enableIdentity,
  endSessionsOfIdentity,
  type IdentityFields,
  updateIdentity,
} from './identities.ts';
import { type InvitationFields, type IssuedInvitation, invite } from './invitations.ts';
import { type PolicyPreview, previewPolicies } from './login-explanation.ts';
import type { AdminServices } from './services.ts';

/** At most so many identities in one call. */
export const mostAtOnce = 10_000;
/** How many problems a preview names. */
export const mostNamed = 20;

/** Which identities, by a filter of their list or by their ids. */
export type BulkSelection = { readonly filter: string } | { readonly ids: readonly string[] };

export type BulkChange = IdentityFields &
  Disabling & {
    /** In addition to those of each identity. */
    readonly addRoleAttributes?: readonly string[] | undefined;
    readonly removeRoleAttributes?: readonly string[] | undefined;
  };

export type BulkWork =
  | { readonly change: BulkChange }
  | {
      readonly action: BulkAction;
      /** For `disable`; null: until it is enabled. */
      readonly until: Millis | null;
      readonly invitation: InvitationFields;
    };

export interface BulkOrder {
  readonly selection: BulkSelection;
  readonly work: BulkWork;
  /** How many identities the caller has seen in the selection; undefined: any number. */
  readonly matched?: number | undefined;
}

type Named = Pick<Identity, 'id' | 'name'>;

export interface ImportProblem {
  /** Of the table; the head is line 1. Null: the table as a whole. */
  readonly line: number | null;
  readonly column: string | null;
  readonly reason: string;
}

/** Created items for the callers, and the failures with their reasons. */
export interface Made {
  readonly invitations: readonly (IssuedInvitation & Named)[];
  /** New identities. */
  readonly created: readonly Named[];
  /** Of the rows of a table; with one, nothing of it may be made. */
  readonly problems: readonly ImportProblem[];
}

/** Created items, if the changes that were gathered are committed. */
export interface Gathered extends Made {
  readonly gathering: ReturnType<typeof gatheredWork>;
}

/** The preview of a change of many identities. */
export interface BulkPreview {
  readonly identities: readonly Identity[];
  /** The identities for which it is not possible; the first ones by name. */
  readonly refused: {
    readonly count: number;
    /** The id is null for a row of a table, which has no identity yet. */
    readonly first: readonly {
      readonly id: IdentityId | null;
      readonly name: string;
      readonly reason: string;
    }[];
  };
  /** The effect of another auth policy; null: the policy stays. */
  readonly policy: PolicyPreview | null;
  /** Why the change as a whole is not possible; null: it is. */
  readonly objection: string | null;
}

/** The effect of the work on identities that were read. */
export type Outlook = Omit<BulkPreview, 'identities'>;

/**
 * Gathers the work for identities; nothing is changed before the commit.
 * @throws AuthError could_not_validate, conflict   names the identity
 */
export async function workOnAll(
  needs: AdminServices,
  by: AdminCall,
  { identities, work }: { readonly identities: readonly Identity[]; readonly work: BulkWork },
): Promise<Gathered> {
  const gathering = gatheredWork(needs, by, identities);
  const invitations: Made['invitations'][number][] = [];
  for (const identity of identities) {
    const { id, name } = identity;
    try {
      const issued = await workOn(gathering.needs, by, { identity, work });
      if (issued !== undefined) invitations.push({ id, name, ...issued });
    } catch (error) {
      throw saying(error, (text) => `Not possible for ${JSON.stringify(name.slice(0, 80))}: ${text}`);
    }
  }
  return { invitations, created: [], problems: [], gathering };
}

/** The preview of the change. Nothing is stored. @throws AuthError as `selected` */
export async function previewMany(
  needs: AdminServices,
  by: AdminCall,
  order: BulkOrder,
): Promise<BulkPreview> {
  const identities = await selected(needs, by, order);
  return { identities, ...(await outlookOf(needs, by, { identities, work: order.work })) };
}

export async function outlookOf(
  needs: AdminServices,
  by: AdminCall,
  { identities, work }: { readonly identities: readonly Identity[]; readonly work: BulkWork },
): Promise<Outlook> {
  // The store is asked too whether an administrator is left: it makes their changes in one step, and takes them back.
  const gatheredOf = (which: boolean) =>
    gatheredWork(
      needs,
      by,
      identities.filter(({ isAdmin }) => isAdmin === which),
    );
  const [administrators, rest] = [gatheredOf(true), gatheredOf(false)];
  const refused: Outlook['refused']['first'][number][] = [];
  for (const identity of identities) {
    const { id, name, isAdmin } = identity;
    const of = isAdmin ? administrators : rest;
    const reason = await objectionTo(workOn(of.needs, by, { identity, work }));
    if (reason !== null) refused.push({ id, name, reason });
  }
  const objection = await objectionTo(administrators.commit(true));
  const policy =
    'change' in work
      ? await previewPolicies(needs, identities, (identity) => changeOf(identity, work.change))
      : null;
  return { refused: { count: refused.length, first: refused.slice(0, mostNamed) }, policy, objection };
}

/** @throws AuthError could_not_validate, invalid_filter, conflict */
export async function selected(
  needs: AdminServices,
  by: AdminCall,
  { selection, matched }: BulkOrder,
): Promise<readonly Identity[]> {
  const identities =
    'ids' in selection
      ? await byIds(needs, by, selection.ids)
      : await read(needs, by, filterOf(selection.filter));
  if (matched !== undefined && matched !== identities.length)
    throw new AuthError('conflict', {
      description: `The selection has ${identities.length} identities now, not ${matched}: nothing was changed; look at it again`,
    });
  return identities;
}

const listFields = listFieldsOf(identityEntity);

/** @throws AuthError could_not_validate, invalid_filter */
export function filterOf(filter: string): Filter {
  // Empty would select every identity, and leaving the filter out is a mistake.
  if (filter.trim() === '') throw refusedField('filter', 'is empty; "true" selects every identity');
  const parsed = parseFilter(filter, listFields);
  // Such as from a variable of a script that is not set.
  const isEmpty = (term: Term) => 'value' in term && term.op.endsWith('contains') && term.value === '';
  if (termsOf(parsed.filter).some(isEmpty))
    throw refusedField(
      'filter',
      'contains an empty text, which everybody has; "true" selects every identity',
    );
  if (parsed.sort !== undefined || parsed.limit !== undefined || parsed.skip !== undefined)
    throw refusedField('filter', 'selects, and has no sort, skip or limit', filter.slice(0, 100));
  return parsed.filter;
}

export async function byIds(
  needs: AdminServices,
  by: AdminCall,
  ids: readonly string[],
): Promise<readonly Identity[]> {
  const found = await inChunks([...new Set(ids)], (some) => readIds(needs, by, some));
  const known = new Set<string>(found.map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing === undefined) return found;
  throw refusedField('ids', 'names no identity', missing.slice(0, 100));
}

/** Of ids that no identity has any more, nothing. */
export function readIds(
  needs: AdminServices,
  by: AdminCall,
  values: readonly string[],
): Promise<readonly Identity[]> {
  return read(needs, by, { op: 'in', field: 'id', values });
}

const pageSize = 500;

/** All of a selection. @throws AuthError could_not_validate   more than can be changed in one step */
export async function read(
  needs: AdminServices,
  by: AdminCall,
  filter: Filter,
): Promise<readonly Identity[]> {
  const all: Identity[] = [];
  for (let after = ''; ; ) {
    const { identities, next } = await readPage(needs, by, { filter, after, most: pageSize });
    all.push(...identities);
    if (all.length > mostAtOnce)
      throw refusedField(
        'filter',
        `selects more than ${mostAtOnce} identities; a job (/identities/bulk/jobs) takes any number`,
      );
    if (next === null) return all;
    after = next;
  }
}

/** @param page.after the id after which it begins; empty: with the first */
export async function readPage(
  { store }: AdminServices,
  by: AdminCall,
  { filter, after, most }: { readonly filter: Filter; readonly after: string; readonly most: number },
): Promise<{ readonly identities: readonly Identity[]; readonly next: string | null }> {
  const { items, next } = await store.identities.list({
    filter,
    sort: noOrder,
    limit: most,
    offset: 0,
    budget: budgetOf({ identityId: by.actor.identityId, isAdmin: by.isAdmin }),
    part: after === '' ? 'first' : { after },
  });
  return { identities: items, next: next != null && 'after' in next ? next.after : null };
}

/** Collects the changes of identities that were read, and their audit events. */
export function gatheredWork(given: AdminServices, by: AdminCall, identities: readonly Identity[]) {
  const now = given.clock.now();
  const gathered = given.store.gather(by.actor, now);
  const events: [AuditEvent, RequestOrigin | null][] = [];
  const audit: AuditTrail = { record: (event, origin) => events.push([event, origin]) };
  const read = new Map<string, Identity>(identities.map((identity) => [identity.id, identity]));
  const find: AdminServices['store']['identities']['find'] = async (id) => read.get(id) ?? null;
  // The same policy is named for all.
  const known = new Map<string, Promise<boolean>>();
  const exists: AdminServices['exists'] = (kind, id) => {
    const found = known.get(`${kind} ${id}`) ?? given.exists(kind, id);
    known.set(`${kind} ${id}`, found);
    return found;
  };
  const store = { ...gathered.store, identities: { ...gathered.store.identities, find } };
  const needs: AdminServices = { ...given, exists, audit, store: { ...store, onBehalfOf: () => store } };
  const seen = identities.map(({ id, updatedAt }) => ({ kind: 'identity', id, updatedAt }) as const);
  return {
    needs,
    /** @param always also where no identity changes */
    async commit(dryRun: boolean, always = false): Promise<void> {
      if (events.length === 0 && !always) return;
      await possible(gathered.commit({ now, seen, force: by.isForced, dryRun }));
      if (!dryRun) for (const [event, origin] of events) given.audit.record(event, origin);
    },
  };
}

/** Waits for a commit and tells the caller why it was not made. */
async function possible(step: Promise<void>): Promise<void> {
  try {
    await step.catch(withoutAdministrator);
  } catch (error) {
    if (error instanceof NotAsSeen && error.why === 'taken-back') return;
    if (error instanceof AlreadyTaken) throw refusedField(error.field, `of an identity ${reasonOf(error)}`);
    if (!(error instanceof NotAsSeen) && !(error instanceof ReferenceGone)) throw error;
    throw new AuthError('conflict', {
      description: 'One of the identities was changed meanwhile; repeat the request',
      cause: error,
    });
  }
}

/** Others get their turn between two identities. */
async function workOn(
  needs: AdminServices,
  by: AdminCall,
  { identity, work }: { readonly identity: Identity; readonly work: BulkWork },
): Promise<IssuedInvitation | undefined> {
  const { id } = identity;
  await setImmediate();
  if ('change' in work) {
    await updateIdentity(needs, by, { id, fields: changeOf(identity, work.change) });
    return undefined;
  }
  if (work.action === 'invite') return invite(needs, by, { id, fields: work.invitation });
  if (work.action === 'disable') await disableIdentity(needs, by, { id, until: work.until, field: 'until' });
  else await simpleActions[work.action](needs, by, id);
  return undefined;
}

const simpleActions: Readonly<
  Record<
    Exclude<BulkAction, 'invite' | 'disable'>,
    (needs: AdminServices, by: AdminCall, id: string) => Promise<unknown>
  >
> = { enable: enableIdentity, 'end-sessions': endSessionsOfIdentity, delete: deleteIdentity };

function changeOf(
  identity: Identity,
  { addRoleAttributes = [], removeRoleAttributes = [], roleAttributes, ...fields }: BulkChange,
) {
  const isOfAttributes = addRoleAttributes.length + removeRoleAttributes.length > 0;
  if (!isOfAttributes && roleAttributes === undefined) return fields;
  const removed = new Set(removeRoleAttributes.map(typedName));
  const kept = (roleAttributes?.map(typedName) ?? identity.roleAttributes).filter((one) => !removed.has(one));
  return { ...fields, roleAttributes: [...new Set([...kept, ...addRoleAttributes.map(typedName)])] };
}

/** A refusal in other words; any other failure unchanged. */
export function saying(error: unknown, words: (description: string) => string): unknown {
  if (!(error instanceof AuthError)) return error;
  return new AuthError(error.code, {
    description: words(error.description),
    fields: error.fields,
    cause: error,
  });
}
