// The signing keys in memory: which one signs now, which ones verify, what the JWKS contains. The stored times decide
// about their life, so every node comes to the same result by itself.

import { createPrivateKey, createPublicKey, generateKeyPair, type webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningAlgorithm, SigningKey } from '../model/signing-key.ts';
import { type Clock, DAY, HOUR, MINUTE, type Millis } from '../platform/clock.ts';
import { thumbprintOf } from '../platform/jwk/jwk-set.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import type { KeyStore } from '../store/contracts/keys.ts';
import { headerSegment, type JwtType, jwtTypes, type SigningMaterial } from './jws.ts';

/** How long a key signs. */
export const signingPeriod: Millis = 30 * DAY;
/** How long a key is in the JWKS before it signs: longer than verifiers cache the set (see `jwksMaxAge`). */
export const publishAhead: Millis = 10 * MINUTE;
/** How long caches may keep the JWKS. */
export const jwksMaxAge: Millis = 5 * MINUTE;

const generateKeys = promisify(generateKeyPair);

interface KnownKey {
  readonly key: SigningKey;
  /** The first segment of its tokens. */
  readonly headers: Readonly<Record<JwtType, string>>;
  readonly material: SigningMaterial;
  readonly jwk: webcrypto.JsonWebKey;
}

export type KeyRing = Awaited<ReturnType<typeof openKeyRing>>;

export interface KeyRingNeeds {
  readonly keys: KeyStore;
  readonly vault: KeyVault;
  readonly clock: Clock;
}

/** The ring with the stored keys; `ensureSigningKeys` makes the first ones. */
export async function openKeyRing(needs: KeyRingNeeds) {
  let known: KnownKey[] = [];
  let byHeader = new Map<string, KnownKey>();
  let generation = 0;

  const ring = {
    /** The key that signs with this algorithm at `now`, and the header it writes. */
    signer(alg: SigningAlgorithm, typ: JwtType, now: Millis) {
      const active = known.filter(
        ({ key }) => key.alg === alg && key.activeFrom <= now && !hasPassed(key.retiredAt, now),
      );
      const chosen = active.at(-1) ?? known.findLast(({ key }) => key.alg === alg);
      if (chosen === undefined) throw new Error(`there is no ${alg} signing key`);
      return { material: chosen.material, header: chosen.headers[typ] };
    },
    /** The key whose header of this type is exactly `header`, unless it is removed by `now`. */
    verifier(header: string, typ: JwtType, now: Millis): SigningMaterial | undefined {
      const found = byHeader.get(`${typ}:${header}`);
      return found === undefined || hasPassed(found.key.removedAt, now) ? undefined : found.material;
    },
    /** Public keys (RFC 7517 5), next ones included. */
    jwks(now: Millis): { keys: readonly webcrypto.JsonWebKey[] } {
      return { keys: known.filter(({ key }) => !hasPassed(key.removedAt, now)).map(({ jwk }) => jwk) };
    },
    list: (): readonly SigningKey[] => known.map(({ key }) => key),
    /** A number that differs once the keys were read again. */
    get generation() {
      return generation;
    },
    /**
     * Reads the keys again; called at start and when the change feed names them.
     * @throws Error  an algorithm has lost its keys, as in a foreign copy of the database; the known ones stay
     */
    async reload(): Promise<void> {
      const stored = await needs.keys.listSigningKeys(needs.clock.now());
      const lost = known.find(({ key }) => !stored.some(({ alg }) => alg === key.alg));
      if (lost !== undefined)
        throw new Error(
          `the database has no ${lost.key.alg} signing key any more; if it was restored, stop all controllers, run overlay-auth ops db restored, and restart`,
        );
      // By the sealed text, not by kid: a key sealed again is opened again, so that the vault sees under which key.
      const opened = new Map(known.map((entry) => [entry.key.sealedPrivateKey, entry.material]));
      known = stored.map((key) => ({
        key,
        material: opened.get(key.sealedPrivateKey) ?? openMaterial(needs.vault, key),
        headers: headersOf(key),
        jwk: JSON.parse(key.publicJwk) as webcrypto.JsonWebKey,
      }));
      generation += 1;
      byHeader = new Map(
        known.flatMap((entry) => jwtTypes.map((typ) => [`${typ}:${entry.headers[typ]}`, entry])),
      );
    },
  };
  await ring.reload();
  return ring;
}

