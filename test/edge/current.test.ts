import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { claimsOf, refresh } from '../support/flow.ts';
import { assertRefused, loggedIn, password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const aliceId = await server.createUser({ name: 'alice', password });

for (const root of ['/edge/client/v1', '/edge/management/v1']) {
  describe(`${root}: the caller`, () => {
    test('is told who it is', async () => {
      const alice = await loggedIn(server, 'alice');
      const answer = await alice.get(`${root}/current-identity`);
      assert.equal(answer.status, 200);
      assert.equal(answer.json.data.id, aliceId);
      assert.equal(answer.json.data.name, 'alice');
      assert.equal(answer.json.data.isAdmin, false);
      assert.deepEqual(answer.json.meta, {});
      assert.equal(answer.headers['expiration-seconds'], '1800');
    });

    test('sees its session, which expires with the access token', async () => {
      const alice = await loggedIn(server, 'alice');
      clock.advance(10 * MINUTE);
      const answer = await alice.get(`${root}/current-api-session`);
      assert.equal(answer.status, 200, answer.text);
      const { data } = answer.json;
      const claims = claimsOf(alice.accessToken);
      assert.equal(data.id, claims.z_asid);
      assert.equal(data.identityId, aliceId);
      assert.deepEqual(data.authQueries, []);
      assert.equal(data.expiresAt, new Date(claims.exp * 1000).toISOString());
      assert.equal(data.expirationSeconds, 1200);
      assert.equal(answer.headers['expires-at'], data.expiresAt);
      assert.equal(answer.headers['expiration-seconds'], '1200');
    });

    test('ends its session, and no other', async () => {
      const alice = await loggedIn(server, 'alice');
      const other = await loggedIn(server, 'alice');
      const answer = await alice.call('DELETE', `${root}/current-api-session`);
      assert.deepEqual([answer.status, answer.json], [200, { data: {}, meta: {} }]);
      for (const path of ['current-identity', 'current-api-session']) {
        assertRefused(await alice.get(`${root}/${path}`), 401, 'UNAUTHORIZED');
      }
      assertRefused(await alice.call('DELETE', `${root}/current-api-session`), 401, 'UNAUTHORIZED');
      const refused = await refresh(server, alice.refreshToken);
      assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_grant']);
      assert.equal((await other.get(`${root}/current-identity`)).status, 200);
    });

    test('cannot change itself by what only administrators decide', async () => {
      const alice = await loggedIn(server, 'alice');
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await alice.call(method, `${root}/current-identity`, { isAdmin: true });
        assertRefused(answer, 405, 'METHOD_NOT_ALLOWED');
      }
      assert.equal((await alice.get(`${root}/current-identity`)).json.data.isAdmin, false);
    });

    test('is refused without a token, to HEAD as to GET', async () => {
      for (const path of ['current-identity', 'current-api-session']) {
        const answer = await server.get(`${root}/${path}`);
        assertRefused(answer, 401, 'UNAUTHORIZED');
        assert.equal(answer.lines('www-authenticate').length, 2);
        const head = await server.request('HEAD', `${root}/${path}`);
        assert.deepEqual([head.status, head.text], [401, '']);
      }
    });
  });
}
