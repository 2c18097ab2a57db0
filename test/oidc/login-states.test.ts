// Every state of a login with every endpoint: what it answers, that nothing takes a short cut to a code, and that
// every state that is not final can still be finished. A new endpoint has to be added here.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  authRequestIdOf,
  beginLogin,
  codeOf,
  redeem,
  submitPassword,
} from '../support/flow.ts';
import { type Answer, type HttpsClient, httpsClient } from '../support/https-client.ts';
import { startTestServer } from '../support/test-server.ts';
import {
  type AuthenticatorApp,
  abandonEnrollment,
  authQueries,
  createTotpUser,
  enroll,
  password,
  scan,
  startEnrollment,
  step,
  submitCode,
  totpPolicy,
  verifyEnrollment,
} from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await startTestServer({
  clock,
  configure: (yaml) =>
    yaml.replace(
      / *- interface: (.*)\n *address: .*\n/,
      (point) => `${point}${point.replace(/address: .*/, 'address: other.localhost:0')}`,
    ),
});
const [, other] = server.controller.bindPoints;
const otherBindPoint = httpsClient(`https://${other?.address}`, server.caPem);
const policy = await totpPolicy(server);
after(async () => {
  otherBindPoint.closeConnections();
  await server.close();
});

/** A login at some point of its course, and who is logging in. */
interface Login {
  readonly id: string;
  readonly username: string;
  /** What the person has: an enrolled app, or one whose enrollment has begun. */
  app?: AuthenticatorApp;
  /** Where requests go, if not to the address where the login began. */
  readonly client?: HttpsClient;
}

let people = 0;
async function somebody(): Promise<string> {
  people += 1;
  await createTotpUser(server, policy, `person${people}`);
  return `person${people}`;
}

async function freshLogin(): Promise<Login> {
  return { username: await somebody(), id: await beginLogin(server) };
}

async function enrolledLogin(): Promise<Login & { app: AuthenticatorApp }> {
  const username = await somebody();
  const { app } = await enroll(server, clock, username);
  return { username, app, id: await beginLogin(server) };
}

async function withPassword<L extends Login>(login: L, secret = password): Promise<L> {
  await submitPassword(server, login.id, login.username, secret);
  return login;
}

async function enrolling(): Promise<Login> {
  const login = await withPassword(await freshLogin());
  const started = await startEnrollment(server, login.id);
  return { ...login, app: scan(clock, started.json.provisioningUrl) };
}

async function finished(): Promise<Login> {
  const login = await withPassword(await enrolledLogin());
  assert.equal((await submitCode(server, login.id, login.app.code())).status, 302);
  clock.advance(step);
  return login;
}

async function aged(login: Promise<Login>, by: number): Promise<Login> {
  const old = await login;
  clock.advance(by);
  return old;
}

async function ofAnotherBrowser(): Promise<Login> {
  const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
  const begun = await server.get(`/oidc/authorization?${authorizationQuery()}`, { headers });
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
  const login = { username: await somebody(), id: authRequestIdOf(begun) };
  const { username } = login;
  const form = { authRequestId: login.id, username, password };
  const partial = await server.post('/oidc/login/username', { form, headers: { ...headers, cookie } });
  assert.equal(partial.status, 200);
  return login;
}

const states = {
  'no request': async () => ({ id: 'x', username: await somebody() }),
  fresh: freshLogin,
  'failed primary': async () => withPassword(await freshLogin(), 'wrong'),
  'TOTP outstanding, not enrolled': async () => withPassword(await freshLogin()),
  'TOTP outstanding, enrolled': async () => withPassword(await enrolledLogin()),
  enrolling,
  'enrolling for 29 minutes': () => aged(enrolling(), 29 * MINUTE),
  finished,
  'expired before the primary login': () => aged(freshLogin(), 10 * MINUTE),
  'expired with TOTP outstanding': async () => aged(withPassword(await enrolledLogin()), 10 * MINUTE),
  'expired while enrolling': () => aged(enrolling(), 30 * MINUTE),
  'at another bind point': async () => ({
    ...(await withPassword(await enrolledLogin())),
    client: otherBindPoint,
  }),
  'in another browser': ofAnotherBrowser,
} satisfies Record<string, () => Promise<Login>>;
type State = keyof typeof states;

