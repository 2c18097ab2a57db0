import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { login } from '../support/flow.ts';
import { assertRefused, createdId, password, rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';

const server = await startTestServer();
const admin = await rootOf(server);
after(() => server.close());

describe('configuration types', () => {
  test('are created, read, changed, replaced and deleted', async () => {
    const id = createdId(await admin.call('POST', 'config-types', { name: 'host.v1', tags: { a: 1 } }));
    const read = async () => (await admin.get(`config-types/${id}`)).json.data;
    assert.deepEqual([(await read()).name, (await read()).tags], ['host.v1', { a: 1 }]);
    assert.equal((await admin.call('PATCH', `config-types/${id}`, { name: 'host.v2' })).status, 200);
    assert.deepEqual([(await read()).name, (await read()).tags], ['host.v2', { a: 1 }]);
    assert.equal((await admin.call('PUT', `config-types/${id}`, { name: 'host.v3' })).status, 200);
    assert.deepEqual([(await read()).name, (await read()).tags], ['host.v3', {}]);
    assert.equal((await admin.call('DELETE', `config-types/${id}`)).status, 200);
    assertRefused(await admin.get(`config-types/${id}`), 404, 'NOT_FOUND');
    for (const [method, body] of [['PATCH', {}], ['PUT', { name: 'x' }], ['DELETE']] as const) {
      assertRefused(await admin.call(method, `config-types/${id}`, body), 404, 'NOT_FOUND');
    }
  });

  test('are listed with filter, order and pages', async () => {
    for (const name of ['list-a', 'list-b', 'list-c']) {
      createdId(await admin.call('POST', 'config-types', { name }));
    }
    const { json } = await admin.get(
      `config-types?filter=${encodeURIComponent('name contains "list-"')}&sort=name desc&limit=2`.replaceAll(
        ' ',
        '%20',
      ),
    );
    assert.deepEqual(
      json.data.map(({ name }: { name: string }) => name),
      ['list-c', 'list-b'],
    );
    assert.deepEqual(json.meta.pagination, { limit: 2, offset: 0, totalCount: 3 });
    assertRefused(await admin.get('config-types?filter=colour%20=%20"x"'), 400, 'INVALID_FILTER');
  });

  test('have one name each, and an id that may be chosen', async () => {
    assert.equal(
      createdId(await admin.call('POST', 'config-types', { id: 'NH5p4FpGR', name: 'chosen' })),
      'NH5p4FpGR',
    );
    const refusals = [
      ['name', { name: 'chosen' }],
      ['id', { id: 'NH5p4FpGR', name: 'other' }],
      ['id', { id: 'no id', name: 'other' }],
      ['name', { name: '  ' }],
      ['name', {}],
    ] as const;
    for (const [field, body] of refusals) {
      assertRefused(await admin.call('POST', 'config-types', body), 400, 'COULD_NOT_VALIDATE', field);
    }
  });

  test('that a login names become their ids, and unknown names stay', async () => {
    await server.createUser({ name: 'alice', password });
    const id = createdId(await admin.call('POST', 'config-types', { name: 'intercept.v1' }));
    const tokens = await login(server, 'alice', password, { configTypes: 'intercept.v1' });
    assert.deepEqual(decodeJwt(tokens.access_token).z_ct, [id]);
    const answer = await server.post('/edge/client/v1/authenticate?method=password', {
      json: { username: 'alice', password, configTypes: ['intercept.v1', 'elsewhere', id] },
    });
    assert.deepEqual(answer.json.data.configTypes, [id, 'elsewhere']);
  });
});
