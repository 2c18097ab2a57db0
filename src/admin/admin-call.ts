// The caller who asks for a change, the store that makes it, and its description in the audit trail.

import { isDeepStrictEqual } from 'node:util';
import { AuthError } from '../errors/auth-error.ts';
import type { AuditEvent, AuditTrail, FieldChange, RequestOrigin } from '../model/audit-event.ts';
import type { Referred } from '../model/entities/all-entities.ts';
import { defaultOf, type Field, type Fields } from '../model/entities/entity.ts';
import type { Identity } from '../model/entities/identity.ts';
import { shownToReaders } from '../model/entities/shown.ts';
import type { IdentityId } from '../model/ids.ts';
import { type Actor, mayHelp } from '../model/principal.ts';
import type { Clock } from '../platform/clock.ts';
import { NoAdministratorLeft, type Store } from '../store/contracts/store.ts';
import type { Unchanged } from '../store/contracts/versions.ts';

/** The caller of a change. */
export interface AdminCall {
  readonly actor: Actor;
  readonly origin: RequestOrigin;
  /** False for a caller with only a permission. */
  readonly isAdmin: boolean;
  /** Allows even changes that leave no administrator who can log in, and names that pass for those of others. */
  readonly isForced: boolean;
  /** The version that the caller has read and expects to be unchanged. */
  readonly unchanged: Unchanged | null;
  /** Entities to which the changed one will refer, and which must still exist then. */
  readonly referred?: readonly Referred[];
}

/**
 * The store for the caller's changes. Each change checks again that the caller may make it, that what the caller has
 * read is unchanged, and, unless the call is forced, that an administrator remains who can log in.
 * @param helped whom the caller helps to log in again: use `helping`
 */
export function actingFor(
  needs: { store: Pick<Store, 'onBehalfOf'>; clock: Clock },
  { actor, unchanged, referred = [], isForced }: AdminCall,
  helped: IdentityId | null = null,
): Store {
  return needs.store.onBehalfOf(actor, needs.clock.now(), { unchanged, referred, helped, force: isForced });
}

/**
 * Whether the caller may help this identity to log in again.
 * @throws AuthError forbidden
 */
export function requireMayHelp(by: AdminCall, identity: Pick<Identity, 'isAdmin' | 'permissions'>): void {
  if (mayHelp(by, identity)) return;
  throw new AuthError('forbidden', {
    description: 'Only an administrator may do this to an administrator or to an identity with a permission',
  });
}

/**
 * The store for the caller's actions on this identity, as `actingFor`. The identity may get more rights while the call
 * is under way: each change checks that again.
 * @throws AuthError forbidden
 */
export function helping(
  needs: { readonly store: Pick<Store, 'onBehalfOf'>; readonly clock: Clock },
  by: AdminCall,
  identity: Pick<Identity, 'id' | 'isAdmin' | 'permissions'>,
): Store {
  requireMayHelp(by, identity);
  return actingFor(needs, by, identity.id);
}

/**
 * The call for a change that is computed from stored values: refused if another change comes in between. Ask before
 * reading.
 */
export async function whileAsRead(
  { store: { versions } }: { store: Pick<Store, 'versions'> },
  by: AdminCall,
  of: Pick<Unchanged, 'entity' | 'id'>,
): Promise<AdminCall> {
  const version = by.unchanged === null ? await versions.find(of.entity, of.id) : null;
  return version === null ? by : { ...by, unchanged: { ...of, versions: [version] } };
}

/** The names of the fields that are set. */
export function namesOf(fields: object): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

type Changed = Extract<AuditEvent, { event: 'admin.changed' }>;

/** A change to record. */
export interface AdminChange extends Pick<Changed, 'action' | 'identityId' | 'changes'> {
  /** The kind and the id of the entity. */
  readonly of: readonly [Changed['entity'], string];
  /** The names of those that were set. Default: none. */
  readonly fields?: readonly string[];
}

