import type { ChallengeError } from '../../errors/challenge.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { SignerId } from '../../model/ids.ts';
import type { Claims } from './claims-selector.ts';

/**
 * Why a token was refused, in the order of the checks. For administrators; the outside sees only `outward`. Every
 * reason before `expired` is about a token whose signature was not verified.
 */
export const externalJwtRefusals = {
  malformed: 'the token is not a signed JWT of an accepted form',
  'no-signer-for-issuer': 'no enabled signer has the issuer of the token',
  algorithm: 'the signature algorithm is not accepted, or not with the key that the token names',
  audience: 'the audience of the signer is not among the audiences of the token',
  'missing-exp': 'the token has no expiration time',
  'missing-iat': 'the ID token does not say when it was issued',
  'time-claims': 'exp, nbf or iat is not a whole number of seconds, or they contradict one another',
  lifetime: 'the token is valid for longer than the signer allows, or does not say since when',
  'keys-unavailable':
    'the keys of the signer could not be fetched, or its certificate contains none that is accepted',
  'certificate-expired': 'the certificate of the signer is not valid now',
  'unknown-key':
    'the signer has no key with the key id of the token, or no single one for a token without a key id',
  signature: 'the signature is not that of the key',
  expired: 'the token is past its expiration',
  'not-yet-valid': 'the token is not valid yet, or was issued in the future',
  'claim-missing': 'the claim that names the identity is missing, empty, too long or not a text',
  'email-not-verified': 'the claim is an email address that the issuer does not call verified',
  'ambiguous-signer': 'several signers accept the token',
} as const;

export type ExternalJwtRefusal = keyof typeof externalJwtRefusals;

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
  /** More for administrators; contains nothing from the token. */
  readonly detail: string | null;
  /** What a challenge says (spec 7.2). `expired` only if the token's signature is valid. */
  readonly outward: ChallengeError;
}

/** @param detail contains nothing from the token */
export function refused(
  reason: ExternalJwtRefusal,
  signerId: SignerId | null = null,
  detail: string | null = null,
): RefusedExternalJwt {
  return { verdict: 'refused', reason, signerId, detail, outward: outwardOf(reason) };
}

function outwardOf(reason: ExternalJwtRefusal): ChallengeError {
  if (reason === 'expired') return 'expired';
  // A token of an issuer that nobody asked for does not count as the required one.
  return reason === 'no-signer-for-issuer' ? 'missing' : 'invalid';
}

const order = Object.keys(externalJwtRefusals);

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

/** What one challenge says about all refused tokens of a request; `missing` when there were none. */
export function challengeErrorOf(refusals: readonly RefusedExternalJwt[]): ChallengeError {
  const said = new Set(refusals.map(({ outward }) => outward));
  if (said.has('expired')) return 'expired';
  return said.has('invalid') ? 'invalid' : 'missing';
}
