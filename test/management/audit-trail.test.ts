// Administrators change nothing that could not be seen afterwards.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, type Caller, createdId, rootOf } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let admin: Caller;
before(async () => {
  server = await startTestServer();
  admin = await rootOf(server);
});
after(() => server?.close());

test('while the audit trail cannot be written, nothing is changed and everything can be read', async () => {
  const id = createdId(await admin.call('POST', 'identities', { name: 'ann', type: 'User', isAdmin: false }));
  Object.assign(server.log, { isFailing: () => true });
  try {
    for (const [method, path, body] of [
      ['POST', 'identities', { name: 'bob', type: 'User', isAdmin: true }],
      ['PATCH', `identities/${id}`, { isAdmin: true }],
      ['POST', `identities/${id}/disable`, { durationMinutes: 0 }],
      ['DELETE', `identities/${id}`, undefined],
    ] as const) {
      const answer = await admin.call(method, path, body);
      assertRefused(answer, 503, 'UNAVAILABLE');
      assert.match(answer.json.error.message, /audit trail cannot be written/);
      assert.ok(answer.headers['retry-after']);
    }
    const { json } = await admin.get(`identities/${id}`);
    assert.deepEqual([json.data.name, json.data.isAdmin, json.data.disabled], ['ann', false, false]);
  } finally {
    Object.assign(server.log, { isFailing: () => false });
  }
  assert.equal((await admin.call('PATCH', `identities/${id}`, { name: 'anna' })).status, 200);
});
