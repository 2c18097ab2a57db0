// An identity has a limited number of live sessions: one more login ends the oldest. And only administrators can
// get long lists.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { typedName } from '../../src/model/names.ts';
import { SECOND } from '../../src/platform/clock.ts';
import { assertNoSession, openSession } from '../legacy/support.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { callWith, claimsOf, codeOf, login, redeem, refresh } from '../support/flow.ts';
import { callerWith, loggedIn, password, rootOf } from '../support/management.ts';
import { passkeyPolicy, personWithPasskey, tokensOf, usePasskey } from '../support/passkeys.ts';
import { serverOfFile } from '../support/test-server.ts';
import { createTotpUser, enroll, partialLogin, step, submitCode, totpPolicy } from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const configure = (yaml: string) =>
  yaml.replace('  loginAttempts:', '  sessions: { maxPerIdentity: 3 }\n  loginAttempts:');
const server = await serverOfFile({ clock, configure });
const admin = await rootOf(server);

async function opened(name: string) {
  clock.advance(SECOND);
  return login(server, name, password);
}

describe('a login beyond the limit', () => {
  test('ends the oldest session of the identity, which is audited, and no other', async () => {
    await server.createUser({ name: 'alice', password });
    await server.createUser({ name: 'bob', password });
    const bob = await opened('bob');
    const all = [await opened('alice'), await opened('alice'), await opened('alice')];
    for (const { access_token } of all) assert.equal((await callWith(server, access_token)).status, 200);
    all.push(await opened('alice'));
    const statuses = await Promise.all(
      all.map(async ({ access_token }) => (await callWith(server, access_token)).status),
    );
    assert.deepEqual(statuses, [401, 200, 200, 200]);
    const [oldest] = all;
    assert.ok(oldest);
    assert.equal((await refresh(server, oldest.refresh_token)).json.error, 'invalid_grant');
    assert.equal((await callWith(server, bob.access_token)).status, 200);
    const id = claimsOf(oldest.access_token).z_asid;
    assert.equal((await server.store.apiSessions.find(id))?.endReason, 'too-many');
    const audited = server.log.entries.filter(
      ({ fields }) => fields.event === 'session.ended' && fields.reason === 'too-many',
    );
    assert.deepEqual(
      audited.map(({ fields }) => [fields.sessionId, fields.byIdentityId]),
      [[id, null]],
    );
  });

  test('counts sessions of both mechanisms, and none that has ended', async () => {
    await server.createUser({ name: 'carla', password });
    const legacy = await openSession(server, 'carla');
    const first = await opened('carla');
    const ended = await opened('carla');
    const root = '/edge/client/v1/current-api-session';
    assert.equal((await callerWith(server, ended.access_token).call('DELETE', root)).status, 200);
    await opened('carla');
    assert.equal((await legacy.get('current-identity')).status, 200);
    clock.advance(SECOND);
    await openSession(server, 'carla');
    assertNoSession(await legacy.get('current-identity'));
    assert.equal((await callWith(server, first.access_token)).status, 200);
  });

  test('ends the oldest also if a passkey without a PIN opened it: that somebody was there is no second proof', async () => {
    const policy = await passkeyPolicy(server, { passkey: { allowed: true, userVerification: 'preferred' } });
    const pat = await personWithPasskey(server, policy);
    const present = async () => {
      clock.advance(SECOND);
      return tokensOf(server, await usePasskey(server, pat, { isVerified: false }));
    };
    const oldest = await present();
    clock.advance(SECOND);
    const legacy = await openSession(server, pat.name);
    await present();
    assert.deepEqual(claimsOf((await present()).access_token).amr, ['passkey', 'user']);
    assert.equal((await callWith(server, oldest.access_token)).status, 401);
    assert.equal((await legacy.get('current-identity')).status, 200);
  });
});

describe('sessions that still lack a factor', () => {
  test('end no complete one: a thief of the password alone cannot log the owner out', async () => {
    await createTotpUser(server, await totpPolicy(server), 'dora');
    const { app } = await enroll(server, clock, 'dora');
    async function complete() {
      const done = await submitCode(server, await partialLogin(server, 'dora'), app.code());
      clock.advance(step);
      return (await redeem(server, codeOf(done))).json.access_token;
    }
    const own = [await complete(), await complete()];
    const foreign = [];
    for (let at = 0; at < 5; at += 1) {
      clock.advance(SECOND);
      foreign.push(await openSession(server, 'dora'));
    }
    own.push(await complete());
    for (const token of own) assert.equal((await callWith(server, token)).status, 200);
    for (const session of foreign) assertNoSession(await session.get('current-api-session'));
  });

  test('count once they are complete', async () => {
    await createTotpUser(server, await totpPolicy(server), 'emil');
    const { app } = await enroll(server, clock, 'emil');
    const sessions = [];
    for (let at = 0; at < 4; at += 1) {
      const session = await openSession(server, 'emil');
      assert.equal((await session.post('authenticate/mfa', { code: app.code() })).status, 200);
      sessions.push(session);
      clock.advance(step);
    }
    const statuses = await Promise.all(
      sessions.map(async (session) => (await session.get('current-identity')).status),
    );
    assert.deepEqual(statuses, [401, 200, 200, 200]);
  });
});

describe('a list without a limit', () => {
  test('has all entries for administrators, and at most 500 for others', async () => {
    for (let at = 0; at < 510; at += 1) {
      await server.store.identities.create(
        {
          id: server.random.id() as never,
          name: typedName(`member ${at}`),
          type: 'Device',
          externalId: null,
          authPolicyId: 'default' as never,
          isAdmin: false,
          roleAttributes: [],
          tags: {},
        },
        null,
        clock.now(),
      );
    }
    const id = await server.createUser({ name: 'reader', password });
    await server.store.identities.update(id, { permissions: ['read'] }, clock.now());
    const reader = await loggedIn(server, 'reader');
    for (const query of ['limit=none', `filter=${encodeURIComponent('true limit none')}`]) {
      const whole = (await admin.get(`identities?${query}`)).json;
      assert.ok(whole.data.length > 510);
      const { data, meta } = (await reader.get(`identities?${query}`)).json;
      assert.equal(data.length, 500);
      assert.deepEqual(
        [meta.pagination.limit, meta.pagination.totalCount],
        [500, whole.meta.pagination.totalCount],
      );
    }
    const own = (await reader.get('/edge/client/v1/current-identity/api-sessions?limit=none')).json;
    assert.equal(own.meta.pagination.limit, 500);
  });
});
