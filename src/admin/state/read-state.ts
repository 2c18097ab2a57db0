// The stored entities as a document.

import { isDisabled } from '../../model/account.ts';
import type { AuthPolicy } from '../../model/entities/auth-policy.ts';
import type { Ca } from '../../model/entities/ca.ts';
import type { ConfigType } from '../../model/entities/config-type.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { Identity } from '../../model/entities/identity.ts';
import type { OidcClient } from '../../model/entities/oidc-client.ts';
import { budgetOf, type ListQuery, type ListReader, type Page } from '../../model/list-query.ts';
import { type Clock, isoTime, type Millis } from '../../platform/clock.ts';
import { collected } from '../../platform/in-chunks.ts';
import type { StoreForCallers } from '../../store/contracts/store.ts';
import { refusedField } from '../acceptable-values.ts';
import { largestLimit } from '../list-parameters.ts';
import type {
  AuthPolicyState,
  CaState,
  ConfigTypeState,
  IdentityState,
  NamedState,
  OidcClientState,
  SignerState,
  StateKind,
} from './state.ts';

export interface ReadStateNeeds {
  readonly store: StoreForCallers<
    'authPolicies' | 'externalJwtSigners' | 'cas' | 'configTypes' | 'oidcClients' | 'identities'
  >;
  readonly clock: Clock;
}

/** A stored entity with its entry in the document. */
export interface StoredEntity {
  readonly id: string;
  readonly updatedAt: Millis;
  readonly state: NamedState;
}

export interface StoredState {
  readonly entities: Readonly<Record<StateKind, readonly StoredEntity[]>>;
  /** Ids by name, also of kinds that were not requested. */
  readonly policyIds: ReadonlyMap<string, string>;
  readonly signerIds: ReadonlyMap<string, string>;
}

/** What the entries of a document refer to by name, by id. */
interface Names {
  readonly policies: ReadonlyMap<string, string>;
  readonly signers: ReadonlyMap<string, string>;
}

/** Everything of these kinds, sorted by name. */
export async function readState(
  needs: ReadStateNeeds,
  kinds: ReadonlySet<StateKind>,
  reader: ListReader,
): Promise<StoredState> {
  const names = await namesFor(needs, reader);
  const all = async (kind: StateKind) =>
    kinds.has(kind) ? (await collected(pagesOf(entitiesOf[kind](needs, names), reader))).flat() : [];
  const idsByName = (byId: ReadonlyMap<string, string>) => new Map([...byId].map(([id, name]) => [name, id]));
  return {
    entities: {
      'auth-policy': await all('auth-policy'),
      'ext-jwt-signer': await all('ext-jwt-signer'),
      ca: await all('ca'),
      'config-type': await all('config-type'),
      'oidc-client': await all('oidc-client'),
      identity: await all('identity'),
    },
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
  needs: ReadStateNeeds,
  kinds: readonly StateKind[],
  reader: ListReader,
): AsyncGenerator<{ readonly kind: StateKind; readonly states: readonly NamedState[] }> {
  const names = await namesFor(needs, reader);
  for (const kind of kinds) {
    for await (const page of pagesOf(entitiesOf[kind](needs, names), reader))
      yield { kind, states: page.map(({ state }) => state) };
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

async function namesFor({ store }: ReadStateNeeds, reader: ListReader): Promise<Names> {
  const namesOf = async (list: ListOf<{ readonly id: string; readonly name: string }>) =>
    new Map((await collected(pagesOf(list, reader))).flat().map(({ id, name }) => [id, name] as const));
  return {
    policies: await namesOf((query) => store.authPolicies.list(query)),
    signers: await namesOf((query) => store.externalJwtSigners.list(query)),
  };
}

function entries<Entity extends { readonly id: string; readonly updatedAt: Millis }>(
  list: ListOf<Entity>,
  state: (entity: Entity) => NamedState,
): ListOf<StoredEntity> {
  return async (query) => {
    const page = await list(query);
    const items = page.items.map((entity) => ({
      id: entity.id,
      updatedAt: entity.updatedAt,
      state: state(entity),
    }));
    return { ...page, items };
  };
}

const entitiesOf: Readonly<Record<StateKind, (needs: ReadStateNeeds, names: Names) => ListOf<StoredEntity>>> =
  {
    'auth-policy': ({ store }, { signers }) =>
      entries(store.authPolicies.list, (policy) => authPolicyState(policy, signers)),
    'ext-jwt-signer': ({ store }, { policies }) =>
      entries(store.externalJwtSigners.list, (signer) => signerState(signer, policies)),
    ca: ({ store }) => entries(store.cas.list, caState),
    'config-type': ({ store }) => entries(store.configTypes.list, configTypeState),
    'oidc-client': ({ store }) => entries(store.oidcClients.list, oidcClientState),
    identity: ({ store, clock }, { policies }) =>
      entries(store.identities.list, (identity) => identityState(identity, policies, clock.now())),
  };

/** A reference to a deleted entity stays an id, which names nothing. */
const nameIn = (names: ReadonlyMap<string, string>, id: string): string => names.get(id) ?? id;

function authPolicyState(
  { name, primary, secondary, tags }: AuthPolicy,
  signers: ReadonlyMap<string, string>,
): AuthPolicyState {
  const { requireTotp, requireExtJwt } = secondary;
  const { cert, extJwt, updb } = primary;
  return {
    name,
    primary: {
      cert,
      extJwt: { ...extJwt, allowedSigners: extJwt.allowedSigners.map((id) => nameIn(signers, id)).sort() },
      updb,
    },
    secondary: {
      requireTotp,
      requireExtJwt: requireExtJwt === null ? null : nameIn(signers, requireExtJwt),
    },
    tags,
  };
}

function signerState(signer: ExternalJwtSigner, policies: ReadonlyMap<string, string>): SignerState {
  const {
    id: _id,
    createdAt: _created,
    updatedAt: _updated,
    fingerprint: _fingerprint,
    commonName: _commonName,
    notBefore: _notBefore,
    notAfter: _notAfter,
    enrollAuthPolicyId,
    ...members
  } = signer;
  return {
    ...members,
    enrollAuthPolicy: enrollAuthPolicyId === null ? null : nameIn(policies, enrollAuthPolicyId),
  };
}

function caState(ca: Ca): CaState {
  const { name, certPem, isAuthEnabled, isAutoCaEnrollmentEnabled, isOttCaEnrollmentEnabled } = ca;
  const { identityRoles, identityNameFormat, externalIdClaim, tags } = ca;
  const flags = { isAuthEnabled, isAutoCaEnrollmentEnabled, isOttCaEnrollmentEnabled };
  return { name, certPem, ...flags, identityRoles, identityNameFormat, externalIdClaim, tags };
}

function configTypeState({ id, name, tags }: ConfigType): ConfigTypeState {
  return { name, id, tags };
}

function oidcClientState({
  createdAt: _created,
  updatedAt: _updated,
  ...members
}: OidcClient): OidcClientState {
  return members;
}

function identityState(
  identity: Identity,
  policies: ReadonlyMap<string, string>,
  now: Millis,
): IdentityState {
  const { name, type, isAdmin, permissions, externalId, authPolicyId, roleAttributes, tags } = identity;
  const { passwordMustChange } = identity;
  const disabled = isDisabled(identity, now);
  const { disabledUntil } = identity;
  return {
    name,
    type,
    isAdmin,
    permissions,
    externalId,
    authPolicy: nameIn(policies, authPolicyId),
    passwordMustChange,
    roleAttributes,
    disabled,
    disabledUntil: disabled && disabledUntil !== null ? isoTime(disabledUntil) : null,
    tags,
  };
}
