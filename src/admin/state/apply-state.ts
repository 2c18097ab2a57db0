// Makes the store match a document, in one step or not at all. Each entity goes through the same rules as when it is
// created or changed by itself; the changes are collected and made together at the end.

import { AuthError } from '../../errors/auth-error.ts';
import type { AuditEvent, AuditTrail, RequestOrigin } from '../../model/audit-event.ts';
import { entityNamed, type Referred } from '../../model/entities/all-entities.ts';
import { defaultOf, type EntityKind, type Fields } from '../../model/entities/entity.ts';
import { stateFields, translated } from '../../model/entities/state-fields.ts';
import { type StateKind, stateKinds } from '../../model/entities/state-kinds.ts';
import { asId, defaultAuthPolicyId, type StoredName } from '../../model/ids.ts';
import { typedName } from '../../model/names.ts';
import type { Random } from '../../platform/random.ts';
import { NotAsSeen, type Seen } from '../../store/contracts/gathered.ts';
import { AlreadyTaken, ReferenceGone, type Store } from '../../store/contracts/store.ts';
import { acceptableName, namesNothing, reasonOf, refusedField } from '../acceptable-values.ts';
import { type AdminCall, withoutAdministrator } from '../admin-call.ts';
import {
  createIdentity,
  type Disabling,
  deleteIdentity,
  disablingPatch,
  type IdentityFields,
  recordDisabling,
  updateIdentity,
} from '../identities.ts';
import type { AdminServices } from '../services.ts';
import { readState, type StoredEntity, type StoredState } from './read-state.ts';
import {
  changedMembers,
  differences,
  type MemberChange,
  type NamedState,
  type Rules,
  rulesOf,
  type State,
  type StateChanges,
  type StateEntry,
} from './state.ts';

export interface ApplyOptions {
  /** Also deletes entities that no document contains, if the documents have their kind. */
  readonly prune: boolean;
  readonly dryRun: boolean;
}

/**
 * @throws AuthError could_not_validate   names entity and field
 * @throws AuthError conflict             the last administrator, the caller itself is pruned, a concurrent change
 * @throws AuthError cannot_delete_referenced   a reference to a pruned entity
 */
export async function applyState(
  needs: AdminServices,
  by: AdminCall,
  { document, options: { prune, dryRun } }: { readonly document: State; readonly options: ApplyOptions },
): Promise<StateChanges> {
  const kinds = stateKinds.filter((kind) => document[kind] !== undefined);
  const current = await readState(needs, new Set(kinds), {
    identityId: by.actor.identityId,
    isAdmin: by.isAdmin,
  });
  const matched = kinds.flatMap((kind) => match(kind, document[kind] ?? [], current));
  const surplus = prune ? kinds.flatMap((kind) => surplusOf(kind, matched, current)) : [];
  const now = needs.clock.now();
  const gathered = needs.store.gather(by.actor, now);
  const events: [AuditEvent, RequestOrigin | null][] = [];
  const audit: AuditTrail = { record: (event, origin) => events.push([event, origin]) };
  const references = referencesOf(needs.random, matched, current);
  const scope = writerScope({ ...needs, audit }, by, { store: gathered.store, references });

  const changes = await makeChanges(scope, matched);
  for (const { entity } of surplus)
    if (entity.kind !== 'identity') await rulesOf[entity.kind].release(scope.needs, entity.id);
  // Identities first: they do not release their policies.
  for (const { entity } of surplus.toReversed()) await removeEntity(scope, entity.kind, entity.id);
  const result = {
    ...changes,
    deleted: surplus.map(({ entity }) => ({ kind: entity.kind, name: entity.name })),
  };
  if (result.created.length + result.changed.length + result.deleted.length > 0) {
    const seen = [...changes.seen, ...surplus.map(({ seen: each }) => each)];
    const own = by.isForced ? undefined : surplus.find(({ entity }) => entity.id === by.actor.identityId);
    const conditions = { now, seen, referred: scope.referred, force: by.isForced };
    await committed(gathered.commit({ ...conditions, dryRun: dryRun || own !== undefined }));
    if (own !== undefined) throw prunesCaller(own.entity.name);
    if (!dryRun) for (const [event, origin] of events) needs.audit.record(event, origin);
  }
  const { created, changed, deleted, unchanged } = result;
  return { created, changed, deleted, unchanged };
}

