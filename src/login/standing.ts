// Whether what was proven still counts: asked for a login before its code is issued, and for a session when its code is
// redeemed, at each refresh and at each call. Administrators' changes take effect at once. Pure, from memory. Callers
// have already checked that the identity is enabled and the session has not ended.

import { allowsMethod, allowsSigner } from '../model/account.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import type { CaId, SignerId } from '../model/ids.ts';
import type { PassedMethod, PrimaryMethod } from '../model/login.ts';
import type { TrustedAuthorities } from './certificate/trusted-authorities.ts';
import type { SignerDirectory } from './external-jwt/signer-directory.ts';
import { askedOfSessions, outstandingFactors } from './outstanding-factors.ts';

export interface StandingNeeds {
  readonly signers: SignerDirectory;
  readonly authorities: TrustedAuthorities;
}

/** What a login or a session depends on. `LoginProgress` and `ApiSession` both have it. */
export interface Opening {
  /** The primary method first. */
  readonly passed: readonly PassedMethod[];
  /** The signer of the external JWT that was the primary proof. */
  readonly signerId: SignerId | null;
  /** The third-party authority of the certificate that was the primary proof. */
  readonly caId: CaId | null;
}

export type OpeningObjection =
  | 'method-not-allowed'
  | 'signer-disabled'
  | 'signer-not-allowed'
  | 'authority-disabled';

/**
 * Why the primary proof would not be accepted today; null when it would. A session continues for as long as it is used,
 * and whoever vouched for it must stay trusted that long.
 */
export function openingObjection(
  needs: StandingNeeds,
  policy: Pick<AuthPolicy, 'primary'>,
  { passed, signerId, caId }: Opening,
): OpeningObjection | null {
  const method = passed[0] as PrimaryMethod;
  if (!allowsMethod(policy, method)) return 'method-not-allowed';
  if (method === 'ext-jwt') return signerObjection(needs, policy, signerId);
  if (caId !== null && needs.authorities.find(caId) === undefined) return 'authority-disabled';
  return null;
}

/** Why a signer may not open a login or session under this policy; null when it may. */
export function signerObjection(
  { signers }: Pick<StandingNeeds, 'signers'>,
  policy: Pick<AuthPolicy, 'primary'>,
  signerId: SignerId | null,
): 'signer-disabled' | 'signer-not-allowed' | null {
  const signer = signerId === null ? undefined : signers.find(signerId);
  if (signer === undefined || !signer.enabled) return 'signer-disabled';
  return allowsSigner(policy, signer.id) ? null : 'signer-not-allowed';
}

/**
 * Why a session would not be opened today: its primary proof no longer counts, or the policy requires a factor that was
 * never proven. Null when it would be.
 */
export function standingObjection(
  needs: StandingNeeds,
  { policy }: { readonly policy: Pick<AuthPolicy, 'primary' | 'secondary'> },
  session: Opening,
): OpeningObjection | 'factors-outstanding' | null {
  const objection = openingObjection(needs, policy, session);
  if (objection !== null) return objection;
  // Enrollment alone requires a code at the next login, not of open sessions (spec 3.2).
  const outstanding = outstandingFactors(policy, askedOfSessions, session.passed);
  return outstanding.length === 0 ? null : 'factors-outstanding';
}
