// Proofs that a request comes from the holder of a key (DPoP, RFC 9449). Tokens bound to the key are worthless without it.

import { parseChallenges } from '../api/challenge.ts';
import { membersIn } from '../json-members.ts';
import type { Transport } from '../transport.ts';

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/**
 * The P-256 key that tokens are bound to: a private JWK, which can be saved with the tokens, or a pair whose private key
 * cannot be exported, as browsers keep it.
 */
export type ProofKey = PrivateJwk | { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey };

/** @see RFC 7518 section 6.2 */
export interface PrivateJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

const curve = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** A key that can be saved as JSON. Its reader can use the tokens bound to it. */
export async function newProofKey(): Promise<ProofKey> {
  const { privateKey } = await crypto.subtle.generateKey(curve, true, ['sign']);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', privateKey);
  return { kty, crv, x, y, d } as PrivateJwk;
}

/** A key that never leaves this browser or process: only IndexedDB can keep it. */
export function newLockedProofKey(): Promise<ProofKey> {
  return crypto.subtle.generateKey(curve, false, ['sign']);
}

/** Sends requests of one holder: each has a proof, and the access token that is given, if any. */
export type Proving = (send: Transport, accessToken?: string) => Transport;

/** What a server has said, by origin. A nonce is no secret, and belongs to no key (RFC 9449 section 8). */
const nonces = new Map<string, string>();
/** How far the clock of a server is ahead of ours, where that is too much for it. Milliseconds. */
const leads = new Map<string, number>();

/** The time of a server in milliseconds since 1970: ours, until it has refused a proof because of its time. */
export function timeAt(origin: string, now: () => number): number {
  return now() + (leads.get(origin) ?? 0);
}

/**
 * Proves possession of a key with every request. Sends it again when the server requires another nonce, or when the
 * clock of this computer is wrong.
 * @param now milliseconds since 1970
 */
export function proving(key: ProofKey, now: () => number): Proving {
  return (send, accessToken) => async (request) => {
    const { origin } = new URL(request.url);
    for (let tries = 1; ; tries += 1) {
      const outgoing = request.clone();
      const more = { accessToken, time: timeAt(origin, now), nonce: nonces.get(origin) };
      outgoing.headers.set('dpop', await proofFor(key, outgoing, more));
      const response = await send(outgoing);
      const nonce = response.headers.get('dpop-nonce');
      if (nonce !== null) nonces.set(origin, nonce);
      const objection = tries < 3 ? await objectionIn(response) : undefined;
      if (objection === 'invalid_dpop_proof') {
        const lead = Date.parse(response.headers.get('date') ?? '') - now();
        if (!(Math.abs(lead - (leads.get(origin) ?? 0)) > worthMending)) return response;
        leads.set(origin, lead);
      } else if (objection !== 'use_dpop_nonce') return response;
    }
  };
}

/** Servers accept a difference of half a minute at least. Milliseconds. */
const worthMending = 15_000;

/** Why a proof was refused, at the token endpoint or at an API (RFC 9449 sections 5, 7.1, 8 and 9). */
async function objectionIn(response: Response): Promise<unknown> {
  if (response.status === 400) return (await membersIn(response.clone())).error;
  if (response.status !== 401) return undefined;
  const challenges = parseChallenges(response.headers.get('www-authenticate'));
  const ours = challenges.find((one) => one.realm === 'unknown' && one.scheme.toLowerCase() === 'dpop');
  return ours?.realm === 'unknown' ? ours.parameters.error : undefined;
}

/** @see RFC 9449 section 4.2 */
async function proofFor(
  key: ProofKey,
  { method, url }: Request,
  more: {
    readonly accessToken: string | undefined;
    readonly nonce: string | undefined;
    readonly time: number;
  },
): Promise<string> {
  const { accessToken, nonce, time } = more;
  const { privateKey, jwk } = await usable(key);
  const { origin, pathname } = new URL(url);
  const claims = {
    jti: crypto.randomUUID(),
    htm: method,
    htu: origin + pathname,
    iat: Math.floor(time / 1000),
    ...(accessToken === undefined ? {} : { ath: base64url(await sha256(accessToken)) }),
    ...(nonce === undefined ? {} : { nonce }),
  };
  const signed = [{ typ: 'dpop+jwt', alg: 'ES256', jwk }, claims]
    .map((part) => base64url(utf8(JSON.stringify(part))))
    .join('.');
  const signature = await crypto.subtle.sign({ ...curve, hash: 'SHA-256' }, privateKey, utf8(signed));
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

interface Usable {
  readonly privateKey: CryptoKey;
  /** The public key. */
  readonly jwk: object;
}

/** Keys that were used already. */
const prepared = new WeakMap<ProofKey, Promise<Usable>>();

function usable(key: ProofKey): Promise<Usable> {
  const known = prepared.get(key) ?? prepare(key);
  prepared.set(key, known);
  return known;
}

async function prepare(key: ProofKey): Promise<Usable> {
  const isPair = 'privateKey' in key;
  const privateKey = isPair
    ? key.privateKey
    : await crypto.subtle.importKey('jwk', key, curve, false, ['sign']);
  const { kty, crv, x, y } = isPair ? await crypto.subtle.exportKey('jwk', key.publicKey) : key;
  return { privateKey, jwk: { kty, crv, x, y } };
}

const utf8 = (text: string) => new TextEncoder().encode(text);

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
