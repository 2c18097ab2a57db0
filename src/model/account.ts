// An account, and what its identity and its policy alone decide.

import type { Millis } from '../platform/clock.ts';
import type { AuthPolicy } from './entities/auth-policy.ts';
import type { ExternalJwtSigner } from './entities/external-jwt-signer.ts';
import type { Identity } from './entities/identity.ts';
import type { SignerId } from './ids.ts';
import type { PassedMethod, PrimaryMethod } from './login.ts';
import type { Passkey } from './passkey.ts';

/** An identity with everything that decides about its logins and calls, at one moment. */
export interface Account {
  readonly identity: Identity;
  readonly policy: AuthPolicy;
  readonly isTotpEnrolled: boolean;
  readonly hasPasskey: boolean;
  /** Null when it has none. */
  readonly password: { readonly username: string; readonly setAt: Millis } | null;
}

/** Whether the identity may neither authenticate nor use its sessions and tokens. */
export function isDisabled(identity: Pick<Identity, 'disabledAt' | 'disabledUntil'>, now: Millis): boolean {
  if (identity.disabledAt === null) return false;
  return identity.disabledUntil === null || now < identity.disabledUntil;
}

const ruleOf = { password: 'updb', cert: 'cert', 'ext-jwt': 'extJwt', passkey: 'passkey' } as const;

/** Whether the policy allows a primary method at all. */
export function allowsMethod({ primary }: Pick<AuthPolicy, 'primary'>, method: PrimaryMethod): boolean {
  return primary[ruleOf[method]].allowed;
}

/** Whether the policy accepts a signer's tokens as the primary proof. */
export function allowsSigner({ primary }: Pick<AuthPolicy, 'primary'>, id: SignerId): boolean {
  const { allowedSigners } = primary.extJwt;
  return allowedSigners.length === 0 || allowedSigners.includes(id);
}

/**
 * Whether an authenticator has to know its owner, by PIN, finger or face: where it counts as one factor, as the policy says;
 * where it counts as both, always.
 */
export function userVerificationOf(
  { primary: { passkey } }: Pick<AuthPolicy, 'primary'>,
  proof: 'first' | 'second',
): AuthPolicy['primary']['passkey']['userVerification'] {
  return proof === 'first' && passkey.satisfiesSecondary ? 'required' : passkey.userVerification;
}

/** Whether the passkey of a login did not prove its owner, and the policy requires that. */
export function lacksVerification(
  policy: Pick<AuthPolicy, 'primary'>,
  proof: 'first' | 'second',
  passed: readonly PassedMethod[],
): boolean {
  return passed.includes('user') && userVerificationOf(policy, proof) === 'required';
}

/**
 * Whether a passkey may open a login under this policy. What the policy requires as the second proof is none if another
 * passkey of the same person has opened the login, unless the policy says so.
 */
export function mayPasskeyOpen({ primary, secondary }: Pick<AuthPolicy, 'primary' | 'secondary'>): boolean {
  return primary.passkey.allowed && (!secondary.requirePasskey || primary.passkey.satisfiesSecondary);
}

/** Whether a passkey proves anything under this policy, as the first or the second proof. */
export function takesPasskeys({ primary, secondary }: Pick<AuthPolicy, 'primary' | 'secondary'>): boolean {
  return primary.passkey.allowed || secondary.requirePasskey;
}

/** Whether a passkey is of a model that the policy allows, and its maker has vouched for that. */
export function isAllowedModel(
  { primary }: Pick<AuthPolicy, 'primary'>,
  { aaguid, isModelProven }: Pick<Passkey, 'aaguid' | 'isModelProven'>,
): boolean {
  const { allowedAuthenticators: allowed } = primary.passkey;
  return allowed.length === 0 || (isModelProven && allowed.includes(aaguid));
}

/** Whether the tokens of two signers are two factors: those of one issuer prove one thing, however many signers it has. */
export function areIndependent(
  one: Pick<ExternalJwtSigner, 'id' | 'issuer'>,
  other: Pick<ExternalJwtSigner, 'id' | 'issuer'>,
): boolean {
  return one.id !== other.id && one.issuer !== other.issuer;
}