async function makeChanges(
  scope: WriterScope,
  matched: readonly Matched[],
): Promise<Omit<StateChanges, 'deleted'> & { readonly seen: readonly Seen[] }> {
  const created: StateEntry[] = [];
  const changed: StateChanges['changed'][number][] = [];
  const unchanged: StateEntry[] = [];
  const seen: Seen[] = [];
  for (const { kind, given, stored } of matched) {
    const entry = { kind, name: given.name };
    if (stored === undefined) {
      await located(entry, () => createEntity(scope, kind, given));
      created.push(entry);
      continue;
    }
    // Also of what stays: two documents applied at the same moment must not leave what neither of them says.
    seen.push({ kind, id: stored.id, updatedAt: stored.updatedAt });
    const fields = differences(entityNamed(kind).fields, stored.state, given);
    if (fields.length === 0) {
      unchanged.push(entry);
      continue;
    }
    await located(entry, () =>
      changeEntity(scope, kind, { stored, given: { state: given, changes: fields } }),
    );
    changed.push({ ...entry, fields });
  }
  return { created, changed, unchanged, seen };
}

function match(kind: StateKind, given: readonly NamedState<string>[], { entities }: StoredState): Matched[] {
  const byName = new Map(entities[kind].map((entity) => [entity.state.name, entity]));
  const names = new Set<string>();
  return given.map((each, index) => {
    const name = acceptableName(`${kind}.${index}.name`, each.name);
    if (names.has(name)) throw refusedField(`${kind}.${index}.name`, 'appears twice', name);
    names.add(name);
    return { kind, given: { ...each, name }, stored: byName.get(name) };
  });
}

function surplusOf(kind: StateKind, matched: readonly Matched[], { entities }: StoredState) {
  const kept = new Set(matched.filter((each) => each.kind === kind).map(({ given }) => given.name));
  return entities[kind]
    .filter(({ id, state }) => !kept.has(state.name) && id !== defaultAuthPolicyId)
    .map(({ id, updatedAt, state }) => ({
      entity: { kind, id, name: state.name },
      seen: { kind, id, updatedAt },
    }));
}

/** A job of which the files say nothing could never log in again to put it right. */
function prunesCaller(name: string): AuthError {
  return new AuthError('conflict', {
    description: `No document names ${JSON.stringify(name.slice(0, 80))}, the identity of this login, so it would be deleted. Add it to a document, or repeat the request with ?force=true`,
    fields: [{ field: 'force', reason: 'is missing, and the caller would be deleted' }],
  });
}

/** Adds to a refused field which entity it belongs to. */
async function located<T>({ kind, name }: StateEntry, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof AuthError) || error.fields.length === 0) throw error;
    const shown = name.slice(0, 80);
    throw new AuthError(error.code, {
      description: `${kind} ${JSON.stringify(shown)}: ${error.description}`,
      fields: error.fields.map((problem) => ({ ...problem, field: `${kind}[${shown}].${problem.field}` })),
      cause: error,
    });
  }
}

/** Waits for the commit and tells the client why nothing was changed. */
async function committed(step: Promise<void>): Promise<void> {
  try {
    await step.catch(withoutAdministrator);
  } catch (error) {
    if (error instanceof AlreadyTaken) throw refusedField(error.field, `of an entity ${reasonOf(error)}`);
    if (error instanceof ReferenceGone || (error instanceof NotAsSeen && error.why === 'referenced'))
      throw new AuthError('cannot_delete_referenced', {
        description: 'An entity that stays refers to an entity that would be deleted: nothing was applied',
        cause: error,
      });
    if (!(error instanceof NotAsSeen)) throw error;
    if (error.why === 'taken-back') return;
    throw new AuthError('conflict', {
      description: 'One of the entities was changed meanwhile: nothing was applied; repeat the request',
      cause: error,
    });
  }
}

// Passes one entity of a document through the rules of its kind.

type WriterScope = Readonly<ReturnType<typeof writerScope>>;

/**
 * @param store collects the changes, and reads the stored entities
 * @returns `referred`: the entities to which the changed ones will refer
 */
function writerScope(
  given: AdminServices,
  by: AdminCall,
  { store, references }: { store: Store; references: References },
) {
  const referred: Referred[] = [];
  const exists: AdminServices['exists'] = async (to, id) => {
    referred.push({ to, id });
    return references.isKnown(id) || (await given.exists(to, id));
  };
  return { needs: { ...given, store, exists }, by, store, references, referred };
}

/** The fields of an entity that are given as members of the document. */
type Given = Parameters<Rules['create']>[2] & IdentityFields & { readonly name: string };

