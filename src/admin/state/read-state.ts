// The stored entities as a document.

import { openClientSecret } from '../../login/external-jwt/client-secret.ts';
import { isDisabled } from '../../model/account.ts';
import { entityNamed, referenceFields } from '../../model/entities/all-entities.ts';
import type { Entity, EntityKind } from '../../model/entities/entity.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import { asSent, type Identity } from '../../model/entities/identity.ts';
import { forReaders } from '../../model/entities/shown.ts';
import { translated } from '../../model/entities/state-fields.ts';
import { type StateKind, stateKinds } from '../../model/entities/state-kinds.ts';
import type { StoredName } from '../../model/ids.ts';
import { budgetOf, type ListQuery, type ListReader, type Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';
import { refusedField } from '../acceptable-values.ts';
import { largestLimit } from '../list-parameters.ts';
import type { AdminServices } from '../services.ts';
import { type NamedState, rulesOf } from './state.ts';

/** A stored entity with its entry in the document. */
export interface StoredEntity {
  readonly id: string;
  readonly updatedAt: Millis;
  readonly state: NamedState;
}

export interface StoredState {
  readonly entities: Readonly<Record<StateKind, readonly StoredEntity[]>>;
  /** Ids by name, of each kind to which others refer, also if it was not requested. */
  readonly ids: ReadonlyMap<EntityKind, ReadonlyMap<StoredName, string>>;
}

/** Names by id, of each kind to which others in documents refer. */
type Names = ReadonlyMap<EntityKind, ReadonlyMap<string, StoredName>>;

/** Kinds to which the entities of documents refer. Authenticators and enrollments, which name identities, are in none. */
const referredKinds = stateKinds.filter((kind) =>
  referenceFields.some(
    ({ from, field }) => stateKinds.some((each) => each === from.kind) && field.to === kind,
  ),
);

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
  const entities: [StateKind, readonly StoredEntity[]][] = [];
  for (const kind of stateKinds) entities.push([kind, await all(kind)]);
  return {
    // Sound because every kind is among them.
    entities: Object.fromEntries(entities) as unknown as StoredState['entities'],
    ids: new Map(
      [...names].map(([kind, byId]) => [kind, new Map([...byId].map(([id, name]) => [name, id]))]),
    ),
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
        states: page.map(({ state }) =>
          reader.isAdmin ? state : forReaders(entityNamed(kind).fields, state),
        ),
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

async function namesFor(needs: AdminServices, reader: ListReader): Promise<Names> {
  const names = new Map<EntityKind, ReadonlyMap<string, StoredName>>();
  for (const kind of referredKinds) {
    const all = (await Array.fromAsync(pagesOf(listOf(kind, needs), reader))).flat();
    names.set(kind, new Map(all.map(({ id, name }) => [id, name])));
  }
  return names;
}

/** Each kind has a name. */
type Listed = Pick<StoredEntity, 'id' | 'updatedAt'> & Pick<NamedState, 'name'>;

function listOf(kind: StateKind, needs: AdminServices): ListOf<Listed> {
  if (kind === 'identity') return (query) => needs.store.identities.list(query);
  // Sound because the entities that a document has, have names.
  return (query) => rulesOf[kind].list(needs, query) as Promise<Page<unknown>> as Promise<Page<Listed>>;
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
    const page = await listOf(kind, needs)(query);
    const items = page.items.map((stored) => {
      const { id, updatedAt } = stored;
      return { id, updatedAt, state: stateOf(entityNamed(kind), { ...sent(stored), id }, names) };
    });
    return { ...page, items };
  };
}

function withSecret({ vault }: AdminServices, signer: ExternalJwtSigner): object {
  return { ...signer, clientSecret: openClientSecret(vault, signer) };
}

/** Whether an identity is disabled now. A time in the past no longer says anything about it. */
function withDisabled(identity: Identity, now: Millis): Identity & { readonly disabled: boolean } {
  const disabled = isDisabled(identity, now);
  return { ...identity, disabled, disabledUntil: disabled ? identity.disabledUntil : null };
}

/** A reference to a deleted entity stays an id, which names nothing. */
function stateOf(entity: Entity, stored: object & { readonly id: string }, names: Names): NamedState {
  const reference = (to: EntityKind, id: string) => names.get(to)?.get(id) ?? id;
  const members = translated(entity.fields, stored, { from: 'name', reference });
  // Sound because every kind has a name.
  return { ...(entity.hasChosenId && { id: stored.id }), ...members } as NamedState;
}