/** That a secret of an entity was made or deleted; its value is not recorded. */
export function recordSecret(
  needs: { audit: AuditTrail },
  by: AdminCall,
  { field, of }: Pick<AdminChange, 'of'> & { field: string },
): void {
  recordChange(needs, by, { action: 'update', of, fields: [field], changes: [secretChanged(field)] });
}

export function recordChange(
  { audit }: { audit: AuditTrail },
  by: AdminCall,
  { of: [entity, entityId], fields = [], ...change }: AdminChange,
): void {
  const { identityId: byIdentityId } = by.actor;
  audit.record({ event: 'admin.changed', entity, entityId, fields, ...change, byIdentityId }, by.origin);
}

/**
 * For what a store method throws: tells the client when the change would leave no administrator. model/administrator.ts
 * says who counts, and the store checks it in the same step as the change.
 * @throws AuthError conflict
 */
export function withoutAdministrator(error: unknown): never {
  if (!(error instanceof NoAdministratorLeft)) throw error;
  throw new AuthError('conflict', {
    description:
      'This change would leave no administrator who can log in. Create another administrator first, or repeat the request with ?force=true',
    // Tells a program which refusal this is, and which parameter lifts it.
    fields: [{ field: 'force', reason: 'is missing, and no administrator would be left' }],
    cause: error,
  });
}

/** Why a step is refused; null: it is not. */
export async function objectionTo(step: Promise<unknown>): Promise<string | null> {
  try {
    await step;
    return null;
  } catch (error) {
    if (error instanceof AuthError) return whyOf(error);
    throw error;
  }
}

/** A refusal in one line. */
function whyOf({ description, fields: [problem] }: AuthError): string {
  const isSaid = problem === undefined || description.includes(problem.reason);
  return isSaid ? description : `${description}: ${problem.field} ${problem.reason}`;
}

// Changed fields of a managed entity, for the audit trail.

/** In characters of JSON. Longer values are cut. */
const longestValue = 1000;

/**
 * The fields whose values differ, as documents show them to readers. A secret is only said to be changed.
 * @param before null: the entity is new, and fields at their default are left out
 * @param after  null: it is deleted
 */
export function changesOf(
  fields: Fields,
  before: object | null,
  after: object | null,
): readonly FieldChange[] {
  return Object.entries(fields).flatMap(([name, field]): readonly FieldChange[] => {
    if (field.sameAs !== undefined) return [];
    const [from, to] = [valueIn(before, name, field), valueIn(after, name, field)];
    if (to === undefined && after !== null) return [];
    if (isDeepStrictEqual(plain(from), plain(to))) return [];
    if (field.kind === 'group')
      return changesOf(field.members, asObject(from), asObject(to)).map((change) => ({
        ...change,
        field: `${name}.${change.field}`,
      }));
    if (field.isSecret) return [secretChanged(field.shownAs ?? name)];
    const shown = (of: object | null, value: unknown) =>
      of === null ? null : cut(shownToReaders(field, value));
    return [{ field: name, from: shown(before, from), to: shown(after, to) }];
  });
}

/** The change of a secret, without its values. */
export function secretChanged(field: string): FieldChange {
  return { field, from: null, to: 'changed' };
}

/** Of an entity that is not there, the default. */
function valueIn(entity: object | null, name: string, field: Field): unknown {
  if (entity === null) return defaultOf(field);
  const value = (entity as Readonly<Record<string, unknown>>)[name];
  return value === undefined && field.isShownIfSet ? defaultOf(field) : value;
}

/** Without prototypes, which objects of bodies do not have. */
function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}

function asObject(value: unknown): object | null {
  return typeof value === 'object' ? value : null;
}

function cut(value: unknown = null): unknown {
  const text = JSON.stringify(value);
  return text.length <= longestValue ? value : `${text.slice(0, longestValue)}…`.toWellFormed();
}
