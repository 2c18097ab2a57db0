import { decodeBase64url } from '../../platform/digest.ts';
import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import { parseStrictJson } from '../../platform/formats/strict-json.ts';
import { decodeUtf8 } from '../../platform/formats/utf8.ts';
import type { Claims } from './claims-selector.ts';

/** A JWT of somebody else, taken apart. Nothing in it is verified. */
export interface ForeignJwt {
  readonly alg: string;
  readonly kid: string | null;
  readonly issuer: string;
  readonly claims: Claims;
}

/** Longer than any provider's token; Node accepts no more for all headers together. */
const longestToken = 16_384;
const longestKid = 256;
const longestIssuer = 2048;

/** ID tokens and most access tokens say `JWT` or nothing; RFC 9068 access tokens say `at+jwt`. */
const acceptedTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt']);

/** Header parameters that change what the token means. `cty` stands for a JWT inside of the JWT. */
const refusedParameters = ['crit', 'zip', 'b64', 'enc', 'cty'] as const;

/**
 * Reads a compact JWS with JSON claims. Header parameters that offer a key or point to one (`jwk`, `jku`, `x5c`,
 * `x5u`) are not looked at.
 * @throws MalformedInput another shape (JWE, JSON serialisation, detached or nested), a second spelling of the
 *                        same bytes, a member twice, or a header or issuer that cannot be accepted
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

/** What a token says, to be shown to a person; null when it is no JWT. Nothing in it is verified or even looked at. */
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
  // "application/" may be left out, and case does not count (RFC 7515 section 4.1.9).
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
