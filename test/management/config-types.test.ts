import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeJwt } from 'jose';
import { login } from '../support/flow.ts';
import { assertRefused, createdId, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
const admin = await rootOf(server);

describe('configuration types', () => {
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
      assertRefused(await admin.call('POST', 'config-types', body), field);
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
    const other = createdId(await admin.call('POST', 'config-types', { name: 'k\u00f6ln.v1' }));
    const decomposed = await server.post('/edge/client/v1/authenticate?method=password', {
      json: { username: 'alice', password, configTypes: ['ko\u0308ln.v1'] },
    });
    assert.deepEqual(decomposed.json.data.configTypes, [other]);
  });
});
