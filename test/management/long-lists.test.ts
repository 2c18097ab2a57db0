// However long a list is, nobody else waits for it.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { type Caller, rootOf } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const count = 20_000;
let server: TestServer;
let admin: Caller;
before(async () => {
  server = await startTestServer({ db: 'sqlite:./overlay.db' });
  admin = await rootOf(server);
  const database = new DatabaseSync(`${server.home}/overlay.db`, { timeout: 5000 });
  database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO identities (id, name, type, auth_policy_id, is_admin, permissions, role_attributes, tags, created_at, updated_at)
    SELECT 'many-' || i, 'many ' || i, 'Device', 'default', 0, '[]', '["a","b"]', '{"site":"north"}', i % 1000, i FROM n`);
  database.close();
});
after(() => server.close());

describe('a list without a limit', () => {
  test('holds every entry once, in order, as JSON in the envelope', async () => {
    const answer = await admin.get('identities?limit=none&sort=createdAt%20desc,name');
    assert.equal(answer.status, 200);
    const { data, meta } = answer.json;
    assert.equal(data.length, count + 1);
    assert.deepEqual(meta.pagination, { limit: count + 1, offset: 0, totalCount: count + 1 });
    assert.equal(new Set(data.map(({ id }: { id: string }) => id)).size, count + 1);
    const created = data.map(({ createdAt }: { createdAt: string }) => createdAt);
    assert.deepEqual(created, created.toSorted().toReversed());
  });

  test('has the length only of what it asks for by HEAD', async () => {
    const answer = await admin.call('HEAD', 'identities?limit=none');
    assert.deepEqual([answer.status, answer.text], [200, '']);
  });
});