/** Names an answer; refusals by their code. */
function outcomeOf(answer: Answer): string {
  const { location } = answer.headers;
  if (answer.status === 302 && location?.includes('error=access_denied')) return 'given up';
  if (answer.status === 302) return location?.includes('code=') ? 'code' : 'redirect';
  if (answer.status === 201) return 'record';
  if (answer.status === 200) {
    if (answer.text === '{}') return 'cancelled';
    return answer.json.authQueries === undefined ? 'form' : 'queries';
  }
  return answer.json.error.code;
}

interface Endpoint {
  send(client: HttpsClient, login: Login): Promise<Answer>;
  /** The outcome in each state in which the request is open; in all others it is INVALID_AUTH_REQUEST. */
  readonly open: Partial<Record<State, string>>;
}

const shown = (outcome: string): Endpoint['open'] => ({
  fresh: outcome,
  'failed primary': outcome,
  'TOTP outstanding, not enrolled': outcome,
  'TOTP outstanding, enrolled': outcome,
  enrolling: outcome,
  'enrolling for 29 minutes': outcome,
});
const partial = (notEnrolled: string, enrolled: string, whileEnrolling: string): Endpoint['open'] => ({
  'TOTP outstanding, not enrolled': notEnrolled,
  'TOTP outstanding, enrolled': enrolled,
  enrolling: whileEnrolling,
  'enrolling for 29 minutes': whileEnrolling,
});
const code = ({ app }: Login) => app?.code() ?? '123456';

/** The other one is where existing SDKs send passwords. */
const otherPasswordPath = '/oidc/login/password';

/** Answers of an authenticator that is unknown, to questions that were not asked. */
const stranger = new SoftAuthenticator('https://localhost');
const asked = { rp: { id: 'localhost' }, rpId: 'localhost', user: { id: 'eA' }, challenge: 'eA' };
const newKey = stranger.create(asked);
const keyAnswer = stranger.get(asked);

