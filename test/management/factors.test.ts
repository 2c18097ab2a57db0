import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asId, type IdentityId } from '../../src/model/ids.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, submitPassword } from '../support/flow.ts';
import { assertRefused, type Caller, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let admin: Caller;
const server = await serverOfFile({ clock });
admin = await rootOf(server);
const updb = { maxAttempts: 2, lockoutDurationMinutes: 15 };
const policy = await admin.call('PATCH', 'auth-policies/default', { primary: { updb } });
assert.equal(policy.status, 200, policy.text);

const attempt = async (username: string, secret: string) =>
  (await submitPassword(server, await beginLogin(server), username, secret)).status;

async function lock(username: string): Promise<void> {
  for (let guess = 0; guess < 3; guess += 1) assert.equal(await attempt(username, 'wrong'), 401);
  assert.equal(await attempt(username, password), 401);
}

async function enrolTotp(identityId: IdentityId): Promise<void> {
  const { totp } = server.store;
  const now = clock.now();
  const pending = { identityId, sealedSeed: 'x', recoveryHashes: ['a', 'b'], expiresAt: now + MINUTE };
  assert.equal(await totp.start(`test ${identityId}`, pending, now), 'started');
  assert.ok(await totp.verify(`test ${identityId}`, { sealedSeed: 'x', step: 1, now }));
}

const identity = async (id: string) => (await admin.get(`identities/${id}`)).json.data;

function auditOf(id: string): unknown[] {
  return server.log.entries
    .map(({ fields }) => fields as Record<string, unknown>)
    .filter((event) => event.entityId === id || event.identityId === id)
    .map(({ event, action }) => action ?? event);
}

describe('unlocking an identity', () => {
  test('lets it log in at once, and is audited', async () => {
    const id = await server.createUser({ name: 'locked', password });
    await lock('locked');
    assert.equal((await admin.call('POST', `identities/${id}/unlock`)).status, 200);
    assert.equal(await attempt('locked', password), 302);
    assert.ok(auditOf(id).includes('unlock'));
  });

  test('forgets failures of TOTP too', async () => {
    const id = await server.createUser({ name: 'totp locked', password });
    const limit = { key: `totp:${id}`, max: 1, lockFor: MINUTE, longestLock: MINUTE, forgetAfter: MINUTE };
    await server.store.attempts.count([limit], 1, clock.now());
    await server.store.attempts.count([limit], 1, clock.now());
    const until = new Date(clock.now() + MINUTE).toISOString();
    assert.deepEqual((await identity(id)).lockedUntil, { password: null, totp: until });
    await admin.call('POST', `identities/${id}/unlock`, {});
    assert.deepEqual((await identity(id)).lockedUntil, { password: null, totp: null });
  });

  test('of an unknown identity is 404', async () => {
    assertRefused(await admin.call('POST', 'identities/no-such/unlock'), 404, 'NOT_FOUND');
  });
});

test('documents show administrators until when a password is locked', async () => {
  const id = await server.createUser({ name: 'shown', password });
  const authenticator = async () => (await admin.get(`identities/${id}/authenticators`)).json.data[0];
  assert.equal((await authenticator()).lockedUntil, null);
  await lock('shown');
  const until = new Date(clock.now() + 15 * MINUTE).toISOString();
  assert.equal((await authenticator()).lockedUntil, until);
  const { id: authenticatorId } = await authenticator();
  assert.equal((await admin.get(`authenticators/${authenticatorId}`)).json.data.lockedUntil, until);
  assert.deepEqual((await identity(id)).lockedUntil, { password: until, totp: null });
  clock.advance(15 * MINUTE);
  admin = await loggedIn(server, 'root');
  assert.equal((await authenticator()).lockedUntil, null);
  assert.deepEqual((await identity(id)).lockedUntil, { password: null, totp: null });
});

describe('removing TOTP', () => {
  test('removes enrollment and recovery codes, and ends nothing else', async () => {
    const id = await server.createUser({ name: 'lost app', password });
    const caller = await loggedIn(server, 'lost app');
    await enrolTotp(id);
    assert.equal((await identity(id)).isMfaEnabled, true);
    assert.equal((await admin.call('DELETE', `identities/${id}/mfa`)).status, 200);
    assert.equal((await identity(id)).isMfaEnabled, false);
    assert.equal(await server.store.totp.find(id), null);
    assert.equal((await caller.get('current-identity')).status, 200);
    assert.deepEqual(auditOf(id).slice(-2), ['totp.removed', 'update']);
  });

  test('that does not exist is 404', async () => {
    const id = await server.createUser({ name: 'no app', password });
    for (const path of [`identities/${id}/mfa`, 'identities/no-such/mfa']) {
      assertRefused(await admin.call('DELETE', path), 404, 'NOT_FOUND');
    }
  });

  test('lists show who is enrolled', async () => {
    const id = await server.createUser({ name: 'enrolled', password });
    await enrolTotp(id);
    const list = await admin.get('identities?limit=none');
    const enrolled = list.json.data.filter((one: { isMfaEnabled: boolean }) => one.isMfaEnabled);
    assert.deepEqual(
      enrolled.map((one: { name: string }) => one.name),
      ['enrolled'],
    );
  });
});

describe('a list of identities', () => {
  const found = async (filter: string) => {
    const answer = await admin.get(`identities?sort=name&filter=${encodeURIComponent(filter)}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.data.map(({ name }: { name: string }) => name);
  };

  test('says and finds who has a second factor, and who has not logged in for long', async () => {
    const never = await server.createUser({ name: 'seen never', password });
    const app = await server.createUser({ name: 'seen app', password });
    const key = await server.createUser({ name: 'seen key', password });
    await enrolTotp(app);
    const passkey = {
      ...{ name: 'key', rpId: 'localhost', credentialId: 'seen', publicKey: '{}', aaguid: '' },
    };
    await server.store.passkeys.add(
      {
        ...{ ...passkey, id: asId('seen-key'), identityId: key, counter: 0, transports: [] },
        ...{ isDiscoverable: true, isModelProven: false, isBackupEligible: false, isBackedUp: false },
      },
      { now: clock.now(), mustBeFirst: true },
    );
    await loggedIn(server, 'seen key');
    const of = 'name contains "seen "';
    assert.deepEqual(await found(`${of} and isMfaEnabled = true`), ['seen app']);
    assert.deepEqual(await found(`${of} and hasPasskey = true`), ['seen key']);
    assert.deepEqual(await found(`${of} and isMfaEnabled = false and hasPasskey = false`), ['seen never']);
    assert.deepEqual(await found(`${of} and lastLoginAt = null`), ['seen app', 'seen never']);
    const list = await admin.get(`identities?sort=lastLoginAt%20desc&filter=${encodeURIComponent(of)}`);
    const [latest] = list.json.data;
    assert.deepEqual([latest.name, latest.hasPasskey, latest.isMfaEnabled], ['seen key', true, false]);
    assert.equal((await identity(never)).lastLoginAt, null);
  });

  test('has the last login to the hour, of either mechanism, and that changes no version', async () => {
    const id = await server.createUser({ name: 'hourly', password });
    const version = async () => (await admin.get(`identities/${id}`)).headers.etag;
    const before = await version();
    await loggedIn(server, 'hourly');
    const first = new Date(clock.now()).toISOString();
    assert.equal((await identity(id)).lastLoginAt, first);
    clock.advance(59 * MINUTE);
    admin = await loggedIn(server, 'root');
    await loggedIn(server, 'hourly');
    assert.equal((await identity(id)).lastLoginAt, first);
    clock.advance(MINUTE);
    admin = await loggedIn(server, 'root');
    const legacy = await server.post('/edge/client/v1/authenticate?method=password', {
      json: { username: 'hourly', password },
    });
    assert.equal(legacy.status, 200, legacy.text);
    assert.equal((await identity(id)).lastLoginAt, new Date(clock.now()).toISOString());
    assert.equal(await version(), before);
    const sent = await admin.call('PATCH', `identities/${id}`, { lastLoginAt: first });
    assert.equal(sent.status, 200, sent.text);
    assert.notEqual((await identity(id)).lastLoginAt, first);
  });
});