function headersOf(key: SigningKey): KnownKey['headers'] {
  const segments = jwtTypes.map((typ) => [typ, headerSegment(key, typ)] as const);
  return Object.fromEntries(segments) as KnownKey['headers'];
}

function hasPassed(time: Millis | null, now: Millis): boolean {
  return time !== null && time <= now;
}

function openMaterial(vault: KeyVault, key: SigningKey): SigningMaterial {
  const der = vault.open(key.sealedPrivateKey, signingKeyLabel(key.kid));
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { kid: key.kid, alg: key.alg, privateKey, publicKey: createPublicKey(privateKey) };
}

export function signingKeyLabel(kid: string): string {
  return `signing-key/${kid}`;
}

/** A new key pair with a sealed private part. RSA keys have 3072 bits (SP 800-57: sufficient beyond 2030). */
export async function makeSigningKey(
  vault: KeyVault,
  alg: SigningAlgorithm,
  times: Pick<SigningKey, 'createdAt' | 'activeFrom'>,
): Promise<SigningKey> {
  const { privateKey, publicKey } = await generate(alg);
  const bare = { ...publicKey.export({ format: 'jwk' }) };
  const kid = thumbprintOf(bare);
  return {
    kid,
    alg,
    publicJwk: JSON.stringify({ ...bare, kid, alg, use: 'sig' }),
    sealedPrivateKey: vault.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), signingKeyLabel(kid)),
    ...times,
    retiredAt: null,
    removedAt: null,
  };
}

// Not on the main thread: finding the primes of an RSA key may take a second.
function generate(alg: SigningAlgorithm) {
  if (alg === 'ES256') return generateKeys('ec', { namedCurve: 'P-256' });
  if (alg === 'EdDSA') return generateKeys('ed25519', {});
  return generateKeys('rsa', { modulusLength: 3072 });
}

/**
 * Adds a key that takes over at `activeFrom`. The old ones sign until then and stay published until the last token that
 * they signed has expired.
 * @param tokenLifetime the longest life of a token that these keys sign
 * @returns the new key, or null when another node rotated at the same time
 */
export async function rotateSigningKey(
  needs: KeyRingNeeds & { readonly ring: KeyRing },
  alg: SigningAlgorithm,
  options: { activeFrom: Millis; tokenLifetime: Millis },
): Promise<SigningKey | null> {
  const newest = needs.ring.list().findLast((key) => key.alg === alg) ?? null;
  const next = await makeSigningKey(needs.vault, alg, {
    createdAt: needs.clock.now(),
    activeFrom: options.activeFrom,
  });
  const rotated = await needs.keys.rotateSigningKey({
    next,
    newestSeen: newest?.kid ?? null,
    retireOldAt: options.activeFrom,
    removeOldAt: options.activeFrom + options.tokenLifetime + HOUR,
  });
  await needs.ring.reload();
  return rotated ? next : null;
}

/**
 * Makes the first key of each algorithm, and the next one when the newest has signed for almost `signingPeriod`. Runs
 * at start and from the rotation task, on every node.
 */
export async function ensureSigningKeys(
  needs: KeyRingNeeds & { readonly ring: KeyRing },
  algorithms: readonly SigningAlgorithm[],
  tokenLifetime: Millis,
): Promise<readonly SigningKey[]> {
  const made: SigningKey[] = [];
  for (const alg of algorithms) {
    const now = needs.clock.now();
    const newest = needs.ring.list().findLast((key) => key.alg === alg);
    if (newest !== undefined && now < newest.activeFrom + signingPeriod - publishAhead) continue;
    const activeFrom = newest === undefined ? now : now + publishAhead;
    const key = await rotateSigningKey(needs, alg, { activeFrom, tokenLifetime });
    if (key !== null) made.push(key);
  }
  return made;
}

/** The longest life of a token that signing keys sign: the public part of a retired key is kept this long. */
export function longestSignedLifetime(oidc: {
  accessTokenDuration: Millis;
  idTokenDuration: Millis;
  refreshTokenDuration: Millis;
  compatibility: { clientIds: readonly string[] };
}): Millis {
  // Only clients of the compatibility profile have signed refresh tokens.
  const refresh = oidc.compatibility.clientIds.length > 0 ? oidc.refreshTokenDuration : 0;
  return Math.max(oidc.accessTokenDuration, oidc.idTokenDuration, refresh);
}
