// A client's key for DPoP (RFC 9449), made independently of the code under test.

import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { systemClock } from '../../src/platform/clock.ts';
import { obtainCode, redeem } from './flow.ts';
import type { Answer, HttpsClient, RequestInit } from './https-client.ts';

export type ProofAlgorithm = 'ES256' | 'EdDSA' | 'RS256' | 'PS256';

/** What differs from a proper proof; null removes a member. */
export interface ProofChanges {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs with this one instead, which fits the key too. */
  readonly alg?: ProofAlgorithm;
}

export interface DpopKey {
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly privateKey: KeyObject;
  /** RFC 7638. */
  readonly thumbprint: string;
  /** @param now Millis */
  proof(
    request: { readonly method: string; readonly url: string },
    now: number,
    changes?: ProofChanges,
  ): string;
}

export function dpopKey(alg: ProofAlgorithm = 'ES256', modulusLength = 2048): DpopKey {
  const { privateKey, publicKey } = pairOf(alg, modulusLength);
  const jwk: Readonly<Record<string, unknown>> = { ...publicKey.export({ format: 'jwk' }) };
  const { kty, crv, x, y, n, e } = jwk;
  const members = kty === 'RSA' ? { e, kty, n } : kty === 'EC' ? { crv, kty, x, y } : { crv, kty, x };
  return {
    jwk,
    privateKey,
    thumbprint: hashOf(JSON.stringify(members)),
    proof({ method, url }, now, { header = {}, claims = {}, alg: used = alg } = {}) {
      const parts = [
        { typ: 'dpop+jwt', alg: used, jwk, ...header },
        { jti: randomUUID(), htm: method, htu: url, iat: Math.floor(now / 1000), ...claims },
      ];
      const input = parts.map((part) => segment(JSON.stringify(part, dropNull))).join('.');
      return `${input}.${signed(used, privateKey, input)}`;
    },
  };
}

/** A client that proves its key with every request, and signs again when it is asked for a nonce. */
export interface DpopCaller extends HttpsClient {
  /** With a token in the scheme DPoP. */
  call(path: string, accessToken: string, init?: RequestInit & { readonly method?: string }): Promise<Answer>;
}

/** @param url where clients see the server */
export function dpopCaller(
  client: HttpsClient & { readonly url: string },
  clock: { now(): number },
  key: DpopKey,
): DpopCaller {
  let nonce: string | undefined;
  const request = async (
    method: string,
    path: string,
    init: RequestInit & { readonly accessToken?: string } = {},
  ): Promise<Answer> => {
    const { accessToken } = init;
    const send = () => {
      const claims = {
        ...(nonce === undefined ? {} : { nonce }),
        ...(accessToken === undefined ? {} : { ath: hashOf(accessToken) }),
      };
      const { href } = new URL(path, client.url);
      const dpop = key.proof({ method, url: href }, clock.now(), { claims });
      const authorization = accessToken === undefined ? {} : { authorization: `DPoP ${accessToken}` };
      return client.request(method, path, { ...init, headers: { ...authorization, ...init.headers, dpop } });
    };
    const answer = await send();
    nonce = answer.headers['dpop-nonce']?.toString() ?? nonce;
    const isAsked =
      String(answer.headers['www-authenticate']).includes('use_dpop_nonce') ||
      answer.text.includes('"use_dpop_nonce"');
    return isAsked ? send() : answer;
  };
  return {
    ...client,
    request,
    get: (path, init) => request('GET', path, init),
    post: (path, init) => request('POST', path, init),
    call: (path, accessToken, { method = 'GET', ...init } = {}) =>
      request(method, path, { ...init, accessToken }),
  };
}

/**
 * Logs in with a key, and sends one proof of it in requests of all these clients at the same moment.
 * @param url where clients see the server
 */
export async function sendOneProof(
  url: string,
  clients: readonly [HttpsClient, ...HttpsClient[]],
  {
    username,
    password,
    fraction = 0,
  }: {
    readonly username: string;
    readonly password: string;
    /** Of a second, in `iat`. */
    readonly fraction?: number;
  },
): Promise<readonly Answer[]> {
  const [first] = clients;
  const [key, path] = [dpopKey(), '/edge/client/v1/current-api-session'];
  const caller = dpopCaller({ ...first, url }, systemClock, key);
  const redeemed = await redeem(caller, await obtainCode(first, username, password));
  const { access_token: token } = redeemed.json;
  const nonce = redeemed.headers['dpop-nonce'];
  const request = { method: 'GET', url: new URL(path, url).href };
  const now = systemClock.now();
  const iat = Math.floor(now / 1000) + fraction;
  const dpop = key.proof(request, now, { claims: { ath: hashOf(token), nonce, iat } });
  const headers = { authorization: `DPoP ${token}`, dpop };
  return Promise.all(clients.map((client) => client.get(path, { headers })));
}

/** `ath` of an access token. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The same client with these headers on every request. */
export function withHeaders(client: HttpsClient, headers: Readonly<Record<string, string>>): HttpsClient {
  const merged = (init: RequestInit = {}) => ({ ...init, headers: { ...init.headers, ...headers } });
  return {
    ...client,
    request: (method, path, init) => client.request(method, path, merged(init)),
    get: (path, init) => client.get(path, merged(init)),
    post: (path, init) => client.post(path, merged(init)),
  };
}

function pairOf(alg: ProofAlgorithm, modulusLength: number) {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('rsa', { modulusLength });
}

function signed(alg: ProofAlgorithm, key: KeyObject, input: string): string {
  const data = Buffer.from(input);
  if (alg === 'EdDSA') return sign(null, data, key).toString('base64url');
  const how =
    alg === 'PS256' ? { padding: 6, saltLength: 32 } : alg === 'ES256' ? { dsaEncoding: 'ieee-p1363' } : {};
  return sign('sha256', data, { key, ...how } as Parameters<typeof sign>[2]).toString('base64url');
}

function segment(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function dropNull(_name: string, value: unknown): unknown {
  return value === null ? undefined : value;
}