/** By method and path; brackets tell several uses of one endpoint apart. */
const endpoints: Readonly<Record<string, Endpoint>> = {
  [`GET ${otherPasswordPath}`]: {
    send: (client, { id }) => client.get(`${otherPasswordPath}?authRequestID=${id}`),
    open: shown('form'),
  },
  [`POST ${otherPasswordPath}`]: {
    send: (client, { id, username }) =>
      client.post(otherPasswordPath, { json: { authRequestId: id, username, password } }),
    open: shown('queries'),
  },
  'GET /oidc/login/username': {
    send: (client, { id }) => client.get(`/oidc/login/username?authRequestID=${id}`),
    open: shown('form'),
  },
  'POST /oidc/login/username (right password)': {
    send: (client, { id, username }) => submitPassword(client, id, username, password),
    open: shown('queries'),
  },
  'POST /oidc/login/username (wrong password)': {
    send: (client, { id, username }) => submitPassword(client, id, username, 'wrong'),
    open: shown('INVALID_AUTH'),
  },
  'GET /oidc/login/passkey': {
    send: (client, { id }) => client.get(`/oidc/login/passkey?authRequestID=${id}`),
    open: shown('form'),
  },
  'GET /oidc/login/passkey/options': {
    send: (client, { id }) => client.get(`/oidc/login/passkey/options?id=${id}`),
    open: shown('form'),
  },
  'POST /oidc/login/passkey': {
    send: (client, { id }) => client.post('/oidc/login/passkey', { json: { id, response: keyAnswer } }),
    open: shown('INVALID_AUTH'),
  },
  // No policy asks for one here; for the steps when one does see test/login/passkey.test.ts.
  'POST /oidc/login/passkey/register/options': {
    send: (client, { id }) => client.post('/oidc/login/passkey/register/options', { json: { id } }),
    open: partial('CONFLICT', 'CONFLICT', 'CONFLICT'),
  },
  'POST /oidc/login/passkey/register': {
    send: (client, { id }) => client.post('/oidc/login/passkey/register', { json: { id, response: newKey } }),
    open: partial('CONFLICT', 'CONFLICT', 'CONFLICT'),
  },
  'GET /oidc/login/auth-queries': {
    send: (client, { id }) => authQueries(client, id),
    open: partial('queries', 'queries', 'queries'),
  },
  'POST /oidc/login/totp (right code)': {
    send: (client, login) => submitCode(client, login.id, code(login)),
    open: partial('INVALID_TOTP_CODE', 'code', 'INVALID_TOTP_CODE'),
  },
  'POST /oidc/login/totp (no code)': {
    send: (client, { id }) => submitCode(client, id, ''),
    open: partial('INVALID_TOTP_CODE', 'INVALID_TOTP_CODE', 'INVALID_TOTP_CODE'),
  },
  'POST /oidc/login/totp/enroll': {
    send: (client, { id }) => startEnrollment(client, id),
    open: partial('record', 'MFA_EXISTS', 'MFA_EXISTS'),
  },
  'POST /oidc/login/totp/enroll/verify (right code)': {
    send: (client, login) => verifyEnrollment(client, login.id, code(login)),
    open: partial('NOT_FOUND', 'NOT_FOUND', 'code'),
  },
  'POST /oidc/login/totp/enroll/verify (no code)': {
    send: (client, { id }) => verifyEnrollment(client, id, ''),
    open: partial('NOT_FOUND', 'NOT_FOUND', 'INVALID_TOTP_CODE'),
  },
  'GET /oidc/login/cancel': {
    send: (client, { id }) => client.get(`/oidc/login/cancel?id=${id}`),
    open: shown('given up'),
  },
  // No person has to change a password here; for the step when it is due see test/login/password-must-change.test.ts.
  'POST /oidc/login/password-change': {
    send: (client, { id }) =>
      client.post('/oidc/login/password-change', { json: { id, password: 'eleven loud umbrellas' } }),
    open: partial('CONFLICT', 'CONFLICT', 'CONFLICT'),
  },
  'DELETE /oidc/login/totp/enroll': {
    send: (client, { id }) => abandonEnrollment(client, id),
    open: partial('NOT_FOUND', 'NOT_FOUND', 'cancelled'),
  },
  'POST /oidc/login/totp/enroll/cancel': {
    send: (client, { id }) => client.post('/oidc/login/totp/enroll/cancel', { json: { id } }),
    open: partial('NOT_FOUND', 'NOT_FOUND', 'cancelled'),
  },
};

/** Endpoints that know no login in progress: its id gives nothing there, in any state. */
const elsewhere: Readonly<Record<string, (client: HttpsClient, id: string) => Promise<Answer>>> = {
  'POST /oidc/token': (client, id) => redeem(client, id),
  'POST /oidc/token (refresh)': (client, id) =>
    client.post('/oidc/token', {
      form: { grant_type: 'refresh_token', refresh_token: id, client_id: 'overlay' },
    }),
  'GET /oidc/userinfo': (client, id) => bearer(client, '/oidc/userinfo', id),
};

function bearer(client: HttpsClient, path: string, token: string): Promise<Answer> {
  return client.get(path, { headers: { authorization: `Bearer ${token}` } });
}

const final: readonly State[] = [
  'no request',
  'finished',
  'expired before the primary login',
  'expired with TOTP outstanding',
  'expired while enrolling',
  'at another bind point',
  'in another browser',
];

