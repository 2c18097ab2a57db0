// Verifies the JWTs of external signers (spec 2.9 and 5.3). This file decides whether a token is valid and which signer
// vouches for it. It does not look for the identity and knows no policy. The caller has to ensure that a token counts
// once, that an external id belongs to one signer, and that a secondary token names the same identity.
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import { type Clock, type Millis, SECOND } from '../../platform/clock.ts';
import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import type { JwksCache } from '../../platform/jwk/jwks-cache.ts';
import { foreignAlgorithms, isSignedBy } from '../../platform/jwk/jws-signature.ts';
import { type Claims, selectClaim } from './claims-selector.ts';
import {
  type ExternalJwtRefusal,
  type ExternalJwtVerdict,
  furthest,
  refused,
} from './external-jwt-verdict.ts';
import { type ForeignJwt, readForeignJwt } from './foreign-jwt.ts';
import { keyOf } from './signer-keys.ts';

interface Needs {
  readonly clock: Clock;
  readonly jwks: JwksCache;
}

/**
 * Checks a token against every given signer that is enabled and has exactly its issuer. Signers that share an issuer
 * are told apart by their whole record. A token that fits several is refused.
 * May wait for a key set. Whatever can be refused without keys is refused first.
 * @param signers all of them for a primary login; the one that the policy requires for a secondary factor
 * @param token   as sent, unchecked
 */
export async function verifyExternalJwt(
  needs: Needs,
  signers: readonly ExternalJwtSigner[],
  token: string,
): Promise<ExternalJwtVerdict> {
  const jwt = read(token);
  if (typeof jwt === 'string') return refused('malformed', null, jwt);
  const candidates = signers.filter(({ enabled, issuer }) => enabled && issuer === jwt.issuer);
  const verdicts = await Promise.all(
    candidates.map((signer) => verifyAgainst(needs, signer, { token, jwt })),
  );
  const [valid, another] = verdicts.filter(({ verdict }) => verdict === 'valid');
  if (another !== undefined) return refused('ambiguous-signer');
  if (valid !== undefined) return valid;
  return verdicts
    .filter((verdict) => verdict.verdict === 'refused')
    .reduce(furthest, refused('no-signer-for-issuer'));
}

function read(token: string): ForeignJwt | string {
  try {
    return readForeignJwt(token);
  } catch (error) {
    if (error instanceof MalformedInput) return error.reason;
    throw error;
  }
}

async function verifyAgainst(
  needs: Needs,
  signer: ExternalJwtSigner,
  { token, jwt }: { readonly token: string; readonly jwt: ForeignJwt },
): Promise<ExternalJwtVerdict> {
  const { alg, claims } = jwt;
  if (!foreignAlgorithms.some((name) => name === alg)) return refused('algorithm', signer.id);
  // Everything that needs no key comes first, so that a token that cannot be valid causes no fetch.
  if (!isFor(signer, claims)) return refused('audience', signer.id, `it is "${signer.audience}"`);
  const unfit = unfitTimes(signer, claims);
  if (unfit !== undefined) return refused(unfit, signer.id);
  const key = await keyOf(needs, signer, jwt);
  if ('verdict' in key) return key;
  if (!isSignedBy(key, token, alg)) return refused('signature', signer.id);
  const untimely = untimelyNow(signer, claims, needs.clock.now());
  if (untimely !== undefined) return refused(untimely, signer.id);
  return nameIdentity(signer, claims);
}

/** Whether the signer's audience is named; part of a name does not count. @see RFC 7519 section 4.1.3 */
function isFor(signer: ExternalJwtSigner, { aud }: Claims): boolean {
  if (!Array.isArray(aud)) return aud === signer.audience;
  return aud.every((entry) => typeof entry === 'string') && aud.includes(signer.audience);
}

function unfitTimes(signer: ExternalJwtSigner, { exp, nbf, iat }: Claims): ExternalJwtRefusal | undefined {
  if (exp === undefined) return 'missing-exp';
  // Required in ID tokens (OIDC Core 2); other JWTs may omit it (RFC 7519 section 4.1.6).
  if (iat === undefined && signer.targetToken === 'ID') return 'missing-iat';
  const given = [exp, nbf, iat].filter((time) => time !== undefined);
  if (!given.every(isNumericDate) || !isNumericDate(exp)) return 'time-claims';
  if (isNumericDate(iat) && iat > exp) return 'time-claims';
  const { maxLifetimeSeconds: longest } = signer;
  if (longest !== null && !(isNumericDate(iat) && exp - iat <= longest)) return 'lifetime';
  return undefined;
}

/** Whole seconds up to the year 9999; the standard also allows fractions, which nobody needs. */
function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= latestTime;
}

const latestTime = 253_402_300_799;

/** @see RFC 7519 sections 4.1.4 to 4.1.6 */
function untimelyNow(
  signer: ExternalJwtSigner,
  { exp, nbf = 0, iat = 0 }: Claims,
  now: Millis,
): ExternalJwtRefusal | undefined {
  const leeway = signer.leewaySeconds;
  if (now >= (Number(exp) + leeway) * SECOND) return 'expired';
  const begins = Math.max(Number(nbf), Number(iat)) - leeway;
  return now < begins * SECOND ? 'not-yet-valid' : undefined;
}

const longestClaim = 1024;

function nameIdentity(signer: ExternalJwtSigner, claims: Claims): ExternalJwtVerdict {
  const { value, isVouchedFor } = selectClaim(claims, signer.claimsProperty, signer);
  if (typeof value !== 'string' || value.trim() === '' || value.length > longestClaim)
    return refused('claim-missing', signer.id, `it is ${signer.claimsProperty}`);
  if (!isVouchedFor) return refused('email-not-verified', signer.id);
  return { verdict: 'valid', signer, claim: value, claims };
}
