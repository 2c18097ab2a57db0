import { decodeBase64url } from '../../platform/digest.ts';
import { quoted } from '../../platform/formats/quoted.ts';
import { decodeUtf8, MalformedInput, parseStrictJson } from '../../platform/formats/strict-input.ts';
import type { Claims } from './claims-selector.ts';
import type { ExternalJwtRefusal } from './external-jwt-verdict.ts';

/** A JWT of another issuer, split into parts. Nothing in it is verified. */
export interface ForeignJwt {
  /** In lower case, without `application/`; `jwt` if the header has none. */
  readonly type: string;
  readonly alg: string;
  readonly kid: string | null;
  readonly issuer: string;
  readonly claims: Claims;
}

/** Longer than any provider's token. Node accepts no more for all headers together. */
const longestToken = 16_384;
const longestKid = 256;
const longestIssuer = 2048;

/**
 * ID tokens and most access tokens have `JWT` or nothing; RFC 9068 access tokens have `at+jwt`, and JWT-SVID section 2.3
 * allows `JOSE`.
 */
const typesOfProviders: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'jose']);

/** Header parameters that change the meaning of the token. `cty` announces a JWT inside the JWT. */
const refusedParameters = ['crit', 'zip', 'b64', 'enc', 'cty'] as const;

/** A token that is not read any further. `reason` has values of the token `quoted`. */
export class UnreadableJwt extends MalformedInput {
  readonly refusal: ExternalJwtRefusal;

  constructor(refusal: ExternalJwtRefusal, reason: string) {
    super(reason);
    this.refusal = refusal;
  }
}

/**
 * Reads a compact JWS with JSON claims. Ignores header parameters that contain a key or point to one (`jwk`, `jku`,
 * `x5c`, `x5u`).
 * @param types the accepted types, in lower case
 * @throws UnreadableJwt another form (JWE, JSON serialization, detached or nested), unsigned, an alternative spelling of
 * the same bytes, a repeated member, or an unacceptable header or issuer
 * @see RFC 7515, RFC 7519, RFC 8725 sections 2.4, 3.10 and 3.11
 */
export function readForeignJwt(token: string, types = typesOfProviders): ForeignJwt {
  if (token.length > longestToken) throw malformed(`it is longer than ${longestToken} characters`);
  const segments = token.split('.', 6);
  const [first, payload, signature] = segments.map(decodeBase64url);
  if (!first?.length || segments.length < 3)
    throw malformed('it is not three parts of base64url joined by dots, as a JWT is');
  const header = readObject(first, 'header');
  if (segments.length === 5 && Object.hasOwn(header, 'enc'))
    throw new UnreadableJwt('token-encrypted', `it is encrypted with ${quoted(header.enc)}`);
  if (/^none$/i.test(String(header.alg)))
    throw new UnreadableJwt('token-unsigned', `its algorithm is ${quoted(header.alg)}`);
  if (segments.length !== 3 || !payload?.length || !signature?.length)
    throw malformed('it is not three parts of base64url joined by dots, none of them empty');
  return { ...readHeader(header, types), ...readClaims(readObject(payload, 'claims')) };
}

function malformed(why: string): UnreadableJwt {
  return new UnreadableJwt('malformed-token', why);
}

/**
 * The contents of a token, to show to a person; null when it is not a JWT. Nothing in it is verified or even examined.
 */
export function shownParts(token: string): { readonly header: Claims; readonly claims: Claims } | null {
  if (token.length > longestToken) return null;
  const [header, claims] = token.split('.', 6).map(decodeBase64url);
  if (!header?.length || !claims?.length) return null;
  try {
    return { header: readObject(header, 'header'), claims: readObject(claims, 'claims') };
  } catch (error) {
    if (error instanceof MalformedInput) return null;
    throw error;
  }
}

function readObject(bytes: Uint8Array, part: 'header' | 'claims'): Claims {
  let value: unknown;
  try {
    value = parseStrictJson(decodeUtf8(bytes), { maxDepth: 16, maxKeys: 1000 });
  } catch (error) {
    if (error instanceof MalformedInput) throw malformed(`its ${part} cannot be read: ${error.reason}`);
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed(`its ${part} cannot be read: not a JSON object`);
  return value as Claims;
}

function readHeader(header: Claims, types: ReadonlySet<string>): Pick<ForeignJwt, 'type' | 'alg' | 'kid'> {
  const { alg } = header;
  const refused = refusedParameters.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) throw malformed(`the header parameter ${refused} is not accepted`);
  // "application/" may be omitted, and case does not matter (RFC 7515 section 4.1.9).
  const typ = header.typ ?? 'JWT';
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
  if (!types.has(type)) throw new UnreadableJwt('token-type', `its type (typ) is ${quoted(typ)}`);
  if (typeof alg !== 'string') throw malformed('its header names no algorithm (alg)');
  const kid = header.kid ?? null;
  if (kid === null || kid === '') return { type, alg, kid: null };
  if (typeof kid !== 'string' || kid.length > longestKid)
    throw malformed(`its key id (kid) is ${quoted(kid)}, not a text of at most ${longestKid} characters`);
  return { type, alg, kid };
}

function readClaims(claims: Claims): Pick<ForeignJwt, 'issuer' | 'claims'> {
  const { iss } = claims;
  if (typeof iss !== 'string' || iss === '' || iss.length > longestIssuer)
    throw new UnreadableJwt('token-without-issuer', `its issuer (iss) is ${quoted(iss)}`);
  // Of one session or account, to one receiver, often with the type JWT and our audience (RFC 8417 4.5 and 4.6).
  if (Object.hasOwn(claims, 'events'))
    throw new UnreadableJwt('token-type', 'it reports events, as logout tokens do');
  return { issuer: iss, claims };
}

/** Seconds up to the year 9999, with or without a fraction. @see RFC 7519 section 2 */
export function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= latestTime;
}

const latestTime = 253_402_300_799;
