// Turns the names of policies and signers in a document into the ids that the rules of single entities take.

import type { AuthPolicyPatch } from '../../model/entities/auth-policy.ts';
import type { Change } from '../../model/entities/entity.ts';
import type { externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import { type AuthPolicyId, asId, type SignerId } from '../../model/ids.ts';
import type { Random } from '../../platform/random.ts';
import { refusedField } from '../acceptable-values.ts';
import type { IdentityFields } from '../identities.ts';
import type { StoredEntity, StoredState } from './read-state.ts';
import type { AuthPolicyState, IdentityState, NamedState, SignerState, StateKind } from './state.ts';

/** An entity of the document with its stored counterpart. */
export interface Matched {
  readonly kind: StateKind;
  readonly given: NamedState;
  readonly stored: StoredEntity | undefined;
}

/** Ids by name, of stored entities and of those that will be created: policies and signers refer to one another. */
export interface References {
  /** The id that a new policy or signer will have. */
  plannedId(kind: StateKind, name: string): string;
  /** Whether there is, or will be, a policy or signer with this id. */
  isKnown(id: string): boolean;
  /** @throws AuthError could_not_validate */
  policyId(field: string, name: string): AuthPolicyId;
  /** @throws AuthError could_not_validate */
  signerId(field: string, name: string): SignerId;
}

export function referencesOf(
  random: Random,
  matched: readonly Matched[],
  current: Pick<StoredState, 'policyIds' | 'signerIds'>,
): References {
  const policies = new Map(current.policyIds);
  const signers = new Map(current.signerIds);
  for (const { kind, given, stored } of matched) {
    if (stored !== undefined) continue;
    if (kind === 'auth-policy') policies.set(given.name, random.id());
    if (kind === 'ext-jwt-signer') signers.set(given.name, random.id());
  }
  const known = new Set([...policies.values(), ...signers.values()]);
  const idOf =
    (ids: ReadonlyMap<string, string>, what: string) =>
    (field: string, name: string): string => {
      const id = ids.get(name);
      if (id === undefined) throw refusedField(field, `names no ${what}`, name);
      return id;
    };
  const policyNamed = idOf(policies, 'auth policy');
  const signerNamed = idOf(signers, 'external JWT signer');
  return {
    plannedId: (kind, name) => (kind === 'auth-policy' ? policies : signers).get(name) ?? random.id(),
    isKnown: (id) => known.has(id),
    policyId: (field, name) => asId(policyNamed(field, name)),
    signerId: (field, name) => asId(signerNamed(field, name)),
  };
}

export function policyFields(
  references: References,
  { primary, secondary, ...others }: Partial<AuthPolicyState>,
): AuthPolicyPatch {
  return {
    ...others,
    ...(primary === undefined ? {} : { primary: primaryOf(references, primary) }),
    ...(secondary === undefined ? {} : { secondary: secondaryOf(references, secondary) }),
  };
}

function primaryOf(
  references: References,
  { extJwt, ...methods }: NonNullable<AuthPolicyState['primary']>,
): NonNullable<AuthPolicyPatch['primary']> {
  if (extJwt === undefined) return methods;
  const allowedSigners = extJwt.allowedSigners?.map((name) =>
    references.signerId('primary.extJwt.allowedSigners', name),
  );
  return { ...methods, extJwt: { ...extJwt, allowedSigners } };
}

function secondaryOf(
  references: References,
  { requireTotp, requireExtJwt }: NonNullable<AuthPolicyState['secondary']>,
): NonNullable<AuthPolicyPatch['secondary']> {
  const required =
    typeof requireExtJwt === 'string'
      ? references.signerId('secondary.requireExtJwt', requireExtJwt)
      : requireExtJwt;
  return { requireTotp, requireExtJwt: required };
}

export function signerFields(
  references: References,
  { enrollAuthPolicy, ...others }: Partial<SignerState>,
): Change<typeof externalJwtSignerEntity> {
  if (enrollAuthPolicy === undefined) return others;
  const enrollAuthPolicyId =
    enrollAuthPolicy === null ? null : references.policyId('enrollAuthPolicy', enrollAuthPolicy);
  return { ...others, enrollAuthPolicyId };
}

/** Without the disabled state, which is not a field: changing it ends sessions. */
export function identityFields(
  references: References,
  { authPolicy, disabled: _disabled, disabledUntil: _until, ...others }: Partial<IdentityState>,
): IdentityFields {
  if (authPolicy === undefined) return others;
  return { ...others, authPolicyId: references.policyId('authPolicy', authPolicy) };
}
