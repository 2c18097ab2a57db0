import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { type FixedClock, fixedClock } from '../support/fixed-clock.ts';
import { assertRefused, loggedIn } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import {
  createTotpUser,
  enroll,
  partialLogin,
  password,
  scan,
  step,
  submitCode,
  totpPolicy,
} from '../support/totp.ts';
import {
  assertDeprecated,
  authenticate,
  clientRoot,
  managementRoot,
  openSession,
  type Session,
} from './support.ts';

const clock: FixedClock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const policy = await totpPolicy(server);

async function partialSession(name: string): Promise<Session> {
  await createTotpUser(server, policy, name);
  return openSession(server, name);
}

const mfaQuery = {
  typeId: 'MFA',
  format: 'alphaNumeric',
  httpMethod: 'POST',
  httpUrl: './authenticate/mfa',
  minLength: 6,
  maxLength: 6,
  provider: 'ziti',
};

describe('a partially authenticated session', () => {
  test('says that TOTP is outstanding', async () => {
    const { opened } = await partialSession('p1');
    const { data } = opened.json;
    assert.deepEqual(data.authQueries, [{ ...mfaQuery, isTotpEnrolled: false }]);
    assert.deepEqual([data.isMfaRequired, data.isMfaComplete], [true, false]);
    assert.equal(opened.headers['totp-required'], 'true');
    assert.equal(opened.headers['zt-session'], data.token);
  });

  test('may do what the specification permits, and nothing else', async () => {
    const session = await partialSession('p2');
    const refused: readonly (readonly [string, string])[] = [
      ['GET', `${clientRoot}/current-identity`],
      ['GET', `${managementRoot}/current-identity`],
      ['DELETE', `${clientRoot}/current-identity/mfa`],
      ['GET', `${clientRoot}/current-identity/mfa/recovery-codes`],
      ['POST', `${clientRoot}/current-identity/mfa/recovery-codes`],
      ...[
        ...['identities', 'authenticators', 'auth-policies', 'api-sessions', 'external-jwt-signers', 'cas'],
        'login-attempts',
      ].map((collection) => ['GET', `${managementRoot}/${collection}`] as const),
      ['POST', `${managementRoot}/identities`],
      ['DELETE', `${managementRoot}/api-sessions/${session.id}`],
    ];
    for (const [method, path] of refused) {
      const answer = await session.call(method, path);
      assertRefused(answer, 401, 'UNAUTHORIZED');
      assert.deepEqual(answer.lines('www-authenticate'), [
        'zt-session realm="zt-session", error="invalid", error_description="token is invalid"',
      ]);
      assertDeprecated(answer);
    }
    assert.equal((await session.get('current-api-session')).status, 200);
    assert.equal((await session.post('authenticate/mfa', { code: '123456' })).status, 400);
    assert.equal((await session.get('current-identity/mfa')).status, 404);
    assert.equal((await session.post('current-identity/mfa')).status, 201);
    assert.equal((await session.get('current-identity/mfa')).status, 200);
    assert.equal((await session.get('current-identity/mfa/qr-code')).status, 200);
    assert.equal((await session.post('current-identity/mfa/verify', { code: '0' })).status, 400);
    assert.equal((await session.get('current-api-session')).status, 200);
    // The person can give up at any point.
    assert.equal((await session.call('DELETE', `${clientRoot}/current-api-session`)).status, 200);
    assert.equal((await session.get('current-api-session')).status, 401);
  });

  test('opens nothing of OIDC', async () => {
    const session = await partialSession('p3');
    const form = { grant_type: 'authorization_code', code: session.id, client_id: 'overlay' };
    assert.equal((await server.post('/oidc/token', { form })).status, 400);
    assert.equal((await session.get('/oidc/userinfo')).status, 401);
  });

  test('is completed by a code, and keeps its token', async () => {
    await createTotpUser(server, policy, 'p4');
    const { app } = await enroll(server, clock, 'p4');
    const session = await openSession(server, 'p4');
    assert.equal(session.opened.json.data.authQueries[0].isTotpEnrolled, true);
    assertRefused(await session.get('current-identity'), 401, 'UNAUTHORIZED');
    const wrong = await session.post('authenticate/mfa', { code: app.wrongCode() });
    assertRefused(wrong, 400, 'INVALID_TOTP_CODE');
    assertDeprecated(wrong);
    assertRefused(await session.post('authenticate/mfa', {}), 400, 'COULD_NOT_VALIDATE', 'code');
    const right = await session.post('authenticate/mfa', { code: app.code() });
    assert.deepEqual([right.status, right.json], [200, { data: {}, meta: {} }]);
    assert.equal((await session.get('current-identity')).status, 200);
    const { data } = (await session.get('current-api-session')).json;
    assert.deepEqual(data.authQueries, []);
    assert.deepEqual([data.isMfaRequired, data.isMfaComplete, data.token], [true, true, session.token]);
    clock.advance(step);
  });

  test('is one session: a code for one does not complete another', async () => {
    await createTotpUser(server, policy, 'p5');
    const { app } = await enroll(server, clock, 'p5');
    const [one, other] = [await openSession(server, 'p5'), await openSession(server, 'p5')];
    assert.equal((await one.post('authenticate/mfa', { code: app.code() })).status, 200);
    assertRefused(await other.get('current-identity'), 401, 'UNAUTHORIZED');
  });
});

