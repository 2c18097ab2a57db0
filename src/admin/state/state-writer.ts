// Passes one entity of a document through the rules of its kind.

import type { Identity } from '../../model/entities/identity.ts';
import { asId } from '../../model/ids.ts';
import type { Store } from '../../store/contracts/store.ts';
import { refusedField } from '../acceptable-values.ts';
import type { AdminCall } from '../admin-call.ts';
import { type AuthPolicyNeeds, authPolicies } from '../auth-policies.ts';
import { type CaNeeds, cas } from '../cas.ts';
import { type ConfigTypeNeeds, configTypes } from '../config-types.ts';
import { type Disabling, disablingPatch } from '../disabling.ts';
import { type SignerNeeds, signers } from '../external-jwt-signers.ts';
import {
  createIdentity,
  deleteIdentity,
  type IdentityNeeds,
  recordDisabling,
  updateIdentity,
} from '../identities.ts';
import { type OidcClientNeeds, oidcClients } from '../oidc-clients.ts';
import { changedMembers } from './difference.ts';
import type { StoredEntity } from './read-state.ts';
import { identityFields, policyFields, type References, signerFields } from './references.ts';
import type {
  AuthPolicyState,
  CaState,
  ConfigTypeState,
  IdentityState,
  MemberChange,
  NamedState,
  OidcClientState,
  SignerState,
  StateKind,
} from './state.ts';

type NewSigner = Parameters<typeof signers.create>[2];
type NewCa = Parameters<typeof cas.create>[2];
type NewClient = Parameters<typeof oidcClients.create>[2];

export type WriterNeeds = IdentityNeeds &
  AuthPolicyNeeds &
  SignerNeeds &
  CaNeeds &
  ConfigTypeNeeds &
  OidcClientNeeds;

export interface WriterScope {
  readonly needs: WriterNeeds;
  readonly by: AdminCall;
  /** Collects the changes, and reads what is stored. */
  readonly store: Store;
  readonly references: References;
}

/** @param store collects the changes */
export function writerScope(
  given: WriterNeeds,
  by: AdminCall,
  { store, references }: { readonly store: Store; readonly references: References },
): WriterScope {
  const find: Store['authPolicies']['find'] = async (id) => {
    const found = await store.authPolicies.find(id);
    // For an entity that is still to be created, callers ask only whether it exists.
    return found ?? (references.isKnown(id) ? ({ id } as NonNullable<typeof found>) : null);
  };
  const needs = {
    ...given,
    store: { ...store, authPolicies: { ...store.authPolicies, find } },
    signerExists: async (id: string) => references.isKnown(id) || (await given.signerExists(id)),
  };
  return { needs, by, store, references };
}

export async function createEntity(scope: WriterScope, kind: StateKind, state: NamedState): Promise<void> {
  const { needs, by, references } = scope;
  const planned = (): WriterNeeds => ({
    ...needs,
    random: { ...needs.random, id: () => references.plannedId(kind, state.name) },
  });
  if (kind === 'auth-policy') {
    const fields = policyFields(references, state as AuthPolicyState);
    await authPolicies.create(planned(), by, { ...fields, name: state.name });
  } else if (kind === 'ext-jwt-signer') {
    const fields = signerFields(references, state as SignerState);
    await signers.create(planned(), by, complete<NewSigner>(fields, ['issuer', 'audience']));
  } else if (kind === 'ca') {
    await cas.create(needs, by, complete(state as CaState, ['certPem']) as NewCa);
  } else if (kind === 'config-type') {
    await configTypes.create(needs, by, state as ConfigTypeState);
  } else if (kind === 'oidc-client') {
    await oidcClients.create(needs, by, complete(state as OidcClientState, ['type']) as NewClient);
  } else {
    const fields = { ...identityFields(references, state as IdentityState), name: state.name };
    const id = await createIdentity(needs, by, { fields });
    const now = needs.clock.now();
    const enabled = { disabledAt: null, disabledUntil: null };
    const disabling = disablingPatch(enabled, disablingOf(state as IdentityState), { now });
    if (disabling === null) return;
    await scope.store.identities.update(asId(id), disabling, now);
    const before = { ...enabled, id } as Identity;
    recordDisabling(needs, by, { before, ...disabling });
  }
}

export async function changeEntity(
  scope: WriterScope,
  kind: StateKind,
  {
    stored: { id },
    given,
  }: {
    readonly stored: StoredEntity;
    readonly given: { readonly state: NamedState; readonly changes: readonly MemberChange[] };
  },
): Promise<void> {
  const { needs, by, references } = scope;
  const members = changedMembers(given.state, given.changes);
  if (kind === 'auth-policy')
    await authPolicies.update(needs, by, { id, fields: policyFields(references, members) });
  else if (kind === 'ext-jwt-signer')
    await signers.update(needs, by, { id, fields: signerFields(references, members) });
  else if (kind === 'ca') await cas.update(needs, by, { id, fields: members as CaState });
  else if (kind === 'config-type')
    await configTypes.update(needs, by, { id, fields: withSameId<ConfigTypeState>(members) });
  else if (kind === 'oidc-client')
    await oidcClients.update(needs, by, { id, fields: withSameId<OidcClientState>(members) });
  else {
    const isDisabling = 'disabled' in members || 'disabledUntil' in members;
    const disabling = isDisabling ? disablingOf(given.state as IdentityState) : {};
    const fields = { ...identityFields(references, members), ...disabling };
    await updateIdentity(needs, by, { id, fields });
  }
}

/** Makes a signer that will be deleted release the policy that it enrolls with. */
export async function releaseSigner({ needs, store }: WriterScope, id: string): Promise<void> {
  await store.externalJwtSigners.update(asId(id), { enrollAuthPolicyId: null }, needs.clock.now());
}

export async function removeEntity({ needs, by }: WriterScope, kind: StateKind, id: string): Promise<void> {
  if (kind === 'auth-policy') await authPolicies.remove(needs, by, id);
  else if (kind === 'ext-jwt-signer') await signers.remove(needs, by, id);
  else if (kind === 'ca') await cas.remove(needs, by, id);
  else if (kind === 'config-type') await configTypes.remove(needs, by, id);
  else if (kind === 'oidc-client') await oidcClients.remove(needs, by, id);
  else await deleteIdentity(needs, by, id);
}

/** What a document says of disabling, both members: which of them changed does not tell what is meant. */
function disablingOf({ disabled, disabledUntil: until }: Partial<IdentityState>): Disabling {
  return { disabled, disabledUntil: typeof until === 'string' ? Date.parse(until) : until };
}

/** The fields of a new entity. @throws AuthError could_not_validate   a field without a default is missing */
function complete<Fields extends object>(
  fields: object,
  required: readonly (keyof Fields & string)[],
): Fields {
  const given = fields as Fields;
  for (const name of required)
    if (given[name] === undefined) throw refusedField(name, 'is required for a new one');
  return given;
}

function withSameId<State extends { readonly id?: string | undefined }>(
  members: object,
): Partial<Omit<State, 'id'>> {
  const { id, ...others } = members as State;
  if (id !== undefined) throw refusedField('id', 'cannot be changed', id);
  return others as Partial<Omit<State, 'id'>>;
}
