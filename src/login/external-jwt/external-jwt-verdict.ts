import type { ChallengeError } from '../../errors/challenge.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { SignerId } from '../../model/ids.ts';
import type { AttemptRecorder } from '../../model/login-attempt.ts';
import type { RefusalReason } from '../../model/refusal-reason.ts';
import type { Claims } from './claims-selector.ts';
import type { SignerDirectory } from './signer-directory.ts';

/**
 * Why a token was refused, in the order of the checks. For administrators; the outside sees only `outward`. Every
 * reason before `token-expired` is about a token whose signature was not verified.
 */
const order = [
  'malformed-token',
  'token-encrypted',
  'token-unsigned',
  'token-without-issuer',
  'no-signer-for-issuer',
  'token-type',
  'token-algorithm',
  'token-audience',
  'token-without-expiry',
  'token-without-issue-time',
  'token-times',
  'token-lifetime',
  'keys-unavailable',
  'signer-certificate-expired',
  'token-without-key-id',
  'unknown-key',
  'unusable-key',
  'key-algorithm',
  'token-signature',
  'token-expired',
  'token-not-yet-valid',
  'token-claim-missing',
  'email-not-verified',
  'ambiguous-signer',
] as const satisfies readonly RefusalReason[];

export type ExternalJwtRefusal = (typeof order)[number];

export type ExternalJwtVerdict = ValidExternalJwt | RefusedExternalJwt;

export interface ValidExternalJwt {
  readonly verdict: 'valid';
  readonly signer: ExternalJwtSigner;
  /** The value that names the identity, either its `externalId` or its id: `signer.useExternalId` decides. */
  readonly claim: string;
  readonly claims: Claims;
}

export interface RefusedExternalJwt {
  readonly verdict: 'refused';
  readonly reason: ExternalJwtRefusal;
  /** The signer whose checks got furthest; null if none was found. */
  readonly signerId: SignerId | null;
  /** In words for administrators, with the values of the token that they need to compare. */
  readonly saw: string;
  /** The error of the challenge (spec 7.2). `expired` only if the token's signature is valid. */
  readonly outward: ChallengeError;
}

/** @param saw values of the token are `quoted` */
export function refused(
  reason: ExternalJwtRefusal,
  saw: string,
  signerId: SignerId | null = null,
): RefusedExternalJwt {
  return { verdict: 'refused', reason, signerId, saw, outward: outwardOf(reason) };
}

function outwardOf(reason: ExternalJwtRefusal): ChallengeError {
  if (reason === 'token-expired') return 'expired';
  // A token of an issuer that was not asked for does not count as the required one.
  return reason === 'no-signer-for-issuer' ? 'missing' : 'invalid';
}

/** Of several refusals, the one that got furthest through the checks; of equal ones, the first. */
export function furthest(one: RefusedExternalJwt, other: RefusedExternalJwt): RefusedExternalJwt {
  return order.indexOf(other.reason) > order.indexOf(one.reason) ? other : one;
}

/** Orders the refusals of several tokens: those that got furthest come first. Null, no refusal, got furthest. */
export function furtherThan(one: RefusedExternalJwt | null, other: RefusedExternalJwt | null): number {
  const stage = (refusal: RefusedExternalJwt | null) =>
    refusal === null ? order.length : order.indexOf(refusal.reason);
  return stage(other) - stage(one);
}

/** One error of the challenge for all refused tokens of a request; `missing` when there were none. */
export function challengeErrorOf(refusals: readonly RefusedExternalJwt[]): ChallengeError {
  const said = new Set(refusals.map(({ outward }) => outward));
  if (said.has('expired')) return 'expired';
  return said.has('invalid') ? 'invalid' : 'missing';
}

/** Records why a token was refused, and by which signer. */
export function recordRefusal(
  signers: SignerDirectory,
  attempt: AttemptRecorder,
  { reason, signerId, saw }: RefusedExternalJwt,
): void {
  const signer = signerId === null ? undefined : signers.find(signerId);
  attempt.failed('token', reason, signer === undefined ? saw : `signer ${signer.name}: ${saw}`);
}
