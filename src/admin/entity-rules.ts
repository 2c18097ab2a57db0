// Creates, changes and deletes a managed entity by its table (model/entities/) and its rules: one a field where it has
// one, and those of the whole entity.

import { isDeepStrictEqual } from 'node:util';
import { AuthError, existing } from '../errors/auth-error.ts';
import { type Reference, referenceFields, referencesIn } from '../model/entities/all-entities.ts';
import {
  type Change,
  defaultOf,
  type Entity,
  type Field,
  type Fields,
  type New,
  patched,
  type Stored,
  sentFields,
  type Tags,
} from '../model/entities/entity.ts';
import { asId } from '../model/ids.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import type { EntityStore, PatchOf, Unstored } from '../store/contracts/entities.ts';
import { NotAsSeen } from '../store/contracts/gathered.ts';
import type { VersionedEntity } from '../store/contracts/versions.ts';
import {
  acceptableName,
  acceptableRoleAttributes,
  acceptableTags,
  namesNothing,
  refusedField,
  takenRefused,
} from './acceptable-values.ts';
import {
  type AdminCall,
  actingFor,
  changesOf,
  recordChange,
  whileAsRead,
  withoutAdministrator,
} from './admin-call.ts';
import type { AdminServices } from './services.ts';

export interface EntityRules<E extends Entity> {
  readonly entity: E;
  readonly storeOf: (store: AdminServices['store']) => Omit<EntityStore<E>, 'create' | 'update' | 'delete'>;
  /**
   * By field: its value as it is stored. A field without a rule is stored as it was sent; names, tags and
   * role attributes have one.
   * @throws AuthError could_not_validate
   */
  readonly fields?: {
    readonly [Name in keyof Change<E>]?: (
      value: Exclude<Change<E>[Name], undefined>,
      needs: AdminServices,
    ) => unknown;
  };
  /** An id that its creator chose. @throws AuthError could_not_validate */
  readonly acceptableId?: (id: string, needs: AdminServices) => string;
  /** Defaults that follow from other fields. */
  readonly defaults?: (fields: New<E>) => Change<E>;
  /**
   * Other fields that change with those of a change.
   * @param fields as they are stored
   * @param before null: it is new
   */
  readonly follows?: (
    fields: Change<E>,
    before: Stored<E> | null,
    needs: AdminServices,
  ) => PatchOf<E> | Promise<PatchOf<E>>;
  /** Whether what follows from a change is made of what was read, so that no other change may come in between. */
  readonly isMadeOfRead?: (fields: Change<E>) => boolean;
  /** Whether the fields fit together. @param before null: it is new @throws AuthError could_not_validate */
  readonly check?: (whole: Stored<E>, needs: AdminServices, before: Stored<E> | null) => void;
  /** @throws AuthError when this one is never deleted */
  readonly refuseRemoval?: (id: string) => void;
  /** Fields that make others refer to it, so that `release` sets them to their defaults too. */
  readonly released?: readonly (keyof E['fields'])[];
  /** Why it is not deleted while something refers to it. */
  readonly whenReferenced?: { readonly description: string };
}

interface IdAnd<Given> {
  readonly id: string;
  readonly fields: Given;
}

/** The operations of a managed entity. */
export interface Managed<E extends Entity> {
  readonly entity: E;
  /**
   * @param fields.id chosen by the creator; left out: a new one
   * @throws AuthError could_not_validate   names the field: not acceptable, or taken
   */
  create(needs: AdminServices, by: AdminCall, fields: New<E> & { id?: string | undefined }): Promise<string>;
  list(needs: AdminServices, query: ListQuery): Promise<Page<Stored<E>>>;
  /** @throws AuthError not_found */
  get(needs: AdminServices, id: string): Promise<Stored<E>>;
  /** Sets all fields; missing ones get their default. @throws AuthError as `update` */
  replace(needs: AdminServices, by: AdminCall, given: { id: string; fields: New<E> }): Promise<void>;
  /**
   * Changes the given fields.
   * @throws AuthError not_found
   * @throws AuthError could_not_validate   as when creating
   * @throws AuthError conflict             the last administrator could no longer log in
   */
  update(needs: AdminServices, by: AdminCall, given: IdAnd<Change<E>>): Promise<void>;
  /** @throws AuthError not_found, cannot_delete_referenced, conflict (the last administrator) */
  remove(needs: AdminServices, by: AdminCall, id: string): Promise<void>;
  /** Makes one that is about to be deleted together with others refer to none of them. */
  release(needs: AdminServices, id: string): Promise<void>;
}

