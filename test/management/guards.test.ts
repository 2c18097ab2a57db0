import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { assertRefused, type Caller, callerWith, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const root = '/edge/management/v1';
/** Every operation on entities, with `ID` in place of the attacked identity. */
const operations: readonly (readonly [string, string, unknown?])[] = [
  ['GET', 'identities'],
  ['POST', 'identities', { name: 'mallory', type: 'User', isAdmin: true }],
  ['GET', 'identities/ID'],
  ['PUT', 'identities/ID', { name: 'x', type: 'User', isAdmin: true }],
  ['PATCH', 'identities/ID', { isAdmin: true }],
  ['DELETE', 'identities/ID'],
  ['POST', 'identities/ID/disable', { durationMinutes: 1 }],
  ['POST', 'identities/ID/enable', {}],
  ['GET', 'identities/ID/authenticators'],
  ['GET', 'identities/ID/api-sessions'],
  ['DELETE', 'identities/ID/api-sessions'],
  ['GET', 'authenticators'],
  ['POST', 'authenticators', { method: 'updb', identityId: 'ID', username: 'x', password: 'y' }],
  ['GET', 'authenticators/ID'],
  ['PUT', 'authenticators/ID', { username: 'x', password: 'y' }],
  ['PATCH', 'authenticators/ID', { password: 'y' }],
  ['DELETE', 'authenticators/ID'],
  ['GET', 'api-sessions'],
  ['GET', 'api-sessions/ID'],
  ['DELETE', 'api-sessions/ID'],
];

const clock = fixedClock('2026-01-01T00:00:00Z');
let admin: Caller;
const server = await serverOfFile({ clock });
admin = await rootOf(server);
const aliceId = await server.createUser({ name: 'alice', password });

async function callAll(caller: Caller, check: (answer: Awaited<ReturnType<Caller['get']>>) => void) {
  for (const [method, path, body] of operations) {
    check(await caller.call(method, path.replace('ID', aliceId), body));
  }
}

describe('an operation on entities', () => {
  test('is refused with a token that is not one, or of another kind', async () => {
    for (const token of ['x', 'a.b.c', admin.refreshToken, `${admin.accessToken}x`]) {
      await callAll(callerWith(server, token), (answer) => {
        assertRefused(answer, 401, 'UNAUTHORIZED');
        assert.match(answer.lines('www-authenticate').join(), /Bearer realm="overlay-oidc", error="invalid"/);
      });
    }
  });

  test('is refused with an expired token', async () => {
    const expiring = await loggedIn(server, 'root');
    clock.advance(31 * MINUTE);
    await callAll(expiring, (answer) => {
      assertRefused(answer, 401, 'UNAUTHORIZED');
      assert.match(answer.lines('www-authenticate').join(), /Bearer realm="overlay-oidc", error="expired"/);
    });
    admin = await loggedIn(server, 'root');
  });

  test('is refused from the moment when the caller is demoted', async () => {
    const id = await server.createUser({ name: 'demoted', password, isAdmin: true });
    const demoted = await loggedIn(server, 'demoted');
    assert.equal((await demoted.get('identities')).status, 200);
    assert.equal((await admin.call('PATCH', `identities/${id}`, { isAdmin: false })).status, 200);
    assertRefused(await demoted.get('identities'), 403, 'FORBIDDEN');
  });

  test('has expiry headers on its answers', async () => {
    const answer = await admin.get('identities');
    assert.equal(answer.headers['expiration-seconds'], '1800');
    assert.equal(answer.headers['expires-at'], new Date(clock.now() + 30 * MINUTE).toISOString());
    assert.equal(answer.headers['cache-control'], 'no-store');
  });

  test('takes JSON only', async () => {
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await server.post(`${root}/identities`, {
        headers: { authorization: `Bearer ${admin.accessToken}`, 'content-type': contentType },
        body: '{"name":"x"}',
      });
      assertRefused(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    }
  });
});
