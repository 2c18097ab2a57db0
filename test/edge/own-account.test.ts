// What people may read and change of their own account, with a session of either mechanism.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';
import { openSession } from '../legacy/support.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, refresh, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, loggedIn, password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import { createTotpUser, scan, step, totpPolicy } from '../support/totp.ts';

const newPassword = 'eleven loud umbrellas';
const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });

/** A fully logged-in caller. */
type Call = (method: string, path: string, json?: unknown) => Promise<Answer>;

const root = '/edge/client/v1/current-identity';
const at =
  (caller: Caller): Call =>
  (method, path, json) =>
    caller.call(method, `${root}/${path}`, json);

async function callerOf(name: string, secret = password): Promise<Call> {
  return at(await loggedIn(server, name, secret));
}

async function legacyCallerOf(name: string): Promise<Call> {
  const session = await openSession(server, name);
  return (method, path, json) => session.call(method, `${root}/${path}`, json === undefined ? {} : { json });
}

/** A new person, logged in by OIDC. */
async function somebody(name: string): Promise<Call> {
  await server.createUser({ name, password });
  return callerOf(name);
}

async function authenticatorOf(call: Call): Promise<string> {
  const answer = await call('GET', `authenticators?filter=${encodeURIComponent('method="updb"')}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data[0].id;
}

/** Whether a password opens a login. */
async function opens(name: string, secret: string): Promise<boolean> {
  const answer = await submitPassword(server, await beginLogin(server), name, secret);
  return answer.status === 302;
}

describe('own authenticators', () => {
  test("include only one's own, with any filter, on both APIs and with both mechanisms", async () => {
    await somebody('stranger');
    const alice = await somebody('alice');
    const everything = encodeURIComponent('true or method = "updb" limit none');
    const calls = [alice, await legacyCallerOf('alice')];
    for (const call of calls) {
      const { data, meta } = (await call('GET', `authenticators?filter=${everything}`)).json;
      assert.deepEqual(
        data.map((one: { username: string }) => one.username),
        ['alice'],
      );
      assert.equal(meta.pagination.totalCount, 1);
    }
    const caller = await loggedIn(server, 'alice');
    const id = await authenticatorOf(alice);
    for (const path of [`${root}/authenticators/${id}`, `current-identity/authenticators/${id}`]) {
      const answer = await caller.get(path);
      assert.equal(answer.json.data.username, 'alice', answer.text);
      assert.doesNotMatch(answer.text, /argon2/);
    }
  });

  test('of another identity are not found, neither to read nor to change', async () => {
    const victim = await authenticatorOf(await somebody('victim'));
    const mallory = await somebody('mallory');
    const body = { username: 'victim', password: newPassword, currentPassword: password };
    for (const id of [victim, 'no-such', '%00', '..%2f..']) {
      assertRefused(await mallory('GET', `authenticators/${id}`), 404, 'NOT_FOUND');
      assertRefused(await mallory('PUT', `authenticators/${id}`, body), 404, 'NOT_FOUND');
      assertRefused(await mallory('PATCH', `authenticators/${id}`, body), 404, 'NOT_FOUND');
    }
    assert.ok(await opens('victim', password));
  });

  test('are read with the rules for a new password', async () => {
    const call = await somebody('reader');
    assert.deepEqual((await call('GET', 'password-rules')).json.data, {
      minLength: 12,
      maxBytes: 1024,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
    });
  });
});

describe('changing the password of the caller', () => {
  test('keeps this session, ends all others of both mechanisms and says so in the audit trail', async () => {
    await server.createUser({ name: 'carol', password });
    const caller = await loggedIn(server, 'carol');
    const others = [await callerOf('carol'), await legacyCallerOf('carol')];
    const call = at(caller);
    const id = await authenticatorOf(call);
    // What the existing CLI sends.
    const body = { username: 'carol', password: newPassword, currentPassword: password };
    const answer = await call('PUT', `authenticators/${id}`, body);
    assert.deepEqual([answer.status, answer.json], [200, { data: {}, meta: {} }]);
    for (const other of others) assertRefused(await other('GET', 'authenticators'), 401, 'UNAUTHORIZED');
    assert.equal((await call('GET', 'authenticators')).status, 200);
    assert.equal((await refresh(server, caller.refreshToken)).status, 200);
    assert.ok(!(await opens('carol', password)));
    assert.ok(await opens('carol', newPassword));
    const audited = server.log.entries.filter(
      (entry) => (entry.fields as { event?: string } | undefined)?.event === 'account.changed',
    );
    assert.equal(audited.length, 1);
    assert.doesNotMatch(JSON.stringify(server.log.entries), /umbrellas|lanterns/);
  });

  test('works in a legacy session, by PATCH, and of the user name alone ends nothing', async () => {
    const other = await somebody('dora');
    const call = await legacyCallerOf('dora');
    const id = await authenticatorOf(call);
    const renamed = await call('PATCH', `authenticators/${id}`, {
      username: 'Dora.New',
      currentPassword: password,
    });
    assert.equal(renamed.status, 200, renamed.text);
    assert.equal((await other('GET', 'authenticators')).status, 200);
    assert.ok(await opens('dora.new', password));
    assert.ok(!(await opens('dora', password)));
    const changed = await call('PATCH', `authenticators/${id}`, {
      password: newPassword,
      currentPassword: password,
    });
    assert.equal(changed.status, 200, changed.text);
    assertRefused(await other('GET', 'authenticators'), 401, 'UNAUTHORIZED');
    assert.equal((await call('GET', 'authenticators')).status, 200);
  });

  test('needs the current password, also where nothing is changed by it', async () => {
    const call = await somebody('erin');
    const id = await authenticatorOf(call);
    const path = `authenticators/${id}`;
    for (const currentPassword of ['wrong', '', 'x'.repeat(2000), `${password} `]) {
      const body = { username: 'erin', password: newPassword, currentPassword };
      const answer = await call('PUT', path, body);
      assertRefused(answer, 400, 'INVALID_FIELD', 'currentPassword');
      assert.equal(answer.headers['www-authenticate'], undefined);
    }
    for (const body of [{ password: newPassword }, { password: newPassword, currentPassword: null }, {}]) {
      assertRefused(await call('PATCH', path, body), 400, 'COULD_NOT_VALIDATE', 'currentPassword');
    }
    const whole = await call('PUT', path, { password: newPassword, currentPassword: password });
    assertRefused(whole, 400, 'COULD_NOT_VALIDATE', 'username');
    assert.ok(await opens('erin', password));
  });

  test('must meet the rules, and is refused before anything has changed', async () => {
    const call = await somebody('fiona');
    const other = await callerOf('fiona');
    const path = `authenticators/${await authenticatorOf(call)}`;
    for (const weak of [
      '',
      'short',
      'password1234',
      'fiona-fiona-f',
      'aaaaaaaaaaaaaa',
      'x'.repeat(1025),
      password,
    ]) {
      const answer = await call('PATCH', path, { password: weak, currentPassword: password });
      assertRefused(answer, 400, 'INVALID_FIELD', 'password');
      assert.equal(answer.json.error.cause.value, '');
    }
    await server.createUser({ name: 'taken', password });
    const taken = await call('PATCH', path, { username: 'TAKEN', currentPassword: password });
    assertRefused(taken, 400, 'COULD_NOT_VALIDATE', 'username');
    assert.equal((await other('GET', 'authenticators')).status, 200);
    assert.ok(await opens('fiona', password));
  });

  test('counts wrong guesses like failed logins, and the lock holds for both', async () => {
    const call = await somebody('greta');
    const id = await authenticatorOf(call);
    const guess = (currentPassword: string) =>
      call('PATCH', `authenticators/${id}`, { password: newPassword, currentPassword });
    for (let count = 0; count < 5; count += 1) {
      assert.ok(!(await opens('greta', 'wrong')));
      assertRefused(await guess('wrong'), 400, 'INVALID_FIELD', 'currentPassword');
    }
    assertRefused(await guess(password), 400, 'INVALID_FIELD', 'currentPassword');
    assert.ok(!(await opens('greta', password)), 'locked for logins too');
    const { data } = (await call('GET', `authenticators/${id}`)).json;
    assert.equal(data.lockedUntil, new Date(clock.now() + 15 * MINUTE).toISOString());
    clock.advance(15 * MINUTE);
    assert.equal((await guess(password)).status, 200);
  });

  test('of two at once with the same current password, one is done', async () => {
    const call = await somebody('hanna');
    const id = await authenticatorOf(call);
    const tried = ['one', 'two'].map((word) =>
      call('PATCH', `authenticators/${id}`, {
        password: `${newPassword} ${word}`,
        currentPassword: password,
      }),
    );
    const statuses = (await Promise.all(tried)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 400]);
  });
});

describe('own sessions', () => {
  test('of both mechanisms are listed, and which of them is this', async () => {
    await somebody('other');
    const first = await somebody('ida');
    const legacy = await openSession(server, 'ida');
    const caller = await loggedIn(server, 'ida');
    const filter = encodeURIComponent('true or type = "oidc" sort by createdAt');
    const { data, meta } = (await caller.get(`${root}/api-sessions?filter=${filter}`)).json;
    assert.equal(meta.pagination.totalCount, 3);
    assert.equal(data.length, 3);
    assert.equal(data.filter((one: { isCurrent: boolean }) => one.isCurrent).length, 1);
    const mine = data.find((one: { isCurrent: boolean }) => one.isCurrent);
    assert.equal(mine.mechanism, 'oidc');
    assert.match(mine.ipAddress, /127\.0\.0\.1/);
    assert.deepEqual(mine.amr, ['password']);
    const seenByLegacy = (await legacy.get('current-identity/api-sessions')).json.data;
    const current = seenByLegacy.filter((one: { isCurrent: boolean }) => one.isCurrent);
    assert.deepEqual(
      current.map((one: { id: string }) => one.id),
      [legacy.id],
    );
    assert.equal((await first('GET', 'api-sessions?limit=1')).json.data.length, 1);
  });

  test('end one at a time, those of others never', async () => {
    const ending = await somebody('jana');
    const call = await callerOf('jana');
    const stranger = await somebody('kim');
    const sessions = (await call('GET', 'api-sessions')).json.data;
    const other = sessions.find((one: { isCurrent: boolean }) => !one.isCurrent).id;
    assertRefused(await stranger('DELETE', `api-sessions/${other}`), 404, 'NOT_FOUND');
    assertRefused(await call('DELETE', 'api-sessions/no-such'), 404, 'NOT_FOUND');
    assert.equal((await ending('GET', 'api-sessions')).status, 200);
    assert.equal((await call('DELETE', `api-sessions/${other}`)).status, 200);
    assertRefused(await ending('GET', 'api-sessions'), 401, 'UNAUTHORIZED');
    assertRefused(await call('DELETE', `api-sessions/${other}`), 404, 'NOT_FOUND');
    const current = (await call('GET', 'api-sessions')).json.data[0].id;
    assert.equal((await call('DELETE', `api-sessions/${current}`)).status, 200);
    assertRefused(await call('GET', 'api-sessions'), 401, 'UNAUTHORIZED');
  });

  test('end all but this, with the logins that are under way', async () => {
    const others = [await somebody('lena'), await legacyCallerOf('lena')];
    const stranger = await callerOf('kim');
    const call = await callerOf('lena');
    const answer = await call('DELETE', 'api-sessions');
    assert.deepEqual([answer.status, answer.json.data], [200, { ended: 2 }]);
    for (const other of others) assertRefused(await other('GET', 'api-sessions'), 401, 'UNAUTHORIZED');
    assert.equal((await call('GET', 'api-sessions')).json.data.length, 1);
    assert.equal((await stranger('GET', 'api-sessions')).status, 200);
  });
});

describe('own login attempts', () => {
  test('are listed newest first with what a person may know, and nothing of others', async () => {
    const call = await somebody('mia');
    clock.advance(SECOND);
    await opens('mia', 'wrong');
    await opens('kim', 'wrong');
    const answer = await call('GET', 'login-attempts?limit=2');
    assert.equal(answer.json.meta.pagination.totalCount, 2, answer.text);
    const [newest, oldest] = answer.json.data;
    assert.deepEqual(
      [newest.method, newest.mechanism, newest.outcome, oldest.outcome],
      ['password', 'oidc', 'refused', 'passed'],
    );
    assert.deepEqual(Object.keys(newest).sort(), [
      'at',
      'ipAddress',
      'mechanism',
      'method',
      'outcome',
      'reference',
    ]);
    const refused = encodeURIComponent('outcome = "refused" and method = "password"');
    assert.equal((await call('GET', `login-attempts?filter=${refused}`)).json.data.length, 1);
    for (const field of ['reason', 'subject', 'identityId', 'identityName', 'issuer', 'step']) {
      const filter = encodeURIComponent(`${field} = "x"`);
      assertRefused(await call('GET', `login-attempts?filter=${filter}`), 400, 'INVALID_FILTER');
    }
  });
});

describe('own TOTP', () => {
  test('tells how many recovery codes are left, but not to a partial session', async () => {
    const call = await somebody('nora');
    await call('POST', 'mfa');
    const { provisioningUrl, recoveryCodes } = (await call('GET', 'mfa')).json.data;
    const app = scan(clock, provisioningUrl);
    assert.equal((await call('POST', 'mfa/verify', { code: app.code() })).status, 200);
    assert.equal((await call('GET', 'mfa')).json.data.recoveryCodesLeft, recoveryCodes.length);
    const partial = await openSession(server, 'nora');
    assert.equal((await partial.get('current-identity/mfa')).json.data?.recoveryCodesLeft, undefined);
    await partial.post('authenticate/mfa', { code: recoveryCodes[0] });
    const left = (await partial.get('current-identity/mfa')).json.data.recoveryCodesLeft;
    assert.equal(left, recoveryCodes.length - 1);
  });

  test('is proven again for a token that says when, and opens nothing', async () => {
    await server.createUser({ name: 'tara', password });
    const caller = await loggedIn(server, 'tara');
    const prove = (code: unknown, api = 'client') =>
      caller.call('POST', `/edge/${api}/v1/current-api-session/totp-token`, { code });
    assertRefused(await prove('123456'), 404, 'NOT_FOUND');
    await caller.call('POST', `${root}/mfa`);
    const { provisioningUrl, recoveryCodes } = (await caller.get(`${root}/mfa`)).json.data;
    const app = scan(clock, provisioningUrl);
    assertRefused(await prove(app.code()), 404, 'NOT_FOUND');
    assert.equal((await caller.call('POST', `${root}/mfa/verify`, { code: app.code() })).status, 200);
    for (const code of [app.code(), app.wrongCode(), recoveryCodes[0]])
      assertRefused(await prove(code), 400, 'INVALID_TOTP_CODE');
    for (const api of ['client', 'management']) {
      clock.advance(step);
      const answer = await prove(app.code(), api);
      assert.equal(answer.status, 200, answer.text);
      const { token, issuedAt } = answer.json.data;
      const { iat, iss, z_t } = decodeJwt(token);
      assert.deepEqual([iat, iss, z_t], [clock.now() / SECOND, server.issuer, 't']);
      assert.equal(Date.parse(issuedAt), clock.now());
      for (const headers of [{ authorization: `Bearer ${token}` }, { 'zt-session': token }])
        assert.equal((await server.get(root, { headers })).status, 401);
      assert.equal(
        (await server.get('/oidc/userinfo', { headers: { authorization: `Bearer ${token}` } })).status,
        401,
      );
    }
    assert.equal(
      (await server.get(root, { headers: { authorization: `Bearer ${caller.accessToken}` } })).status,
      200,
    );
  });

  test('gives a legacy session no token that says when it was proven', async () => {
    await server.createUser({ name: 'tess', password });
    const session = await openSession(server, 'tess');
    const answer = await session.post('current-api-session/totp-token', { code: '123456' });
    assertRefused(answer, 400, 'INVALID_BACKING_TOKEN_TYPE');
  });

  test('has its QR code as PNG or SVG', async () => {
    await server.createUser({ name: 'olga', password });
    const caller = await loggedIn(server, 'olga');
    await caller.call('POST', `${root}/mfa`);
    const headers = { authorization: `Bearer ${caller.accessToken}` };
    const types = { 'image/svg+xml': 'image/svg+xml', 'image/*': 'image/png', '*/*': 'image/png' };
    for (const [accept, type] of Object.entries(types)) {
      const answer = await server.get(`${root}/mfa/qr-code`, { headers: { ...headers, accept } });
      assert.deepEqual([answer.status, answer.headers['content-type']], [200, type]);
      if (type === 'image/svg+xml')
        assert.match(answer.text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    }
  });
});

test("is closed to partial sessions, to strangers and to other sites' pages", async () => {
  await createTotpUser(server, await totpPolicy(server), 'paula');
  const partial = await openSession(server, 'paula');
  const requests = [
    ['GET', 'authenticators'],
    ['GET', 'authenticators/any'],
    ['PUT', 'authenticators/any'],
    ['PATCH', 'authenticators/any'],
    ['GET', 'password-rules'],
    ['GET', 'login-attempts'],
    ['GET', 'api-sessions'],
    ['DELETE', 'api-sessions'],
    ['DELETE', 'api-sessions/any'],
  ] as const;
  for (const [method, path] of requests) {
    const init = method.startsWith('P') ? { json: {} } : {};
    assertRefused(await partial.call(method, `${root}/${path}`, init), 401, 'UNAUTHORIZED');
    assertRefused(await server.request(method, `${root}/${path}`, init), 401, 'UNAUTHORIZED');
    const headers = { origin: 'https://evil.example' };
    const foreign = await server.request(method, `${root}/${path}`, { ...init, headers });
    if (method === 'GET') assertRefused(foreign, 401, 'UNAUTHORIZED');
    else assertRefused(foreign, 403, 'FORBIDDEN');
    assert.equal(foreign.headers['access-control-allow-origin'], undefined);
    assert.equal((await server.request('POST', `${root}/${path}`)).status, 405);
  }
});
