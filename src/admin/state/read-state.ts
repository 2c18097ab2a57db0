// The stored entities as a document.

import { isDisabled } from '../../model/account.ts';
import type { AuthPolicy } from '../../model/auth-policy.ts';
import type { Ca } from '../../model/entities/ca.ts';
import type { ConfigType } from '../../model/entities/config-type.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { OidcClient } from '../../model/entities/oidc-client.ts';
import type { Identity } from '../../model/identity.ts';
import type { ListQuery } from '../../model/list-query.ts';
import { type Clock, isoTime, type Millis } from '../../platform/clock.ts';
import type { StoreForCallers } from '../../store/contracts/store.ts';
import type {
  AuthPolicyState,
  CaState,
  ConfigTypeState,
  IdentityState,
  NamedState,
  OidcClientState,
  SignerState,
  State,
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

const all: ListQuery = {
  filter: { op: 'and', terms: [] },
  sort: [{ field: 'name', descending: false }],
  limit: Number.MAX_SAFE_INTEGER,
  offset: 0,
};

/** Everything of these kinds, sorted by name. */
export async function readState(
  { store, clock }: ReadStateNeeds,
  kinds: ReadonlySet<StateKind>,
): Promise<StoredState> {
  const wanted = async <Entity>(
    kind: StateKind,
    list: () => Promise<{ readonly items: readonly Entity[] }>,
  ) => (kinds.has(kind) ? (await list()).items : []);
  const policies = (await store.authPolicies.list(all)).items;
  const signers = (await store.externalJwtSigners.list(all)).items;
  const policyNames = new Map<string, string>(policies.map(({ id, name }) => [id, name]));
  const signerNames = new Map<string, string>(signers.map(({ id, name }) => [id, name]));
  const now = clock.now();
  const entitiesOf = <Entity extends { readonly id: string; readonly updatedAt: Millis }>(
    entities: readonly Entity[],
    state: (entity: Entity) => NamedState,
  ) => entities.map((entity) => ({ id: entity.id, updatedAt: entity.updatedAt, state: state(entity) }));
  return {
    entities: {
      'auth-policy': kinds.has('auth-policy')
        ? entitiesOf(policies, (policy) => authPolicyState(policy, signerNames))
        : [],
      'ext-jwt-signer': kinds.has('ext-jwt-signer')
        ? entitiesOf(signers, (signer) => signerState(signer, policyNames))
        : [],
      ca: entitiesOf(await wanted('ca', () => store.cas.list(all)), caState),
      'config-type': entitiesOf(
        await wanted('config-type', () => store.configTypes.list(all)),
        configTypeState,
      ),
      'oidc-client': entitiesOf(
        await wanted('oidc-client', () => store.oidcClients.list(all)),
        oidcClientState,
      ),
      identity: entitiesOf(await wanted('identity', () => store.identities.list(all)), (identity) =>
        identityState(identity, policyNames, now),
      ),
    },
    policyIds: new Map(policies.map(({ id, name }) => [name, id])),
    signerIds: new Map(signers.map(({ id, name }) => [name, id])),
  };
}

/** The document of these kinds, without secrets. */
export async function exportState(needs: ReadStateNeeds, kinds: readonly StateKind[]): Promise<State> {
  const { entities } = await readState(needs, new Set(kinds));
  return Object.fromEntries(kinds.map((kind) => [kind, entities[kind].map(({ state }) => state)]));
}

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