async function createEntity(scope: WriterScope, kind: StateKind, state: NamedState): Promise<void> {
  const { needs, by, references } = scope;
  const { fields: table } = entityNamed(kind);
  const fields = fieldsOf(references, table, state) as Given;
  if (kind === 'identity') return await createDisabledOrNot(scope, state, fields);
  for (const { name, field } of stateFields(table))
    if (fields[name as 'name'] === undefined && !field.isOptional && defaultOf(field) === undefined)
      throw refusedField(name, 'is required for a new one');
  const id = () => references.plannedId(kind, state.name);
  const planned: AdminServices = { ...needs, random: { ...needs.random, id } };
  await rulesOf[kind].create(planned, by, { ...fields, id: state.id });
}

async function createDisabledOrNot(scope: WriterScope, state: NamedState, given: Given): Promise<void> {
  const { needs, by, store } = scope;
  const { disabled: _disabled, disabledUntil: _until, ...fields } = given as Given & Disabling;
  const id = await createIdentity(needs, by, { fields });
  const now = needs.clock.now();
  const enabled = { disabledAt: null, disabledUntil: null };
  const disabling = disablingPatch(enabled, disablingOf(state), { now });
  if (disabling === null) return;
  await store.identities.update(asId(id), disabling, now);
  recordDisabling(needs, by, { before: { ...enabled, id }, ...disabling });
}

async function changeEntity(
  { needs, by, references }: WriterScope,
  kind: StateKind,
  {
    stored: { id },
    given,
  }: { stored: StoredEntity; given: { state: NamedState; changes: readonly MemberChange[] } },
): Promise<void> {
  const members: Partial<NamedState> = changedMembers(given.state, given.changes);
  if (members.id !== undefined) throw refusedField('id', 'cannot be changed', members.id);
  const fields = fieldsOf(references, entityNamed(kind).fields, members);
  if (kind !== 'identity') return await rulesOf[kind].update(needs, by, { id, fields: fields as Given });
  const isDisabling = 'disabled' in members || 'disabledUntil' in members;
  await updateIdentity(needs, by, {
    id,
    fields: { ...fields, ...(isDisabling && disablingOf(given.state)) },
  });
}

async function removeEntity({ needs, by }: WriterScope, kind: StateKind, id: string): Promise<void> {
  await (kind === 'identity' ? deleteIdentity(needs, by, id) : rulesOf[kind].remove(needs, by, id));
}

/** Both members of a document about disabling: the change of one alone does not tell the intention. */
function disablingOf(state: NamedState): Disabling {
  // Sound because the schema of the document has checked both.
  const { disabled, disabledUntil } = state as Disabling;
  return { disabled, disabledUntil };
}

// Turns the names of other entities in a document into the ids that the rules of single entities take.

/** An entity of the document with its stored counterpart. */
interface Matched {
  readonly kind: StateKind;
  readonly given: NamedState;
  readonly stored: StoredEntity | undefined;
}

/** Ids by name, of stored entities and of those that will be created: policies and signers refer to one another. */
type References = ReturnType<typeof referencesOf>;

function referencesOf(random: Random, matched: readonly Matched[], { ids }: Pick<StoredState, 'ids'>) {
  const all = new Map([...ids].map(([kind, stored]) => [kind, new Map(stored)]));
  for (const { kind, given, stored } of matched)
    if (stored === undefined) all.get(kind)?.set(given.name, random.id());
  const known = new Set([...all.values()].flatMap((ofKind) => [...ofKind.values()]));
  return {
    /** The id that a new entity will have. */
    plannedId: (kind: StateKind, name: StoredName) => all.get(kind)?.get(name) ?? random.id(),
    /** Whether there is, or will be, an entity with this id to which others may refer. */
    isKnown: (id: string) => known.has(id),
    /** @throws AuthError could_not_validate */
    idOf(kind: EntityKind, field: string, name: string) {
      const id = all.get(kind)?.get(typedName(name));
      if (id === undefined) throw namesNothing(field, kind, name);
      return id;
    },
  };
}

/** The fields that members of a document set, with ids instead of names. @throws AuthError could_not_validate */
function fieldsOf(
  references: References,
  fields: Fields,
  members: object,
): Readonly<Record<string, unknown>> {
  const reference = (to: EntityKind, name: string, path: string) => references.idOf(to, path, name);
  return translated(fields, members, { from: 'member', reference });
}
