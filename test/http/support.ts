// A listener on a free port with endpoints of the test's own, and clients that can misbehave.

import { request as httpsRequest } from 'node:https';
import type { TestContext } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { z } from 'zod';
import { issuerOf } from '../../src/config/addresses.ts';
import type { BindPoint, Listener, ListenerApi } from '../../src/config/config.ts';
import { AuthError } from '../../src/errors/auth-error.ts';
import { noTokenChallenges } from '../../src/errors/challenge.ts';
import { auditLog } from '../../src/explain/audit-trail.ts';
import { viewsOf } from '../../src/http/pages/views.ts';
import { envelope, json } from '../../src/http/request/answer.ts';
import { type Route, route } from '../../src/http/request/route.ts';
import { type ListenerOptions, type RunningListener, startListener } from '../../src/http/server/listener.ts';
import type { ListenerServices } from '../../src/http/server/mount.ts';
import type { TlsMaterial } from '../../src/http/server/tls-material.ts';
import { asId } from '../../src/model/ids.ts';
import type { Principal } from '../../src/model/principal.ts';
import { lookOf } from '../../src/pages/look.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { LogFields } from '../../src/platform/log/log-line.ts';
import type { Logger } from '../../src/platform/log/logger.ts';
import { sampledLines } from '../../src/platform/log/sampled-lines.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { CertifiedKey } from '../../src/platform/x509/certificate-builder.ts';
import { createRootCa, issueServerCertificate } from '../../src/platform/x509/pki.ts';
import { patience } from '../support/until.ts';

const needs = { clock: systemClock };

export const testCa: CertifiedKey = await createRootCa(needs, { commonName: 'Test root', days: 2 });

/** Server identity for localhost, 127.0.0.1 and b2.test. */
export async function newMaterial(): Promise<TlsMaterial> {
  const issued = await issueServerCertificate(needs, {
    days: 1,
    dnsNames: ['localhost', 'b2.test'],
    ips: ['127.0.0.1'],
    ca: testCa,
  });
  return { certificateChain: issued.certPem, privateKey: issued.keyPem };
}

export const testMaterial: TlsMaterial = await newMaterial();

export function bindPoint(address = 'localhost:0', port = 0): BindPoint {
  return {
    interface: { host: '127.0.0.1', port },
    address,
    issuer: issuerOf(address),
  };
}

const allApis: readonly ListenerApi[] = [
  { binding: 'edge-client' },
  { binding: 'edge-management' },
  {
    binding: 'edge-oidc',
    options: {
      redirectURIs: [
        { kind: 'exact', uri: 'https://app.example/auth/callback' },
        { kind: 'exact', uri: 'com.example.app:/callback' },
        { kind: 'any-port', prefix: 'http://localhost', suffix: '/auth/callback' },
        { kind: 'exact', uri: 'http://127.0.0.1:8400/auth/callback' },
        { kind: 'any-port', prefix: 'https://wild.example', suffix: '/auth/callback' },
      ],
      postLogoutURIs: [],
      browserSession: null,
    },
  },
  { binding: 'health-checks' },
];

export function testListener(overrides: Partial<Listener> = {}): Listener {
  const files = { certFile: 'cert.pem', serverCertFile: 'server.pem', keyFile: 'key.pem', caFile: 'ca.pem' };
  return {
    name: 'test',
    bindPoints: [bindPoint()],
    identity: files,
    minTLSVersion: 'TLS1.2',
    maxTLSVersion: 'TLS1.3',
    idleTimeout: 5000,
    readTimeout: 10_000,
    writeTimeout: 10_000,
    clientCertificates: 'request',
    strictTransportSecurity: 'auto',
    proxyProtocol: { balancers: [] },
    apis: allApis,
    ...overrides,
  };
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

export function recordingLogger(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: LogLine['level']) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields });
    };
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { ...logger, lines, always: at('info'), child: () => recordingLogger() };
}

