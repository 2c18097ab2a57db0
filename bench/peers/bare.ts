// The floor: node:https and the least code that does the same work, with none of the checks.
import { generateKeyPairSync, hash, randomBytes, sign, verify } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { systemClock } from '../../src/platform/clock.ts';
import { createHashPool } from '../../src/platform/secrets/hash-pool.ts';
import { preparePassword } from '../../src/platform/secrets/password-hash.ts';
import { answerCommands } from '../child-channel.ts';
import { openBareStore } from './bare-store.ts';
import { peerArguments } from './peer.ts';

const { port, tls } = peerArguments();
const write = await openBareStore(process.argv[5] ?? ':memory:');
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const tokenHeader = encode({
  alg: 'ES256',
  kid: 'f3Jq0m7o2xk6JkXy2Kc7v1cN9yS8dG4hT5bR6wE1zQA',
  typ: 'at+jwt',
});
const seenTokens = new Map<string, object>();
const requests = new Map<
  string,
  { readonly redirectUri: string; readonly state: string; readonly challenge: string }
>();
const subject = '0198c000-0000-7000-a000-000000000001';
const tokenLifetime = 1800;
/** By path. */
const imitated = new Map<string, { readonly headers: OutgoingHttpHeaders; readonly body: string }>();
let lastSession = 0;

createServer(tls, (request, response) => {
  const { url = '' } = request;
  const question = url.indexOf('?');
  const path = question === -1 ? url : url.slice(0, question);
  const answer = imitated.get(path);
  if (answer !== undefined) {
    const isGood = path !== '/first-sight' || isKnown(request.headers.authorization ?? '');
    return send(response, isGood ? 200 : 401, answer.body, answer.headers);
  }
  if (path === '/authorization') return beginLogin(response, new URLSearchParams(url.slice(question + 1)));
  readText(request, (text) => {
    if (path === '/refresh') void refresh(response, new URLSearchParams(text));
    else if (path === '/login') void login(response, JSON.parse(text));
    else if (path === '/token') void redeem(response, new URLSearchParams(text));
    else send(response, 404, '{}');
  });
}).listen(port, '127.0.0.1');

function isKnown(authorization: string): boolean {
  const token = authorization.slice('Bearer '.length);
  const key = hash('sha256', token, 'base64url');
  if (seenTokens.has(key)) return true;
  const end = token.lastIndexOf('.');
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  const signed = Buffer.from(token.slice(0, end));
  if (!verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)) return false;
  seenTokens.set(key, JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()));
  return true;
}

function beginLogin(response: ServerResponse, query: URLSearchParams): void {
  const id = randomBytes(16).toString('base64url');
  requests.set(id, {
    redirectUri: query.get('redirect_uri') ?? '',
    state: query.get('state') ?? '',
    challenge: query.get('code_challenge') ?? '',
  });
  response.writeHead(302, { location: `/login?authRequestID=${id}`, 'content-length': 0 }).end();
}

interface Login {
  readonly authRequestId: string;
  readonly username: string;
  readonly password: string;
}

async function login(response: ServerResponse, { authRequestId }: Login): Promise<void> {
  const request = requests.get(authRequestId);
  requests.delete(authRequestId);
  if (request === undefined) return send(response, 400, '{}');
  const code = randomBytes(32).toString('base64url');
  await write(
    'keepCode',
    `${hash('sha256', code, 'base64url')}.${request.challenge}`,
    subject,
    Date.now() + 60_000,
  );
  const location = `${request.redirectUri}?code=${code}&state=${request.state}`;
  response.writeHead(302, { location, 'content-length': 0 }).end();
}

async function redeem(response: ServerResponse, form: URLSearchParams): Promise<void> {
  const challenge = hash('sha256', form.get('code_verifier') ?? '', 'base64url');
  const key = `${hash('sha256', form.get('code') ?? '', 'base64url')}.${challenge}`;
  const session = lastSession + 1;
  lastSession = session;
  const refreshToken = `${session}.${randomBytes(32).toString('base64url')}`;
  const now = Date.now();
  const [used] = await Promise.all([
    write('useCode', now, key, now),
    write('openSession', session, hash('sha256', refreshToken, 'base64url'), now + 86_400_000, subject),
  ]);
  if (!used) return send(response, 400, '{}');
  send(response, 200, tokens(session, refreshToken));
}

async function refresh(response: ServerResponse, form: URLSearchParams): Promise<void> {
  const presented = form.get('refresh_token') ?? '';
  const session = Number(presented.slice(0, presented.indexOf('.')));
  const next = `${session}.${randomBytes(32).toString('base64url')}`;
  const rotated = await write(
    'rotate',
    hash('sha256', next, 'base64url'),
    Date.now() + 86_400_000,
    session,
    hash('sha256', presented, 'base64url'),
  );
  if (!rotated) return send(response, 400, '{}');
  send(response, 200, tokens(session, next));
}

function tokens(session: number, refreshToken: string): string {
  const accessToken = signed(session);
  const idToken = signed(session, hash('sha256', accessToken, 'base64url').slice(0, 22));
  return JSON.stringify({
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: tokenLifetime,
    id_token: idToken,
    scope: 'openid offline_access',
    refresh_token: refreshToken,
  });
}

function signed(session: number, atHash?: string): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = encode({
    iss: `https://localhost:${port}/oidc`,
    sub: subject,
    aud: 'overlay-edge-apis',
    exp: now + tokenLifetime,
    iat: now,
    nbf: now,
    jti: randomBytes(16).toString('hex'),
    client_id: 'overlay',
    scope: 'openid offline_access',
    amr: ['password'],
    auth_time: now,
    z_asid: `0198c000-0000-7000-b000-${session.toString(16).padStart(12, '0')}`,
    ...(atHash === undefined ? {} : { at_hash: atHash }),
  });
  const text = `${tokenHeader}.${payload}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

function readText(request: IncomingMessage, use: (text: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => use(Buffer.concat(chunks).toString()));
}

interface Imitation {
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

const hashPool = createHashPool({ clock: systemClock });
const password = preparePassword('seven quiet lanterns');
let phc: Promise<string> | undefined;

answerCommands({
  /** The answer of this path has these header lines and a body of the length of this text. */
  answerLike: ({ path, headers, body }: Imitation) => {
    const text = JSON.stringify({ data: 'x'.repeat(Math.max(0, body.length - '{"data":""}'.length)) });
    imitated.set(path, { headers, body: text });
  },
  accessTokens: (count: number) => Array.from({ length: count }, (_, index) => signed(index)),
  openSessions: async (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        lastSession += 1;
        const text = `${lastSession}.${randomBytes(32).toString('base64url')}`;
        await write(
          'openSession',
          lastSession,
          hash('sha256', text, 'base64url'),
          Date.now() + 86_400_000,
          subject,
        );
        return text;
      }),
    ),
  /** Verifies a password, as the controller does, and nothing else. */
  verifyPassword: async () => {
    phc ??= hashPool.hash(password, 'bench');
    return hashPool.verify(await phc, password, 'bench');
  },
});
