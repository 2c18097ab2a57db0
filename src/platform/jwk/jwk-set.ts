import { createPublicKey, type KeyObject } from 'node:crypto';
import { sha256 } from '../digest.ts';
import { decodeUtf8, MalformedInput, parseStrictJson } from '../formats/strict-input.ts';
import { longestRsaModulus } from '../x509/key-strength.ts';
import { type VerificationKey, verificationKey } from './jws-signature.ts';

/** Why a key of a set is ignored. */
export const ignoredKeyReasons = {
  'not-a-key': 'it is not a JSON object',
  kid: 'its kid is too long or not a text',
  purpose: 'its use or key_ops say that it is not for verifying signatures',
  kind: 'its kty or crv is not one of RSA, EC (P-256, P-384, P-521) and OKP (Ed25519)',
  algorithm: 'its alg is not a signature algorithm that is accepted for such a key',
  private: 'the set publishes its private part, so that any reader of the set can sign',
  encoding: 'a number of it is missing, padded, not base64url, or of another length than its kind has',
  unsound: 'it is too short, too long, or not a point on its curve',
  ambiguous: 'another key has the same kid and algorithm, so that it is unclear which of them is meant',
} as const;
export type IgnoredKeyReason = keyof typeof ignoredKeyReasons;

export interface JwkSet {
  /** By `kid`. Several keys under one `kid` are for different algorithms, or are the same key twice. */
  readonly keys: ReadonlyMap<string, readonly VerificationKey[]>;
  /** All usable keys, including those without a `kid` and those that share one: for tokens that name no key. */
  readonly all: readonly VerificationKey[];
  /** One entry for each ignored key. */
  readonly ignored: readonly { readonly kid: string | null; readonly reason: IgnoredKeyReason }[];
}

/** More keys than any provider uses. A longer set is refused as a whole. */
export const mostKeys = 100;
const longestKid = 256;

export class TooManyKeys extends MalformedInput {}

/**
 * Reads a JWK Set. Unusable keys are omitted and listed; a set with none left is still a set. Members that are null or
 * empty count as absent.
 * @throws MalformedInput not a JWK Set
 * @throws TooManyKeys    more than `mostKeys`
 * @see RFC 7517
 */
export function readJwkSet(body: Uint8Array): JwkSet {
  // RFC 8259 section 8.1: a reader may ignore a byte order mark, which some servers send.
  const set = parseStrictJson(decodeUtf8(body).replace(/^\ufeff/, ''), { maxDepth: 8, maxKeys: 20_000 });
  const entries = isObject(set) ? set.keys : undefined;
  if (!Array.isArray(entries)) throw new MalformedInput('not a JWK set');
  if (entries.length > mostKeys) throw new TooManyKeys('too many keys');
  const read = entries.map(readKey);
  const usable = read.filter((key) => 'key' in key);
  const isAmbiguous = (key: UsableKey) => usable.some((other) => collides(key, other));
  const ignored = read.flatMap((key): JwkSet['ignored'] => {
    if ('reason' in key) return [key];
    return isAmbiguous(key) ? [{ kid: key.kid, reason: 'ambiguous' }] : [];
  });
  const kept = usable.filter((key) => !isAmbiguous(key));
  const keys = new Map<string, VerificationKey[]>();
  for (const { kid, key } of kept) if (kid !== null) keys.set(kid, [...(keys.get(kid) ?? []), key]);
  return { keys, all: usable.map(({ key }) => key), ignored };
}

interface UsableKey {
  readonly kid: string | null;
  readonly key: VerificationKey;
}

function collides(one: UsableKey, other: UsableKey): boolean {
  return (
    one.kid !== null &&
    one.kid === other.kid &&
    one.key.algorithms.some((name) => other.key.algorithms.includes(name)) &&
    !one.key.publicKey.equals(other.key.publicKey)
  );
}

function readKey(entry: unknown): UsableKey | JwkSet['ignored'][number] {
  if (!isObject(entry)) return { kid: null, reason: 'not-a-key' };
  const jwk = withoutEmptyMembers(entry);
  const { kid = null } = jwk;
  if (kid !== null && (typeof kid !== 'string' || kid.length > longestKid))
    return { kid: null, reason: 'kid' };
  const key = readVerificationKey(jwk);
  return typeof key === 'string' ? { kid, reason: key } : { kid, key };
}

/** Serializers of typed languages write members that are not set as null, `[]` or an empty text. */
function withoutEmptyMembers(jwk: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(jwk).filter(([, value]) => !isEmpty(value)));
}

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'] as const;

/** The public key that one JWK is, or why it is not used. */
export function readVerificationKey(
  jwk: Readonly<Record<string, unknown>>,
): VerificationKey | IgnoredKeyReason {
  if ((jwk.use ?? 'sig') !== 'sig') return 'purpose';
  if (jwk.key_ops !== undefined && !(Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify')))
    return 'purpose';
  const members = publicMembers(jwk);
  if (members === undefined) return 'kind';
  if (privateMembers.some((name) => jwk[name] !== undefined)) return 'private';
  if (members === 'encoding') return 'encoding';
  const key = verificationKeyOf(members);
  if (key === undefined) return 'unsound';
  if (jwk.alg === undefined) return key;
  const algorithm = key.algorithms.find((name) => name === jwk.alg);
  if (algorithm === undefined) return 'algorithm';
  // EdDSA and Ed25519 are two names of one algorithm (RFC 9864).
  return algorithm === 'EdDSA' || algorithm === 'Ed25519' ? key : { ...key, algorithms: [algorithm] };
}

function verificationKeyOf(key: Record<string, string>): VerificationKey | undefined {
  let publicKey: KeyObject;
  try {
    publicKey = createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
  return verificationKey(publicKey);
}

const coordinateBytes: ReadonlyMap<unknown, number> = new Map([
  ['P-256', 32],
  ['P-384', 48],
  ['P-521', 66],
]);

/** The members that make up the public key, checked for length before anything computes with them. */
function publicMembers(
  jwk: Readonly<Record<string, unknown>>,
): Record<string, string> | 'encoding' | undefined {
  const { kty, crv, n, e, x, y } = jwk;
  if (kty === 'RSA')
    return isBase64url(n, 1, longestRsaModulus / 8) && isBase64url(e, 1, 8) ? { kty, n, e } : 'encoding';
  if (kty === 'EC' && typeof crv === 'string') {
    const size = coordinateBytes.get(crv);
    if (size === undefined) return undefined;
    return isBase64url(x, size, size) && isBase64url(y, size, size) ? { kty, crv, x, y } : 'encoding';
  }
  if (kty === 'OKP' && crv === 'Ed25519') return isBase64url(x, 32, 32) ? { kty, crv, x } : 'encoding';
  return undefined;
}

function isBase64url(value: unknown, fewestBytes: number, mostBytes: number): value is string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_-]*$/.test(value)) return false;
  const bytes = Math.floor((value.length * 3) / 4);
  return bytes >= fewestBytes && bytes <= mostBytes;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** SHA-256 of the members of a key that make it that key, base64url. @see RFC 7638 section 3 */
export function thumbprintOf({ kty, crv, e, n, x, y }: Readonly<Record<string, unknown>>): string {
  const members = kty === 'RSA' ? { e, kty, n } : kty === 'EC' ? { crv, kty, x, y } : { crv, kty, x };
  return sha256(JSON.stringify(members));
}
