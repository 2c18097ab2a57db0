// Verifies the JWTs of external signers (spec 2.9 and 5.3). This file decides whether a token is valid and which signer
// vouches for it. It does not look for the identity and knows no policy. The caller has to ensure that a token counts
// once, that an external id belongs to one signer, and that a secondary token names the same identity.

import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { SignerId } from '../../model/ids.ts';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { withoutFinalSlashes } from '../../platform/formats/final-slashes.ts';
import { quoted } from '../../platform/formats/quoted.ts';
import { foreignAlgorithms, isSignedBy, type VerificationKey } from '../../platform/jwk/jws-signature.ts';
import type { SignerKeyServices } from '../services.ts';
import { type Claims, selectClaim } from './claims-selector.ts';
import {
  type ExternalJwtVerdict,
  furthest,
  type RefusedExternalJwt,
  refused,
} from './external-jwt-verdict.ts';
import { type ForeignJwt, isNumericDate, readForeignJwt, UnreadableJwt } from './foreign-jwt.ts';
import type { SignerDirectory } from './signer-directory.ts';
import { keyOf } from './signer-keys.ts';

/**
 * Checks a token against every given signer that is enabled and has exactly its issuer. Signers that share an issuer
 * are told apart by their whole record. A token that fits several is refused.
 * May wait for a key set. Checks that need no key come first.
 * @param signers all of them for a primary login; the one that the policy requires for a secondary factor
 * @param token   as sent, unchecked
 */
export async function verifyExternalJwt(
  needs: SignerKeyServices,
  signers: readonly ExternalJwtSigner[],
  token: string,
): Promise<ExternalJwtVerdict> {
  const jwt = read(token);
  if ('verdict' in jwt) return jwt;
  const candidates = signers.filter(({ enabled, issuer }) => enabled && issuer === jwt.issuer);
  const verdicts = await Promise.all(
    candidates.map((signer) => verifyAgainst(needs, signer, { token, jwt })),
  );
  const accepting = verdicts.filter((verdict) => verdict.verdict === 'valid');
  if (accepting.length > 1) {
    const names = accepting.map(({ signer }) => signer.name).join(', ');
    return refused('ambiguous-signer', `several signers accept it: ${names}`);
  }
  return (
    accepting[0] ??
    verdicts
      .filter((verdict) => verdict.verdict === 'refused')
      .reduce(furthest, refused('no-signer-for-issuer', unknownIssuer(signers, jwt)))
  );
}

/**
 * The same for a token that came from the provider of one signer, which alone may vouch for it (OIDC Core 3.1.3.7). It
 * is refused if it fits others too.
 */
export async function verifyJwtFrom(
  needs: SignerKeyServices & { readonly signers: SignerDirectory },
  signerId: SignerId,
  token: string,
): Promise<ExternalJwtVerdict> {
  const all = needs.signers.all();
  const alone = await verifyExternalJwt(
    needs,
    all.filter(({ id }) => id === signerId),
    token,
  );
  return alone.verdict === 'valid' ? verifyExternalJwt(needs, all, token) : alone;
}

function read(token: string): ForeignJwt | RefusedExternalJwt {
  try {
    return readForeignJwt(token);
  } catch (error) {
    if (error instanceof UnreadableJwt) return refused(error.refusal, error.reason);
    throw error;
  }
}

