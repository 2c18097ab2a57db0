// Whether the proofs of a login or session still count: asked before a login's code is issued, when the code is
// redeemed, at each refresh and at each call. Administrators' changes take effect at once. Pure, from memory. Callers
// have already checked that the identity is enabled and the session has not ended.

import {
  allowsMethod,
  allowsSigner,
  areIndependent,
  lacksVerification,
  mayPasskeyOpen,
} from '../model/account.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import { asId, type CaId, type SignerId } from '../model/ids.ts';
import type { PassedMethod, PrimaryMethod, ProvenFactors } from '../model/login.ts';
import type { TrustedAuthorities } from './certificate/trusted-authorities.ts';
import { enabledSigner, type SignerDirectory } from './external-jwt/signer-directory.ts';
import { askedOfSessions, outstandingFactors } from './outstanding-factors.ts';

export interface StandingNeeds {
  readonly signers: SignerDirectory;
  readonly authorities: TrustedAuthorities;
}

/** The proofs that a login or a session depends on. `LoginProgress` and `ApiSession` both have them. */
export interface Opening {
  /** The primary method first. */
  readonly passed: readonly PassedMethod[];
  /** The signer of the external JWT that was the primary proof. */
  readonly signerId: SignerId | null;
  /** The third-party authority of the certificate that was the primary proof. */
  readonly caId: CaId | null;
}

type SignerObjection = 'signer-disabled' | 'signer-not-allowed' | 'signer-not-independent';
export type OpeningObjection =
  | 'method-not-allowed'
  | SignerObjection
  | 'passkey-not-independent'
  | 'passkey-unverified'
  | 'authority-disabled';

/**
 * THE value of what counts: an external JWT only of an enabled signer that neither is nor shares an issuer with the opening
 * one, and a passkey only after a method that is none.
 */
export function provenFactors(
  { signers }: Pick<StandingNeeds, 'signers'>,
  { passed, signerId }: Pick<Opening, 'passed' | 'signerId'>,
): ProvenFactors {
  const opening = signerId === null ? undefined : signers.find(signerId);
  const counts = (method: PassedMethod) => {
    if (method.startsWith('passkey:')) return passed[0] !== 'passkey';
    if (!method.startsWith('ejs:')) return true;
    const signer = enabledSigner(signers, asId(method.slice(4)));
    return signer !== undefined && (opening === undefined || areIndependent(signer, opening));
  };
  return passed.filter(counts) as readonly PassedMethod[] as ProvenFactors;
}

/**
 * Why the primary proof would not be accepted today; null when it would. A session continues for as long as it is used,
 * and the authority or provider that vouched for it must stay trusted that long.
 */
export function openingObjection(
  needs: StandingNeeds,
  policy: Pick<AuthPolicy, 'primary' | 'secondary'>,
  { passed, signerId, caId }: Opening,
): OpeningObjection | null {
  const method = passed[0] as PrimaryMethod;
  if (!allowsMethod(policy, method)) return 'method-not-allowed';
  if (method === 'passkey' && !mayPasskeyOpen(policy)) return 'passkey-not-independent';
  if (method === 'passkey' && lacksVerification(policy, 'first', passed)) return 'passkey-unverified';
  if (method === 'ext-jwt') return signerObjection(needs, policy, signerId);
  if (caId !== null && needs.authorities.find(caId) === undefined) return 'authority-disabled';
  return null;
}

/**
 * Why a signer may not open a login or session under this policy; null when it may. What the policy requires as the
 * second proof is none if its issuer has opened the login: two tokens of one account there prove one thing.
 */
export function signerObjection(
  { signers }: Pick<StandingNeeds, 'signers'>,
  policy: Pick<AuthPolicy, 'primary' | 'secondary'>,
  signerId: SignerId | null,
): SignerObjection | null {
  const signer = signerId === null ? undefined : enabledSigner(signers, signerId);
  if (signer === undefined) return 'signer-disabled';
  if (!allowsSigner(policy, signer.id)) return 'signer-not-allowed';
  const { requireExtJwt } = policy.secondary;
  const second = requireExtJwt === null ? undefined : signers.find(requireExtJwt);
  return second === undefined || areIndependent(signer, second) ? null : 'signer-not-independent';
}

/**
 * Why a session would not be opened today: its primary proof no longer counts, or the policy requires a factor that was
 * never proven. Null when it would be.
 */
export function standingObjection(
  needs: StandingNeeds,
  { policy }: { policy: Pick<AuthPolicy, 'primary' | 'secondary'> },
  session: Opening,
): OpeningObjection | 'factors-outstanding' | null {
  const objection = openingObjection(needs, policy, session);
  if (objection !== null) return objection;
  // Enrollment alone requires a code at the next login, not of open sessions (spec 3.2).
  const outstanding = outstandingFactors(policy, askedOfSessions, provenFactors(needs, session));
  return outstanding.length === 0 ? null : 'factors-outstanding';
}
