// What clients ask for that an authentication service does not have.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertRefused, loggedIn } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import { createTotpUser, password, totpPolicy } from '../support/totp.ts';

const root = '/edge/client/v1';
const lists = [
  'services',
  'services/any/terminators',
  'sessions',
  'edge-routers',
  'current-identity/edge-routers',
];
const others = ['services/any/edge-routers', 'current-api-session/service-updates'];
const server = await serverOfFile();
await server.createUser({ name: 'ann', password });
const caller = await loggedIn(server, 'ann');

describe('lists of the data plane', () => {
  test('are empty, and say which page was asked for', async () => {
    for (const path of lists) {
      const { status, json } = await caller.get(`${root}/${path}?limit=500&offset=20&configTypes=all`);
      assert.equal(status, 200, path);
      assert.deepEqual(json.data, []);
      assert.deepEqual(json.meta.pagination, { limit: 500, offset: 20, totalCount: 0 });
      const filtered = await caller.get(
        `${root}/${path}?filter=${encodeURIComponent('name = "x" limit none')}`,
      );
      assert.deepEqual(filtered.json.data, []);
    }
  });

  test('refuse a page that cannot be', async () => {
    assertRefused(await caller.get(`${root}/services?limit=many`), 400, 'COULD_NOT_VALIDATE', 'limit');
  });

  test('are for callers who are fully authenticated', async () => {
    const authPolicyId = await totpPolicy(server);
    await createTotpUser(server, authPolicyId, 'partial');
    const opened = await server.post(`${root}/authenticate?method=password`, {
      json: { username: 'partial', password },
    });
    const partial = { headers: { 'zt-session': opened.json.data.token } };
    for (const path of [...lists, ...others]) {
      assertRefused(await server.get(`${root}/${path}`), 401, 'UNAUTHORIZED');
      assertRefused(await server.get(`${root}/${path}`, partial), 401, 'UNAUTHORIZED');
    }
    for (const path of ['sessions', 'posture-response', 'posture-response-bulk']) {
      assertRefused(await server.post(`${root}/${path}`, { json: {} }), 401, 'UNAUTHORIZED');
    }
  });
});

describe('entries of the data plane', () => {
  test('are not found', async () => {
    for (const [method, path] of [
      ['GET', 'services/any'],
      ['GET', 'sessions/any'],
      ['DELETE', 'sessions/any'],
    ] as const) {
      assertRefused(await caller.call(method, `${root}/${path}`), 404, 'NOT_FOUND');
    }
    const session = { serviceId: 'any', type: 'Dial' };
    assertRefused(await caller.call('POST', `${root}/sessions`, session), 404, 'NOT_FOUND');
    assertRefused(await caller.call('POST', `${root}/sessions`, {}), 400, 'COULD_NOT_VALIDATE', 'serviceId');
  });

  test('have never changed', async () => {
    const read = () => caller.get(`${root}/current-api-session/service-updates`);
    const { data } = (await read()).json;
    assert.deepEqual(data, { lastChangeAt: '1970-01-01T00:00:00.000Z' });
    assert.deepEqual((await read()).json.data, data);
  });
});

test('posture is accepted without being read', async () => {
  const one = await caller.call('POST', `${root}/posture-response`, { typeId: 'OS' });
  assert.deepEqual([one.status, one.json.data], [201, { services: [] }]);
  const many = await caller.call('POST', `${root}/posture-response-bulk`, [{ typeId: 'OS' }]);
  assert.deepEqual([many.status, many.json.data], [200, { services: [] }]);
});
