import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refresh } from '../support/flow.ts';
import { assertRefused, type Caller, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
const admin = await rootOf(server);

async function currentSessionId(caller: Caller): Promise<string> {
  return (await caller.get('/edge/client/v1/current-api-session')).json.data.id;
}

describe('an API session', () => {
  test('is listed while it is live, without its tokens', async () => {
    await server.createUser({ name: 'alice', password });
    const alice = await loggedIn(server, 'alice');
    const id = await currentSessionId(alice);
    const answer = await admin.get(`api-sessions/${id}`);
    assert.equal(answer.status, 200, answer.text);
    const { data } = answer.json;
    assert.equal(data.identity.name, 'alice');
    assert.equal(data.mechanism, 'oidc');
    assert.deepEqual(data.amr, ['password']);
    assert.equal(data.ipAddress, '127.0.0.1');
    assert.equal('token' in data, false);
    for (const text of [answer.text, (await admin.get('api-sessions?limit=none')).text]) {
      for (const part of [...alice.accessToken.split('.').slice(1), alice.refreshToken]) {
        assert.equal(text.includes(part), false);
      }
    }
  });

  test('that is removed ends: access token and refresh token stop working at once', async () => {
    await server.createUser({ name: 'bob', password });
    const bob = await loggedIn(server, 'bob');
    const id = await currentSessionId(bob);
    const answer = await admin.call('DELETE', `api-sessions/${id}`);
    assert.deepEqual([answer.status, answer.json], [200, { data: {}, meta: {} }]);
    assertRefused(await bob.get('current-identity'), 401, 'UNAUTHORIZED');
    assert.equal((await refresh(server, bob.refreshToken)).status, 400);
    assertRefused(await admin.get(`api-sessions/${id}`), 404, 'NOT_FOUND');
    assertRefused(await admin.call('DELETE', `api-sessions/${id}`), 404, 'NOT_FOUND');
    const filter = encodeURIComponent(`id = "${id}"`);
    assert.deepEqual((await admin.get(`api-sessions?filter=${filter}`)).json.data, []);
  });

  test('is not a token: its id opens nothing', async () => {
    const id = await currentSessionId(admin);
    for (const headers of [{ 'zt-session': id }, { authorization: `Bearer ${id}` }]) {
      const answer = await server.get('/edge/management/v1/identities', { headers });
      assertRefused(answer, 401, 'UNAUTHORIZED');
    }
  });

  test('ends with all others of the identity, and none of anybody else', async () => {
    const identityId = await server.createUser({ name: 'many', password });
    const sessions = [await loggedIn(server, 'many'), await loggedIn(server, 'many')];
    const listed = await admin.get(`identities/${identityId}/api-sessions`);
    assert.equal(listed.json.meta.pagination.totalCount, 2);
    assert.equal((await admin.call('DELETE', `identities/${identityId}/api-sessions`)).status, 200);
    for (const session of sessions) {
      assertRefused(await session.get('current-identity'), 401, 'UNAUTHORIZED');
    }
    assert.equal((await admin.get('current-identity')).status, 200);
    assert.deepEqual((await admin.get(`identities/${identityId}/api-sessions`)).json.data, []);
    assert.equal((await admin.call('DELETE', `identities/${identityId}/api-sessions`)).status, 200);
  });
});
