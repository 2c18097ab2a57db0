import { decodeBase64url } from '../../platform/digest.ts';
import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import { parseStrictJson } from '../../platform/formats/strict-json.ts';
import { decodeUtf8 } from '../../platform/formats/utf8.ts';
import type { Claims } from './claims-selector.ts';

/** A JWT of another issuer, split into parts. Nothing in it is verified. */
export interface ForeignJwt {
  readonly alg: string;
  readonly kid: string | null;
  readonly issuer: string;
  readonly claims: Claims;
}

/** Longer than any provider's token. Node accepts no more for all headers together. */
const longestToken = 16_384;
const longestKid = 256;
const longestIssuer = 2048;

/** ID tokens and most access tokens have `JWT` or nothing; RFC 9068 access tokens have `at+jwt`. */
const acceptedTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt']);

/** Header parameters that change the meaning of the token. `cty` announces a JWT inside the JWT. */
const refusedParameters = ['crit', 'zip', 'b64', 'enc', 'cty'] as const;

/**
 * Reads a compact JWS with JSON claims. Ignores header parameters that contain a key or point to one (`jwk`, `jku`,
 * `x5c`, `x5u`).
 * @throws MalformedInput another form (JWE, JSON serialization, detached or nested), an alternative spelling of the
 * same bytes, a repeated member, or an unacceptable header or issuer
 * @see RFC 7515, RFC 7519, RFC 8725 sections 2.4, 3.10 and 3.11
 */
export function readForeignJwt(token: string): ForeignJwt {
  if (token.length > longestToken) throw new MalformedInput('token too long');
  const segments = token.split('.', 6);
  const [header, payload, signature] = segments.map(decodeBase64url);
  if (segments.length !== 3 || !header?.length || !payload?.length || !signature?.length)
    throw new MalformedInput('not a compact JWS');
  return { ...readHeader(readObject(header)), ...readClaims(readObject(payload)) };
}

/**
 * The contents of a token, to show to a person; null when it is not a JWT. Nothing in it is verified or even examined.
 */
export function shownParts(token: string): { readonly header: Claims; readonly claims: Claims } | null {
  if (token.length > longestToken) return null;
  const [header, claims] = token.split('.', 6).map(decodeBase64url);
  if (!header?.length || !claims?.length) return null;
  try {
    return { header: readObject(header), claims: readObject(claims) };
  } catch (error) {
    if (error instanceof MalformedInput) return null;
    throw error;
  }
}

function readObject(bytes: Uint8Array): Claims {
  const value = parseStrictJson(decodeUtf8(bytes), { maxDepth: 16, maxKeys: 1000 });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MalformedInput('not a JSON object');
  return value as Claims;
}

function readHeader(header: Claims): Pick<ForeignJwt, 'alg' | 'kid'> {
  const { alg, kid, typ = 'JWT' } = header;
  const refused = refusedParameters.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) throw new MalformedInput(`header parameter ${refused}`);
  // "application/" may be omitted, and case does not matter (RFC 7515 section 4.1.9).
  if (typeof typ !== 'string' || !acceptedTypes.has(typ.toLowerCase().replace(/^application\//, '')))
    throw new MalformedInput('token of another type');
  if (typeof alg !== 'string') throw new MalformedInput('no algorithm');
  if (kid === undefined) return { alg, kid: null };
  if (typeof kid !== 'string' || kid === '' || kid.length > longestKid) throw new MalformedInput('key id');
  return { alg, kid };
}

function readClaims(claims: Claims): Pick<ForeignJwt, 'issuer' | 'claims'> {
  const { iss } = claims;
  if (typeof iss !== 'string' || iss === '' || iss.length > longestIssuer)
    throw new MalformedInput('no issuer');
  return { issuer: iss, claims };
}