export function managed<E extends Entity>(rules: EntityRules<E>): Managed<E> {
  const { entity, acceptableId = (id: string) => id } = rules;
  const { fields: table, kind } = entity;
  const acceptable = acceptableBy(rules);
  // Sound because `needs` is only asked for the store of this entity.
  const storeOf = (store: unknown) => rules.storeOf(store as AdminServices['store']) as EntityStore<E>;

  async function get(needs: AdminServices, id: string): Promise<Stored<E>> {
    return existing(await storeOf(needs.store).find(asId(id)));
  }

  async function update(
    needs: AdminServices,
    by: AdminCall,
    { id, fields }: IdAnd<Change<E>>,
  ): Promise<void> {
    // Sound for every entity that can change.
    const versioned = { entity: entity.collection as VersionedEntity, id };
    const changing = rules.isMadeOfRead?.(fields) ? await whileAsRead(needs, by, versioned) : by;
    const before = await get(needs, id);
    const patch = await acceptable(fields, before, needs);
    const referred = newReferences(table, fields, before);
    const step = storeOf(actingFor(needs, { ...changing, referred })).update(
      before.id,
      patch as PatchOf<E>,
      needs.clock.now(),
    );
    existing(await takenRefused({ ...fields }, step.catch(withoutAdministrator)));
    const changes = changesOf(table, before, patched(table, before, patch));
    recordChange(needs, by, { action: 'update', of: [kind, id], fields: sentNames(table, fields), changes });
  }

  return {
    entity,
    list: ({ store }, query) => storeOf(store).list(query),
    get,
    update,
    async create(needs, by, { id: wantedId, ...fields }) {
      const id = wantedId === undefined ? needs.random.id() : acceptableId(wantedId, needs);
      const whole = { ...rules.defaults?.(fields as unknown as New<E>), ...completed(table, fields) };
      const value = { id, ...(await acceptable(whole, null, needs)) };
      const store = storeOf(actingFor(needs, { ...by, referred: newReferences(table, whole, null) }));
      const step = store.create(value as unknown as Unstored<E>, needs.clock.now());
      await takenRefused({ ...fields, id }, step.catch(withoutAdministrator));
      const changes = changesOf(table, null, value);
      recordChange(needs, by, {
        action: 'create',
        of: [kind, id],
        fields: sentNames(table, fields),
        changes,
      });
      return id;
    },
    replace(needs, by, { id, fields }) {
      const all = { ...rules.defaults?.(fields), ...completed(table, fields, 'kept') };
      return update(needs, by, { id, fields: all as Change<E> });
    },
    async remove(needs, by, id) {
      rules.refuseRemoval?.(id);
      const before = await get(needs, id);
      const step = storeOf(actingFor(needs, by)).delete(before.id, needs.clock.now());
      existing(
        await step.catch((error) => {
          if (!(error instanceof NotAsSeen && error.why === 'referenced')) return withoutAdministrator(error);
          throw new AuthError('cannot_delete_referenced', { ...rules.whenReferenced, cause: error });
        }),
      );
      const changes = changesOf(table, before, null);
      recordChange(needs, by, { action: 'delete', of: [kind, id], changes });
    },
    async release(needs, id) {
      const patch = unreferring(rules);
      if (patch !== null) await storeOf(needs.store).update(asId(id), patch, needs.clock.now());
    },
  };
}

/** The defaults of the fields by which an entity refers to others, or others to it; null: it has none. */
function unreferring<E extends Entity>({ entity, released = [] }: EntityRules<E>): PatchOf<E> | null {
  const referring = referenceFields.filter(({ from }) => from === entity).map(({ path: [top] }) => top);
  const names = new Set<unknown>([...referring, ...released]);
  if (names.size === 0) return null;
  const usual = Object.entries(completed(entity.fields, {})).filter(([name]) => names.has(name));
  // Sound because the values are defaults of the fields.
  return Object.fromEntries(usual) as PatchOf<E>;
}