function testPrincipal(overrides: Partial<Principal> = {}): Principal {
  const now = systemClock.now();
  return {
    identityId: asId('identity-1'),
    account: { identity: { id: asId('identity-1'), name: 'alice' } } as Principal['account'],
    isAdmin: false,
    permissions: [],
    apiSessionId: asId('session-1'),
    mechanism: 'oidc',
    issuer: 'https://localhost/oidc',
    clientId: 'overlay',
    scopes: ['openid'],
    configTypes: [],
    passed: ['password'] as unknown as Principal['passed'],
    authTime: now,
    issuedAt: now,
    expiresAt: now + 1_800_000,
    outstanding: [],
    ...overrides,
  };
}

/** The look of pages in these tests. */
export const branded = lookOf({
  help: null,
  name: 'Test',
  colors: {
    light: { accent: '#0000ff', on: '#ffffff' },
    dark: { accent: '#ffffff', on: '#000000' },
  },
  logo: null,
  logoDark: null,
});
export const views = viewsOf(branded.look);

/** Knows the tokens `full`, `partial` and `admin`. */
const authenticate: ListenerServices['authenticate'] = ({ bearers: [token] }) => {
  if (token === 'full') return testPrincipal();
  if (token === 'partial') return testPrincipal({ outstanding: [{ type: 'totp', isEnrolled: true }] });
  if (token === 'admin') return testPrincipal({ isAdmin: true });
  throw new AuthError('unauthorized', { challenges: noTokenChallenges });
};

/** A node whose clock is right, and which has never stood still. */
export const awake: Pick<ListenerServices, 'clockWatch' | 'feed'> = {
  clockWatch: { isWrong: false, refusal: () => new Error('is asked for while the clock is wrong') },
  feed: { hasStoodStill: false, beFresh: async () => {} },
};

export interface StartOptions {
  readonly routes?: readonly Route[];
  readonly listener?: Partial<Listener>;
  readonly material?: TlsMaterial;
  readonly limits?: ListenerOptions;
  readonly clock?: Clock;
  readonly feed?: ListenerServices['feed'];
}

export interface TestServer {
  readonly running: RunningListener;
  readonly port: number;
  readonly log: ReturnType<typeof recordingLogger>;
}

/** Starts a listener that ends with the test. */
export async function startTestListener(t: TestContext, options: StartOptions = {}): Promise<TestServer> {
  const log = recordingLogger();
  const lines = sampledLines({
    clock: systemClock,
    write: ({ level, message, fields }) => log[level](message, fields),
  });
  const running = await startListener(
    {
      clock: options.clock ?? systemClock,
      random: systemRandom,
      log,
      audit: { ...auditLog(log), kept: async () => true },
      attempts: { refused: () => {} },
      strangersLog: lines,
      callersLog: lines,
      authenticate,
      ...awake,
      ...(options.feed !== undefined && { feed: options.feed }),
      nonces: { current: () => '' },
    },
    {
      listener: testListener(options.listener),
      material: options.material ?? testMaterial,
      routes: options.routes ?? echoRoutes,
      views,
    },
    { drain: 1000, ...options.limits },
  );
  t.after(() => running.close());
  return { running, port: running.bindPoints[0]?.interface.port ?? 0, log };
}

const anything = z.record(z.string(), z.unknown());

