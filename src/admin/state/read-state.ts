// The stored entities as a document.

import { openClientSecret } from '../../login/external-jwt/client-secret.ts';
import { isDisabled } from '../../model/account.ts';
import type { Entity, Field, Fields } from '../../model/entities/entity.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import { asSent, type Identity } from '../../model/entities/identity.ts';
import { forReaders } from '../../model/entities/shown.ts';
import { stateFields } from '../../model/entities/state-fields.ts';
import { type StateKind, stateKinds } from '../../model/entities/state-kinds.ts';
import { asId, type StoredName } from '../../model/ids.ts';
import { budgetOf, type ListQuery, type ListReader, type Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';
import { refusedField } from '../acceptable-values.ts';
import { largestLimit } from '../list-parameters.ts';
import type { AdminServices } from '../services.ts';
import { entityOf, type NamedState, rulesOf } from './state.ts';

/** A stored entity with its entry in the document. */
export interface StoredEntity {
  readonly id: string;
  readonly updatedAt: Millis;
  readonly state: NamedState;
}

export interface StoredState {
  readonly entities: Readonly<Record<StateKind, readonly StoredEntity[]>>;
  /** Ids by name, also of kinds that were not requested. */
  readonly policyIds: ReadonlyMap<StoredName, string>;
  readonly signerIds: ReadonlyMap<StoredName, string>;
}

/** Names, by id, with which entries of a document refer to each other. */
interface Names {
  readonly policies: ReadonlyMap<string, string>;
  readonly signers: ReadonlyMap<string, string>;
}

/** Everything of these kinds, sorted by name, with the secrets that a document can set: not to be shown. */
export async function readState(
  needs: AdminServices,
  kinds: ReadonlySet<StateKind>,
  reader: ListReader,
): Promise<StoredState> {
  const names = await namesFor(needs, reader);
  const all = async (kind: StateKind) =>
    kinds.has(kind)
      ? (await Array.fromAsync(pagesOf(entriesOf(kind, needs, { names, hasSecrets: true }), reader))).flat()
      : [];
  const idsByName = (byId: ReadonlyMap<string, string>) =>
    new Map([...byId].map(([id, name]) => [asId<StoredName>(name), id]));
  const entities: [StateKind, readonly StoredEntity[]][] = [];
  for (const kind of stateKinds) entities.push([kind, await all(kind)]);
  return {
    // Sound because every kind is among them.
    entities: Object.fromEntries(entities) as unknown as StoredState['entities'],
    policyIds: idsByName(names.policies),
    signerIds: idsByName(names.signers),
  };
}

/**
 * The document of these kinds, without secrets: some entities of a kind at a time, in its order. Kinds without entities
 * come once too.
 * @throws AuthError could_not_validate   a reader who does not administer asks for more of a kind than lists have
 */
export async function* exportState(
  needs: AdminServices,
  kinds: readonly StateKind[],
  reader: ListReader,
): AsyncGenerator<{ readonly kind: StateKind; readonly states: readonly NamedState[] }> {
  const names = await namesFor(needs, reader);
  for (const kind of kinds) {
    for await (const page of pagesOf(entriesOf(kind, needs, { names, hasSecrets: false }), reader))
      yield {
        kind,
        states: page.map(({ state }) => (reader.isAdmin ? state : forReaders(entityOf(kind).fields, state))),
      };
  }
}

type ListOf<Entity> = (query: ListQuery) => Promise<Page<Entity>>;

/** A list of everything by name, a page at a time. */
async function* pagesOf<Entity>(list: ListOf<Entity>, reader: ListReader): AsyncGenerator<readonly Entity[]> {
  const filter = { op: 'true' } as const;
  const sort = [{ field: 'name', descending: false }];
  const query = { filter, sort, limit: largestLimit, offset: 0, budget: budgetOf(reader) };
  for (let part: ListQuery['part'] | null = 'first'; part !== null; ) {
    const page: Page<Entity> = await list({ ...query, part });
    yield page.items;
    part = page.next ?? null;
    if (part !== null && !reader.isAdmin)
      throw refusedField(
        'kinds',
        `name one with more than ${largestLimit} entries, which only administrators read as a whole`,
      );
  }
}

async function namesFor({ store }: AdminServices, reader: ListReader): Promise<Names> {
  const namesOf = async (list: ListOf<{ readonly id: string; readonly name: string }>) =>
    new Map((await Array.fromAsync(pagesOf(list, reader))).flat().map(({ id, name }) => [id, name] as const));
  return {
    policies: await namesOf((query) => store.authPolicies.list(query)),
    signers: await namesOf((query) => store.externalJwtSigners.list(query)),
  };
}

/** The list of a kind, as entries of the document. @param hasSecrets with those that a document can set */
function entriesOf(
  kind: StateKind,
  needs: AdminServices,
  { names, hasSecrets }: { readonly names: Names; readonly hasSecrets: boolean },
): ListOf<StoredEntity> {
  const sent = (stored: object) => {
    // Sound because the list is that of the kind.
    if (kind === 'identity') return asSent(withDisabled(stored as Identity, needs.clock.now()));
    const isSigner = kind === 'ext-jwt-signer' && hasSecrets;
    return isSigner ? withSecret(needs, stored as ExternalJwtSigner) : stored;
  };
  return async (query) => {
    const page: Page<Listed> = await (kind === 'identity'
      ? needs.store.identities.list(query)
      : rulesOf[kind].list(needs, query));
    const items = page.items.map((stored) => {
      const { id, updatedAt } = stored;
      return { id, updatedAt, state: stateOf(entityOf(kind), { ...sent(stored), id }, names) };
    });
    return { ...page, items };
  };
}

type Listed = Pick<StoredEntity, 'id' | 'updatedAt'>;

function withSecret({ vault }: AdminServices, signer: ExternalJwtSigner): object {
  return { ...signer, clientSecret: openClientSecret(vault, signer) };
}

/** Whether an identity is disabled now. A time in the past no longer says anything about it. */
function withDisabled(identity: Identity, now: Millis): Identity & { readonly disabled: boolean } {
  const disabled = isDisabled(identity, now);
  return { ...identity, disabled, disabledUntil: disabled ? identity.disabledUntil : null };
}

function stateOf(entity: Entity, stored: object & { readonly id: string }, names: Names): NamedState {
  const members = membersOf(entity.fields, stored, names);
  // Sound because every kind has a name.
  return { ...(entity.hasChosenId && { id: stored.id }), ...members } as NamedState;
}

function membersOf(fields: Fields, values: object, names: Names): Readonly<Record<string, unknown>> {
  const of = values as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    stateFields(fields).map(({ member, name, field }) => [member, named(field, of[name], names)]),
  );
}

/** The value with names instead of ids. A reference to a deleted entity stays an id, which names nothing. */
function named(field: Field, value: unknown, names: Names): unknown {
  if (value === null || value === undefined) return value;
  if (field.kind === 'group' || field.kind === 'object') return membersOf(field.members, value, names);
  if (field.kind !== 'reference' && field.kind !== 'references') return value;
  const among = field.to === 'auth-policy' ? names.policies : names.signers;
  const nameOf = (id: string) => among.get(id) ?? id;
  return field.kind === 'reference' ? nameOf(value as string) : (value as string[]).map(nameOf).sort();
}