/** Names the signer that differs in no more than case, scheme or a final slash, which is easily overlooked. */
function unknownIssuer(signers: readonly ExternalJwtSigner[], { issuer }: ForeignJwt): string {
  const roughly = (text: string) => withoutFinalSlashes(text.toLowerCase().replace(/^https?:\/\//, ''));
  const wanted = roughly(issuer);
  const near = signers.find((signer) => signer.enabled && roughly(signer.issuer) === wanted);
  const compared = near === undefined ? '' : `; signer ${near.name} has ${quoted(near.issuer)}`;
  return `its issuer is ${quoted(issuer)}${compared}`;
}

async function verifyAgainst(
  needs: SignerKeyServices,
  signer: ExternalJwtSigner,
  { token, jwt }: { token: string; jwt: ForeignJwt },
): Promise<ExternalJwtVerdict> {
  const { alg, claims, type } = jwt;
  // RFC 9068 has the type so that no access token passes for an ID token.
  if (signer.targetToken === 'ID' && type === 'at+jwt')
    return refused('token-type', 'it is an access token, and targetToken is ID', signer.id);
  if (!foreignAlgorithms.some((name) => name === alg))
    return refused('token-algorithm', `it is signed with ${quoted(alg)}`, signer.id);
  // Everything that needs no key comes first, so that a token that cannot be valid causes no fetch.
  if (!isFor(signer, claims)) {
    const saw = `its audience is ${quoted(claims.aud)}, and not ${quoted(signer.audience)}`;
    return refused('token-audience', saw, signer.id);
  }
  const unfit = unfitTimes(signer, claims);
  if (unfit !== undefined) return unfit;
  const unsigned = await wrongKey(needs, signer, { token, jwt });
  if (unsigned !== null) return unsigned;
  return untimelyNow(signer, claims, needs.clock.now()) ?? nameIdentity(signer, claims);
}

/**
 * Why no key of the signer has signed a token; null if one has. Asks for the keys once more when one does not verify it:
 * it may have been replaced by another one under the same key id, or under none.
 */
async function wrongKey(
  needs: SignerKeyServices,
  signer: ExternalJwtSigner,
  { token, jwt }: { token: string; jwt: ForeignJwt },
): Promise<RefusedExternalJwt | null> {
  let failed: VerificationKey | undefined;
  for (let attempts = 0; attempts < 2; attempts += 1) {
    const key = await keyOf(needs, signer, { jwt, failed });
    if ('verdict' in key) return key;
    if (isSignedBy(key, token, jwt.alg)) return null;
    if (key === failed) break;
    failed = key;
  }
  return refused('token-signature', 'its signature is not that of the key', signer.id);
}

/** Whether the signer's audience is named; part of a name does not count. @see RFC 7519 section 4.1.3 */
function isFor(signer: ExternalJwtSigner, { aud }: Claims): boolean {
  if (!Array.isArray(aud)) return aud === signer.audience;
  return aud.every((entry) => typeof entry === 'string') && aud.includes(signer.audience);
}

function unfitTimes(signer: ExternalJwtSigner, claims: Claims): RefusedExternalJwt | undefined {
  const { exp } = claims;
  if (isAbsent(exp)) return refused('token-without-expiry', 'it has no exp', signer.id);
  // Required in ID tokens (OIDC Core 2); other JWTs may omit it (RFC 7519 section 4.1.6).
  if (isAbsent(claims.iat) && signer.targetToken === 'ID')
    return refused('token-without-issue-time', 'it has no iat', signer.id);
  const odd = (['exp', 'nbf', 'iat'] as const).find(
    (name) => !isAbsent(claims[name]) && !isNumericDate(claims[name]),
  );
  if (odd !== undefined || !isNumericDate(exp)) {
    const saw = `${odd} is ${quoted(claims[odd ?? 'exp'])}, not a number of seconds since 1970`;
    return refused('token-times', saw, signer.id);
  }
  const iat = isNumericDate(claims.iat) ? claims.iat : null;
  const { maxLifetimeSeconds: longest } = signer;
  if (longest === null || (iat !== null && exp - iat <= longest)) return undefined;
  const lasts = iat === null ? 'it has no iat' : `it is valid for ${exp - iat} s`;
  return refused('token-lifetime', `${lasts}, and maxLifetimeSeconds is ${longest}`, signer.id);
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function dateOf(time: number): string {
  return new Date(time * SECOND).toISOString();
}

/** @see RFC 7519 sections 4.1.4 to 4.1.6 */
function untimelyNow(
  signer: ExternalJwtSigner,
  { exp, nbf, iat }: Claims,
  now: Millis,
): RefusedExternalJwt | undefined {
  const leeway = signer.leewaySeconds;
  const compared = (said: string) => `${said}, and it is ${new Date(now).toISOString()} here`;
  if (now >= (Number(exp) + leeway) * SECOND) {
    const saw = compared(`past its expiration: exp is ${dateOf(Number(exp))}`);
    return refused('token-expired', saw, signer.id);
  }
  const [name, begins] =
    Number(nbf ?? 0) > Number(iat ?? 0) ? ['nbf', Number(nbf)] : ['iat', Number(iat ?? 0)];
  if (now >= (begins - leeway) * SECOND) return undefined;
  return refused('token-not-yet-valid', compared(`${name} is ${dateOf(begins)}`), signer.id);
}

const longestClaim = 1024;

function nameIdentity(signer: ExternalJwtSigner, claims: Claims): ExternalJwtVerdict {
  const property = signer.claimsProperty;
  const { value, isVouchedFor, emailVerified } = selectClaim(claims, property, signer);
  if (typeof value !== 'string' || value.trim() === '' || value.length > longestClaim)
    return refused('token-claim-missing', `its claim ${property} is ${quoted(value)}`, signer.id);
  if (!isVouchedFor) {
    const saw = `its claim ${property} is ${quoted(value)}, and email_verified is ${quoted(emailVerified)}`;
    return refused('email-not-verified', saw, signer.id);
  }
  return { verdict: 'valid', signer, claim: value, claims };
}