/** One endpoint of each kind. */
export const echoRoutes: readonly Route[] = [
  route(['GET', 'HEAD'], '/edge/client/v1/version', {
    api: 'edge-client',
    guard: 'anonymous',
    load: 'light',
    errors: 'edge',
    summary: 'For a test',
    answers: {},
    handler: (context) =>
      envelope({ issuer: context.issuer, requestId: context.requestId, remote: context.remoteAddress }),
  }),
  route('POST', '/edge/client/v1/things', {
    api: 'edge-client',
    guard: 'anonymous',
    load: 'light',
    errors: 'edge',
    summary: 'For a test',
    answers: {},
    body: { json: true, form: false, schema: anything },
    handler: (_context, { body }) => envelope(body, {}, { status: 201 }),
  }),
  route(['GET', 'DELETE'], '/edge/client/v1/things/:id', {
    api: 'edge-client',
    guard: 'full',
    errors: 'edge',
    summary: 'For a test',
    answers: {},
    params: z.object({ id: z.string() }),
    handler: (context, { params }) =>
      envelope({ id: params.id, name: context.principal.account.identity.name }),
  }),
  route('GET', '/edge/client/v1/half', {
    api: 'edge-client',
    guard: 'partial',
    errors: 'edge',
    summary: 'For a test',
    answers: {},
    handler: (context) => envelope({ name: context.principal.account.identity.name }),
  }),
  route('GET', '/edge/management/v1/things', {
    api: 'edge-management',
    guard: 'admin',
    errors: 'edge',
    summary: 'For a test',
    answers: {},
    handler: () => envelope([]),
  }),
  route('POST', '/oidc/login/username', {
    api: 'oidc',
    guard: 'anonymous',
    load: 'light',
    errors: 'html-or-edge',
    summary: 'For a test',
    answers: {},
    body: {
      json: true,
      form: true,
      schema: z.object({
        username: z.string().min(1),
        password: z.string(),
        configTypes: z.union([z.string(), z.array(z.string())]).optional(),
      }),
    },
    handler: (_context, { body }) => json({ username: body.username, configTypes: body.configTypes ?? null }),
  }),
  route('POST', '/oidc/token', {
    api: 'oidc',
    guard: 'anonymous',
    load: 'light',
    errors: 'oauth',
    summary: 'For a test',
    answers: {},
    body: { json: false, form: true, schema: z.object({ grant_type: z.string() }) },
    handler: (_context, { body }) => json(body),
  }),
  route(['POST', 'DELETE'], '/oidc/login/totp/enroll', {
    api: 'oidc',
    guard: 'anonymous',
    load: 'light',
    errors: 'html-or-edge',
    summary: 'For a test',
    answers: {},
    body: { json: true, form: true, schema: anything },
    handler: (_context, { body }) => json({ fields: Object.keys(body as object) }),
  }),
  route('GET', '/oidc/authorization', {
    api: 'oidc',
    guard: 'anonymous',
    load: 'light',
    errors: 'html-or-oauth',
    summary: 'For a test',
    answers: {},
    query: z.object({ client_id: z.string(), state: z.string().optional() }),
    handler: (_context, { query }) => json(query),
  }),
];

export interface TestRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
  readonly tls?: ConnectionOptions;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the server answered.
  readonly json: any;
}

/** One request on a connection of its own. */
export function send(port: number, path: string, options: TestRequest = {}): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path,
        agent: false,
        method: options.method ?? 'GET',
        ca: testCa.certPem,
        ...options.tls,
        headers: { host: `localhost:${port}`, ...options.headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const { 'content-type': type = '', 'content-encoding': coding } = response.headers;
          const isJson = /json/.test(type) && text !== '' && coding === undefined;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: isJson ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}

export async function openSocket(port: number, tls: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: 'localhost',
    ca: testCa.certPem,
    ALPNProtocols: ['http/1.1'],
    ...tls,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

export interface RawAnswer {
  /** Everything the server sent until it closed, or until `millis` had passed. */
  readonly text: string;
  readonly closed: boolean;
  readonly status: number;
}

/** Sends bytes as they are and reads until the server closes. */
export async function sendRaw(port: number, bytes: string, millis = patience): Promise<RawAnswer> {
  const socket = await openSocket(port);
  return readUntilClose(socket, millis, () => socket.write(Buffer.from(bytes, 'latin1')));
}

export function readUntilClose(socket: TLSSocket, millis: number, begin: () => void): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = '';
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, closed, status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0) });
    };
    const timer = setTimeout(() => finish(false), millis);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('end', () => finish(true));
    socket.on('close', () => finish(true));
    begin();
  });
}