describe('a TOTP code', () => {
  test('that was used with OIDC is refused by the legacy mechanism', async () => {
    await createTotpUser(server, policy, 'r1');
    const { app } = await enroll(server, clock, 'r1');
    const code = app.code();
    assert.equal((await submitCode(server, await partialLogin(server, 'r1'), code)).status, 302);
    const session = await openSession(server, 'r1');
    assertRefused(await session.post('authenticate/mfa', { code }), 400, 'INVALID_TOTP_CODE');
    clock.advance(step);
    assert.equal((await session.post('authenticate/mfa', { code: app.code() })).status, 200);
  });

  test('is accepted once by many sessions at the same time', async () => {
    await createTotpUser(server, policy, 'r3');
    const { app } = await enroll(server, clock, 'r3');
    const sessions = await Promise.all([1, 2, 3, 4].map(() => openSession(server, 'r3')));
    const code = app.code();
    const answers = await Promise.all(sessions.map((one) => one.post('authenticate/mfa', { code })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  test('is guessed against one counter with OIDC', async () => {
    await createTotpUser(server, policy, 'r4');
    const { app } = await enroll(server, clock, 'r4');
    const session = await openSession(server, 'r4');
    const login = await partialLogin(server, 'r4');
    for (let guess = 0; guess < 3; guess += 1) {
      await session.post('authenticate/mfa', { code: app.wrongCode() });
      await submitCode(server, login, app.wrongCode());
    }
    assertRefused(await session.post('authenticate/mfa', { code: app.code() }), 400, 'INVALID_TOTP_CODE');
    clock.advance(60 * SECOND);
    assert.equal((await session.post('authenticate/mfa', { code: app.code() })).status, 200);
  });

  test('does not upgrade an access token', async () => {
    await server.createUser({ name: 'r5', password });
    const caller = await loggedIn(server, 'r5');
    const answer = await caller.call('POST', `${clientRoot}/authenticate/mfa`, { code: '123456' });
    assertRefused(answer, 400, 'COULD_NOT_VALIDATE');
  });
});

describe('a policy that starts to require TOTP', () => {
  test('makes a session partial at the next call, and complete again when it no longer does', async () => {
    const id = await server.createUser({ name: 'q1', password });
    const session = await openSession(server, 'q1');
    assert.equal((await session.get('current-identity')).status, 200);
    const before = await server.store.identities.find(id);
    await server.store.identities.update(id, { authPolicyId: policy }, clock.now());
    assertRefused(await session.get('current-identity'), 401, 'UNAUTHORIZED');
    assert.equal((await session.get('current-api-session')).json.data.authQueries.length, 1);
    await server.store.identities.update(id, { authPolicyId: before?.authPolicyId as never }, clock.now());
    assert.equal((await session.get('current-identity')).status, 200);
  });

  test('is satisfied by enrolling in the session', async () => {
    const session = await partialSession('q2');
    assert.equal((await session.post('current-identity/mfa')).status, 201);
    const record = (await session.get('current-identity/mfa')).json.data;
    const app = scan(clock, record.provisioningUrl);
    assert.equal((await session.post('current-identity/mfa/verify', { code: app.code() })).status, 200);
    assert.equal((await session.get('current-identity')).status, 200);
    const { data } = (await session.get('current-api-session')).json;
    assert.deepEqual([data.authQueries, data.isMfaRequired, data.isMfaComplete], [[], true, true]);
  });
});

describe('an enrollment that is not verified', () => {
  test('requires no code, neither in its session nor at the next login', async () => {
    await server.createUser({ name: 'q3', password });
    const session = await openSession(server, 'q3');
    assert.equal((await session.post('current-identity/mfa')).status, 201);
    for (const one of [session, await openSession(server, 'q3')]) {
      const { data } = (await one.get('current-api-session')).json;
      assert.deepEqual([data.authQueries, data.isMfaRequired, data.isMfaComplete], [[], false, false]);
      assert.equal((await one.get('current-identity')).status, 200);
    }
    const tokens = await loggedIn(server, 'q3');
    assert.equal((await tokens.get(`${clientRoot}/current-identity`)).status, 200);
  });
});

describe('an enrolled identity', () => {
  test('has to give TOTP although no policy requires it, also in earlier sessions', async () => {
    await server.createUser({ name: 'e1', password });
    const [enrolling, other] = [await openSession(server, 'e1'), await openSession(server, 'e1')];
    await enrolling.post('current-identity/mfa');
    const record = (await enrolling.get('current-identity/mfa')).json.data;
    assert.equal((await enrolling.get('current-identity')).status, 200, 'an unverified one asks for nothing');
    const app = scan(clock, record.provisioningUrl);
    assert.equal((await enrolling.post('current-identity/mfa/verify', { code: app.code() })).status, 200);
    assert.equal((await enrolling.get('current-identity')).status, 200);
    assertRefused(await other.get('current-identity'), 401, 'UNAUTHORIZED');
    const fresh = await authenticate(server, 'e1');
    assert.equal(fresh.json.data.authQueries.length, 1);
  });
});
