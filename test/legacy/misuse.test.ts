// Misuse of the legacy mechanism and of enrollment: the rules for logins by OIDC apply here too.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AuthPolicyId, asId } from '../../src/model/ids.ts';
import { createIdentity, createPolicy } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused } from '../support/management.ts';
import { userNamed } from '../support/names.ts';
import { serverOfFile } from '../support/test-server.ts';
import { createTotpUser, enroll, password, scan, step, totpPolicy } from '../support/totp.ts';
import { authenticate, clientRoot, managementRoot, openSession } from './support.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock, signing: true });
const totp = await totpPolicy(server);

describe('a refused password', () => {
  test('looks the same for every cause', async () => {
    const policy = await server.store.authPolicies.find(asId<AuthPolicyId>('default'));
    assert.ok(policy);
    const updb = { ...policy.primary.updb, maxAttempts: 2 };
    const brief = await createPolicy(server, 'brief', { primary: { updb } });
    const forbidden = await createPolicy(server, 'forbidden', {
      primary: { updb: { ...policy.primary.updb, allowed: false } },
    });
    for (const name of ['plain', 'locked', 'disabled', 'forbidden'])
      await server.createUser({ name, password });
    const change = async (name: string, patch: object) => {
      const login = await server.store.authenticators.findPasswordLogin(userNamed(name).usernameKey);
      assert.ok(login);
      await server.store.identities.update(login.identity.id, patch, clock.now());
    };
    await change('locked', { authPolicyId: brief });
    await change('forbidden', { authPolicyId: forbidden });
    await change('disabled', { disabledAt: clock.now() });
    await createIdentity(server, 'without password');
    for (let at = 0; at < 3; at += 1) await authenticate(server, 'locked', 'wrong');

    const seen = new Set<string>();
    for (const [name, secret] of [
      ['plain', 'wrong'],
      ['nobody', 'wrong'],
      ['locked', password],
      ['disabled', password],
      ['forbidden', password],
      ['without password', 'wrong'],
      ['\u202eplain', 'wrong'],
      ['', 'wrong'],
      ['plain', '\u0007'],
    ] as const) {
      for (const root of [clientRoot, managementRoot]) {
        const answer = await authenticate(server, name, secret, root);
        assertRefused(answer, 401, 'INVALID_AUTH');
        const { date: _date, 'x-request-id': reference, ...headers } = answer.headers;
        seen.add(JSON.stringify([headers, answer.text.replace(String(reference), 'REFERENCE')]));
      }
    }
    assert.equal(seen.size, 1, [...seen].join('\n'));
  });
});

describe('the code of a TOTP enrollment that is not verified', () => {
  test('completes no session, nor does a recovery code that was shown with it', async () => {
    await createTotpUser(server, totp, 'impatient');
    const session = await openSession(server, 'impatient');
    await session.post('current-identity/mfa');
    const { provisioningUrl, recoveryCodes } = (await session.get('current-identity/mfa')).json.data;
    for (const code of [scan(clock, provisioningUrl).code(), recoveryCodes[0]]) {
      const answer = await session.post('authenticate/mfa', { code });
      assert.ok([400, 409].includes(answer.status), answer.text);
      assert.equal((await session.get('current-identity')).status, 401);
    }
    // Once it is verified it is proven, and the step is used.
    const app = scan(clock, provisioningUrl);
    assert.equal((await session.post('current-identity/mfa/verify', { code: app.code() })).status, 200);
    const other = await openSession(server, 'impatient');
    assertRefused(await other.post('authenticate/mfa', { code: app.code() }), 400, 'INVALID_TOTP_CODE');
    assert.equal((await other.get('current-identity')).status, 401);
  });
});

test('a text that is not a code is refused wherever codes are accepted', async () => {
  await createTotpUser(server, totp, 'careful');
  const { app } = await enroll(server, clock, 'careful');
  clock.advance(step);
  const session = await openSession(server, 'careful');
  const broken = [
    '',
    app.code().slice(1),
    `${app.code()}0`,
    `${app.code()}x`,
    Number(app.code()),
    [app.code()],
    { code: app.code() },
    null,
    true,
    'x'.repeat(10_000),
  ];
  for (const code of broken) {
    const answer = await session.post('authenticate/mfa', { code });
    assert.equal(answer.status, 400, JSON.stringify(code));
    assert.equal((await session.get('current-identity')).status, 401);
    if (answer.json.error.code === 'INVALID_TOTP_CODE') {
      // Evaluated attempts have counted; this test is about something else.
      await server.store.attempts.clear([`totp:${session.opened.json.data.identityId}`]);
    }
  }
  assert.equal((await session.post('authenticate/mfa', { code: app.code() })).status, 200);
});

describe('a body', () => {
  const paths = [
    `${clientRoot}/authenticate?method=password`,
    `${managementRoot}/authenticate?method=password`,
    `${clientRoot}/enroll?method=updb`,
    `${clientRoot}/enroll/ott`,
  ];
  const wrong: Readonly<Record<string, string>> = {
    'two user names': '{"username":"alice","username":"root","password":"x","token":"x"}',
    'a number': '{"username":1,"password":2,"token":3}',
    'an operator': '{"username":{"$ne":null},"password":{"$ne":null},"token":{"$ne":null}}',
    'a list': '["alice"]',
    text: '"alice"',
    null: 'null',
    'two documents': '{"username":"alice","password":"x"}{}',
    'a lone surrogate': '{"username":"\\ud800","password":"x","token":"\\ud800"}',
    'deep nesting': `{"username":${'['.repeat(100)}${']'.repeat(100)}}`,
    'the members of every object': '{"__proto__":{"username":"a","password":"b","token":"c"}}',
  };
  const send = (path: string, body: string): Promise<Answer> =>
    server.post(path, { body, headers: { 'content-type': 'application/json' } });

  for (const [what, body] of Object.entries(wrong)) {
    test(`with ${what} is refused by every way in`, async () => {
      for (const path of paths) {
        const answer = await send(path, body);
        assert.ok([400, 401].includes(answer.status), `${path} ${answer.status} ${answer.text}`);
        assert.equal(answer.headers['zt-session'], undefined);
      }
    });
  }

  test('beyond the limit is refused before anything is read', async () => {
    for (const path of paths) {
      const answer = await send(path, JSON.stringify({ username: 'x'.repeat(100_000), password: 'x' }));
      assertRefused(answer, 413, 'REQUEST_ENTITY_TOO_LARGE');
    }
  });
});
