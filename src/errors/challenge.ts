// Challenges of a 401 (spec 7.2). Values here; http/request/challenges.ts prints them as header lines.

import { proofAlgorithms } from '../model/tokens.ts';
import { type Millis, SECOND, type Seconds } from '../platform/clock.ts';

export type ChallengeError = 'missing' | 'invalid' | 'expired';

/** The token is good, and its login is too long ago for this call (RFC 9470 section 3). */
export type StepUpError = 'insufficient_user_authentication';

/** The error of a challenge to a caller with a DPoP token (RFC 6750 section 3.1, RFC 9449 section 7.1). */
export type DpopError = 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce';

export interface Challenge {
  readonly scheme: 'Bearer' | 'DPoP' | 'zt-session';
  readonly realm: 'overlay-oidc' | 'zt-session' | 'overlay-primary-ext-jwt' | 'overlay-secondary-ext-jwt';
  readonly error: ChallengeError | DpopError | StepUpError;
  readonly errorDescription: string;
  /** External JWT signer id, or several joined by `|`; for the external JWT realms. */
  readonly id?: string;
  /** The issuer that the signer expects, in the same order as `id`. */
  readonly issuer?: string;
  /** How old the login may be; for a step-up. */
  readonly maxAge?: Seconds;
  /** Signature algorithms of proofs, separated by spaces; for DPoP. */
  readonly algs?: string;
}

const descriptions: Record<ChallengeError, string> = {
  missing: 'no matching token was provided',
  invalid: 'token is invalid',
  expired: 'token is expired',
};

/** The OIDC access token is lacking or was refused. @param isBound whether it was sent as a key-bound token */
export function oidcChallenge(error: ChallengeError, isBound = false): Challenge {
  if (isBound) return dpopChallenge('invalid_token', descriptions[error]);
  return { scheme: 'Bearer', realm: 'overlay-oidc', error, errorDescription: descriptions[error] };
}

/** The token of a caller that proves a key, or the proof, was refused. */
export function dpopChallenge(error: DpopError, errorDescription: string): Challenge {
  return { scheme: 'DPoP', realm: 'overlay-oidc', error, errorDescription, algs: proofAlgorithms.join(' ') };
}

/** The legacy session token is lacking or was refused. */
export function ztSessionChallenge(error: ChallengeError): Challenge {
  return { scheme: 'zt-session', realm: 'zt-session', error, errorDescription: descriptions[error] };
}

/** The caller must prove once more who they are. @param maxAge how old the login may be (RFC 9470 section 3) */
export function freshProofChallenge(
  { mechanism, provesKey }: { readonly mechanism: 'oidc' | 'legacy'; readonly provesKey?: boolean },
  maxAge: Millis,
): Challenge {
  return {
    ...(mechanism === 'oidc' ? oidcChallenge('invalid', provesKey) : ztSessionChallenge('invalid')),
    error: 'insufficient_user_authentication',
    errorDescription: 'a fresh proof is needed',
    maxAge: maxAge / SECOND,
  };
}

/** With no supported token at all, both mechanisms are named, `zt-session` first (spec 7.2 rule 1). */
export const noTokenChallenges: readonly Challenge[] = [
  ztSessionChallenge('missing'),
  oidcChallenge('missing'),
];

/** An external JWT signer in a challenge. */
export interface ChallengeSigner {
  readonly id: string;
  readonly issuer: string;
}

/** A primary external JWT is lacking or was refused (spec 7.2 rule 3). @param signers all that would do, or none */
export function primaryExtJwtChallenge(
  error: ChallengeError,
  signers: readonly ChallengeSigner[],
): Challenge {
  return extJwtChallenge('overlay-primary-ext-jwt', error, signers);
}

/** The external JWT that the policy requires besides is lacking or was refused (spec 7.2 rule 4). */
export function secondaryExtJwtChallenge(
  error: ChallengeError,
  signers: readonly ChallengeSigner[],
): Challenge {
  return extJwtChallenge('overlay-secondary-ext-jwt', error, signers);
}

function extJwtChallenge(
  realm: 'overlay-primary-ext-jwt' | 'overlay-secondary-ext-jwt',
  error: ChallengeError,
  signers: readonly ChallengeSigner[],
): Challenge {
  const challenge = { scheme: 'Bearer', realm, error, errorDescription: descriptions[error] } as const;
  if (signers.length === 0) return challenge;
  return {
    ...challenge,
    id: signers.map(({ id }) => id).join('|'),
    issuer: signers.map(({ issuer }) => issuer).join('|'),
  };
}
