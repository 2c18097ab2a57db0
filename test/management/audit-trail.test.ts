// Administrators change nothing that could not be seen afterwards: on a disk that is really full.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLogger } from '../../src/platform/log/logger.ts';
import { assertRefused, createdId, rootOf } from '../support/management.ts';
import { fill, smallDisk } from '../support/small-disk.ts';
import { startTestServer } from '../support/test-server.ts';

interface AuditLine {
  readonly event?: string;
  readonly request?: string;
  readonly requestId?: string;
  readonly byIdentityId?: string;
}

function linesIn(file: string): readonly AuditLine[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AuditLine);
}

test('what an administrator asks for is written before it is done', async (t) => {
  const server = await startTestServer();
  t.after(() => server.close());
  const admin = await rootOf(server);
  const made = await admin.call('POST', 'identities', { name: 'ann', type: 'User', isAdmin: false });
  const { message, fields } = server.log.entries.find(
    ({ fields }) => fields.event === 'admin.requested',
  ) as (typeof server.log.entries)[number];
  assert.equal(message, 'audit');
  assert.equal(fields.request, 'POST /edge/management/v1/identities');
  assert.equal(fields.requestId, made.headers['x-request-id']);
  assert.ok(fields.byIdentityId);
});

test('on a full disk the first change is refused too, and everything can be read', async (t) => {
  const disk = smallDisk('1m');
  if (disk === null) return t.skip('only a user who may mount file systems can run this');
  const file = join(disk.folder, 'controller.log');
  const log = openLogger({ level: 'info', format: 'json', to: { file } });
  const server = await startTestServer({ log });
  t.after(async () => {
    await server.close();
    disk.remove();
  });
  const admin = await rootOf(server);
  const id = createdId(await admin.call('POST', 'identities', { name: 'ann', type: 'User', isAdmin: false }));

  const release = fill(disk.folder);
  const change = (round: number) => admin.call('PATCH', `identities/${id}`, { name: `ann ${round}` });
  let [name, refused] = ['ann', 0];
  // The last page of the file has room for some lines.
  for (let round = 0; refused < 3; round += 1) {
    const answer = await change(round);
    if (answer.status === 200) {
      assert.equal(refused, 0, 'no room comes by itself');
      name = `ann ${round}`;
      const line = readFileSync(file, 'utf8').includes(String(answer.headers['x-request-id']));
      assert.ok(line, 'what was done can be seen when it is answered');
    } else {
      assertRefused(answer, 503, 'UNAVAILABLE');
      assert.match(answer.json.error.message, /audit trail cannot be written/);
      assert.ok(answer.headers['retry-after']);
      refused += 1;
    }
    assert.equal((await admin.get(`identities/${id}`)).json.data.name, name);
  }
  for (const [method, path, body] of [
    ['POST', 'identities', { name: 'bob', type: 'User', isAdmin: true }],
    ['POST', `identities/${id}/disable`, { durationMinutes: 0 }],
    ['DELETE', `identities/${id}`, undefined],
  ] as const) {
    assertRefused(await admin.call(method, path, body), 503, 'UNAVAILABLE');
  }
  const { data } = (await admin.get(`identities/${id}`)).json;
  assert.deepEqual([data.name, data.isAdmin, data.disabled], [name, false, false]);

  release();
  const made = await change(99);
  assert.equal(made.status, 200);
  const asked = linesIn(file).find(
    ({ event, requestId }) => event === 'admin.requested' && requestId === made.headers['x-request-id'],
  );
  assert.equal(asked?.request, `PATCH /edge/management/v1/identities/${id}`);
});