type FieldRule<AdminServices> = (value: unknown, needs: AdminServices) => unknown;

/** Converts the given fields to stored ones, with the fields that follow from them. */
export function acceptableBy<E extends Entity>({
  entity,
  fields,
  follows,
  check,
}: Pick<EntityRules<E>, 'entity' | 'fields' | 'follows' | 'check'>): (
  given: object,
  before: Stored<E> | null,
  needs: AdminServices,
) => Promise<object> {
  const ruleOf: Readonly<Record<string, FieldRule<AdminServices> | undefined>> = {
    name: (name) => acceptableName('name', name as string),
    tags: (tags) => acceptableTags(tags as Tags),
    // Sound because a rule gets the value of its own field.
    ...(fields as Readonly<Record<string, FieldRule<AdminServices>>>),
  };
  return async (given, before, needs) => {
    const values = given as Readonly<Record<string, unknown>>;
    const patch: Record<string, unknown> = {};
    for (const [name, field] of sentFields(entity.fields)) {
      const value = values[name];
      const rule = field.isName && field.kind === 'texts' ? attributesRule(name) : ruleOf[name];
      if (value === undefined) continue;
      // An imported value may not be acceptable here; a document that was read must be acceptable again.
      const isUnchanged =
        before !== null && isDeepStrictEqual(value, (before as Readonly<Record<string, unknown>>)[name]);
      if (!isUnchanged) refusePrivateKey(name, field, value);
      patch[name] = rule === undefined || isUnchanged ? value : await rule(value, needs);
    }
    const whole = { ...patch, ...(await follows?.(patch as Change<E>, before, needs)) };
    for (const { field, to, id } of newReferences(entity.fields, given, before))
      if (!(await needs.exists(to, id))) throw namesNothing(field, to, id);
    check?.(patched(entity.fields, before ?? {}, whole) as Stored<E>, needs, before);
    return whole;
  };
}

/** The references that a change adds. Imported values may refer to entities that are not here, and keep doing so. */
function newReferences(fields: Fields, given: object, before: object | null): readonly Reference[] {
  const kept = new Set(referencesIn(fields, before ?? {}).map(({ id }) => id));
  return referencesIn(fields, given).filter(({ id }) => !kept.has(id));
}

const attributesRule = (field: string) => (sent: unknown) =>
  acceptableRoleAttributes(sent as readonly string[], field);

/** Files often hold both, and fields in PEM are shown to those who may only read. */
function refusePrivateKey(path: string, field: Field, value: unknown): void {
  if (field.kind === 'group' || field.kind === 'object') {
    const values = value as Readonly<Record<string, unknown>> | null;
    for (const [name, member] of Object.entries(field.members))
      refusePrivateKey(`${path}.${name}`, member, values?.[name]);
  } else if (field.kind === 'pem' && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(String(value)))
    throw refusedField(path, 'must not contain a private key');
}

/**
 * The given fields with the defaults of the others.
 * @param except fields that have this rule for being left out stay missing
 */
export function completed(fields: Fields, given: object, except?: 'kept'): object {
  const values = given as Readonly<Record<string, unknown>>;
  const sent = sentFields(fields);
  const saidAs = new Set(sent.flatMap(([name, { sameAs }]) => (values[name] === undefined ? [] : [sameAs])));
  const all = sent.flatMap(([name, field]) => {
    const value = values[name];
    if (value === undefined && except !== undefined && field.whenLeftOut === except) return [];
    if (field.kind === 'group') return [[name, completed(field.members, value ?? {}, except)] as const];
    if (value !== undefined) return [[name, value] as const];
    // A default beside the same value under its other name would contradict that.
    if (field.sameAs !== undefined || saidAs.has(name)) return [];
    const usual = defaultOf(field);
    return usual === undefined ? [] : [[name, usual] as const];
  });
  return Object.fromEntries(all);
}

/** The names of the fields that are sent, such as `primary.updb.maxAttempts`. */
export function sentNames(fields: Fields, given: object, prefix = ''): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const field = fields[name];
    if (value === undefined) return [];
    const path = `${prefix}${name}`;
    return field?.kind === 'group' ? sentNames(field.members, value as object, `${path}.`) : [path];
  });
}
