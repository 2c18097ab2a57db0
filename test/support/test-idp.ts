// An identity provider on HTTPS, for tests: discovery, keys with rotation, tokens, and ways to misbehave.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { systemClock } from '../../src/platform/clock.ts';
import { type Closable, closable, stopServing } from './closable.ts';
import { testPki } from './test-pki.ts';

/** The answer at the address of the keys, instead of the keys. */
export type Misbehaviour =
  | { readonly kind: 'status'; readonly status: number }
  /** Accepts the request and never answers. */
  | { readonly kind: 'silence' }
  /** The keys, but only after this resolves. */
  | { readonly kind: 'late'; readonly until: Promise<void> }
  /** Sends one byte at a time and never ends. */
  | { readonly kind: 'drip' }
  /** A body of this many bytes, with or without announcing the length. */
  | { readonly kind: 'huge'; readonly bytes: number; readonly announced: boolean }
  | { readonly kind: 'body'; readonly body: string | Buffer; readonly headers?: Record<string, string> }
  | { readonly kind: 'redirect'; readonly to: string }
  /** This many redirects within this server, then the keys. */
  | { readonly kind: 'redirects'; readonly hops: number }
  /** Ends the connection in the middle of the body. */
  | { readonly kind: 'broken' };

export interface TokenOptions {
  /** Sign with this key instead of the newest. */
  readonly kid?: string;
  /** Replaces or adds header parameters; undefined removes one. */
  readonly header?: Readonly<Record<string, unknown>>;
}

export interface TestIdp extends Closable {
  /** `https://localhost:PORT` */
  readonly issuer: string;
  readonly jwksEndpoint: string;
  readonly port: number;
  /** The root of its server certificate. */
  readonly caPem: string;
  /** How often each path was requested. */
  readonly requests: ReadonlyMap<string, number>;
  /** How often the keys were requested, not counting redirects. */
  keyRequests(): number;
  /** The default of `TokenOptions.kid`. */
  currentKid(): string;
  /** Publishes another key and signs with it from now on. @returns its kid */
  rotate(alg?: string, kid?: string): Promise<string>;
  /** Removes a key from the set; it can still sign tokens. */
  withdraw(kid: string): void;
  /** Adds members to its discovery document, or replaces them; undefined removes one. */
  describe(members: Readonly<Record<string, unknown>>): void;
  /** Null ends it. */
  misbehave(how: Misbehaviour | null): void;
  /** Signs claims as given: the caller adds `iss` and times. */
  sign(claims: Readonly<Record<string, unknown>>, options?: TokenOptions): Promise<string>;
  publishedKeys(): readonly JWK[];
}

interface OwnKey {
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** Starts with one ES256 key. The caller closes it. */
export async function startTestIdp(): Promise<TestIdp> {
  const pki = await testPki();
  const keys = new Map<string, OwnKey>();
  const published = new Set<string>();
  const requests = new Map<string, number>();
  let current = '';
  let misbehaviour: Misbehaviour | null = null;
  let described: Readonly<Record<string, unknown>> = {};

  const publishedKeys = () => [...keys].filter(([kid]) => published.has(kid)).map(([, { jwk }]) => jwk);
  const server = createServer({ cert: pki.server.certPem, key: pki.server.keyPem }, (request, response) => {
    const path = request.url ?? '';
    requests.set(path, (requests.get(path) ?? 0) + 1);
    const hops = /^\/hop\/(\d+)$/.exec(path)?.[1];
    if (/^\/.well-known\/openid-configuration(\?|$)/.test(path)) {
      sendJson(response, { issuer, jwks_uri: `${issuer}/jwks`, ...described });
    } else if (path === '/jwks' && misbehaviour !== null) {
      if (misbehaviour.kind === 'late') {
        void misbehaviour.until.then(() => sendJson(response, { keys: publishedKeys() }));
      } else answerBadly(response, misbehaviour);
    } else if (path === '/jwks' || hops === '0') {
      sendJson(response, { keys: publishedKeys() });
    } else if (hops !== undefined) {
      response.writeHead(302, { location: `/hop/${Number(hops) - 1}` }).end();
    } else {
      response.writeHead(404).end();
    }
  });
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = `https://localhost:${port}`;

  const rotate: TestIdp['rotate'] = async (alg = 'ES256', kid = `${alg}-${keys.size + 1}`) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    keys.set(kid, { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' } });
    published.add(kid);
    current = kid;
    return kid;
  };
  await rotate();

  return closable<TestIdp>({
    issuer,
    port,
    jwksEndpoint: `${issuer}/jwks`,
    caPem: pki.ca.certPem,
    requests,
    keyRequests: () => requests.get('/jwks') ?? 0,
    currentKid: () => current,
    rotate,
    withdraw: (kid) => published.delete(kid),
    describe(members) {
      described = members;
    },
    misbehave(how) {
      misbehaviour = how;
    },
    sign(claims, { kid = current, header = {} } = {}) {
      const key = keys.get(kid);
      if (key === undefined) throw new Error(`the test provider has no key ${kid}`);
      const token = new SignJWT({ ...claims });
      token.setProtectedHeader({ alg: key.alg, kid, typ: 'JWT', ...header });
      return token.sign(key.privateKey);
    },
    publishedKeys,
    close: () => stopServing(server),
  });
}

function answerBadly(response: ServerResponse, how: Exclude<Misbehaviour, { kind: 'late' }>): void {
  switch (how.kind) {
    case 'status':
      response.writeHead(how.status).end('{"keys":[]}');
      return;
    case 'silence':
      return;
    case 'drip': {
      response.writeHead(200).write('{"keys":[');
      const timer = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case 'huge':
      sendHuge(response, how);
      return;
    case 'body':
      response.writeHead(200, how.headers ?? { 'content-type': 'application/json' }).end(how.body);
      return;
    case 'redirect':
      response.writeHead(302, { location: how.to }).end();
      return;
    case 'redirects':
      response.writeHead(302, { location: `/hop/${how.hops - 1}` }).end();
      return;
    case 'broken':
      response.writeHead(200, { 'content-length': '1000' }).write('{"keys":[', () => response.destroy());
      return;
  }
}

function sendHuge(response: ServerResponse, how: { bytes: number; announced: boolean }): void {
  response.writeHead(200, how.announced ? { 'content-length': String(how.bytes) } : {});
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let left = how.bytes;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Claims of a token that is valid for ten minutes by `clock`, with further or other ones. */
export function goodClaims(
  wanted: { readonly issuer: string; readonly audience: string; readonly subject: string },
  clock: { now(): number } = systemClock,
): Record<string, unknown> {
  const iat = Math.floor(clock.now() / 1000);
  return { iss: wanted.issuer, aud: wanted.audience, sub: wanted.subject, iat, exp: iat + 600 };
}