/** Finishes a login like a client that has lost its place: asks what remains, and does it. */
async function finish(login: Login): Promise<Answer> {
  let answer = await authQueries(server, login.id);
  if (answer.status !== 200) answer = await submitPassword(server, login.id, login.username, password);
  assert.equal(outcomeOf(answer), 'queries', answer.text);
  if (answer.json.authQueries[0].isTotpEnrolled) {
    return submitCode(server, login.id, login.app?.code() ?? '');
  }
  if ((await startEnrollment(server, login.id)).status === 201) await abandonEnrollment(server, login.id);
  else assert.equal((await abandonEnrollment(server, login.id)).status, 200);
  const started = await startEnrollment(server, login.id);
  return verifyEnrollment(server, login.id, scan(clock, started.json.provisioningUrl).code());
}

for (const [state, reach] of Object.entries(states) as [State, () => Promise<Login>][]) {
  describe(`a login that is: ${state}`, () => {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const expected = endpoint.open[state] ?? 'INVALID_AUTH_REQUEST';
      test(`${name}: ${expected}`, async () => {
        const login = await reach();
        const answer = await endpoint.send(login.client ?? server, login);
        assert.equal(outcomeOf(answer), expected, answer.text);
        if (expected === 'code') {
          assert.equal((await redeem(server, codeOf(answer))).status, 200);
          return;
        }
        if (expected !== 'given up') assert.equal(answer.headers.location, undefined);
        if (final.includes(state)) return;
        clock.advance(step);
        assert.equal(outcomeOf(await finish(login)), 'code', 'the login can still be finished');
      });
    }

    test('is useless at any other endpoint', async () => {
      const login = await reach();
      for (const [name, send] of Object.entries(elsewhere)) {
        const answer = await send(server, login.id);
        assert.ok(answer.status === 400 || answer.status === 401, `${name}: ${answer.status}`);
        assert.ok(!answer.text.includes('access_token'), name);
      }
      for (const { methods, path, guard } of server.controller.services.routes) {
        if (guard === 'anonymous') continue;
        for (const headers of [{ authorization: `Bearer ${login.id}` }, { 'zt-session': login.id }]) {
          for (const method of methods) {
            const answer = await server.request(method, path.replace(/:\w+/g, 'x'), { headers });
            assert.equal(answer.status, 401, `${method} ${path}`);
          }
        }
      }
    });
  });
}

/** Methods with tests of their own; without credentials each is a failed primary login. */
const otherPrimaryMethods = ['/oidc/login/cert', '/oidc/login/ext-jwt'];

/** For browsers only, on the way to another provider and back: test/pages/provider.test.ts. */
const providerVisits = ['visit', 'test', 'callback/:signer'].map((name) => `/oidc/login/ext-jwt/${name}`);
/** For a person who is signed in in a browser: browser-session.test.ts. */
const signedInPage = '/oidc/login/continue';

test('every login endpoint is in the table above', () => {
  const known = new Set(Object.keys(endpoints).map((name) => name.replace(/ \(.*/, '')));
  const mounted = server.controller.services.routes
    .filter(
      ({ path }) =>
        path.startsWith('/oidc/login') &&
        ![...otherPrimaryMethods, ...providerVisits, signedInPage].includes(path),
    )
    .flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
  for (const endpoint of mounted) assert.ok(known.has(endpoint), `add ${endpoint} to the table of this file`);
});

test('the other primary methods open nothing and block nothing without credentials', async () => {
  const mounted = new Set(server.controller.services.routes.map(({ path }) => path));
  for (const path of otherPrimaryMethods.filter((method) => mounted.has(method))) {
    for (const [state, reach] of Object.entries(states) as [State, () => Promise<Login>][]) {
      const login = await reach();
      const answer = await (login.client ?? server).post(path, { json: { authRequestId: login.id } });
      const expected = endpoints['POST /oidc/login/username (wrong password)']?.open[state];
      assert.equal(outcomeOf(answer), expected ?? 'INVALID_AUTH_REQUEST', `${path} ${state}: ${answer.text}`);
      if (final.includes(state)) continue;
      clock.advance(step);
      assert.equal(outcomeOf(await finish(login)), 'code', `${path} ${state}`);
    }
  }
});
