// A file system that is really full, under a running controller: it refuses what needs a write and says so, the rest
// continues, nothing acknowledged is lost, and it recovers by itself.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { checkSqlite } from '../../src/store/sqlite/backup.ts';
import { openSession } from '../legacy/support.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  beginLogin,
  callWith,
  codeOf,
  login,
  redeem,
  refresh,
  submitPassword,
  type Tokens,
} from '../support/flow.ts';
import { fill, smallDisk } from '../support/small-disk.ts';
import { startTestServer } from '../support/test-server.ts';

const password = 'seven quiet lanterns';

test('a full disk stops only what has to be written', async (t) => {
  const disk = smallDisk('8m');
  if (disk === null) return t.skip('only a user who may mount file systems can run this');
  const clock = fixedClock('2026-01-01T00:00:00Z');
  const home = disk.folder;
  const server = await startTestServer({ clock, home });
  t.after(async () => {
    await server.stop();
    disk.remove();
  });
  await server.createUser({ name: 'alice', password });
  const before: Tokens[] = [];
  for (let at = 0; at < 5; at += 1) before.push(await login(server, 'alice', password));
  const session = await openSession(server, 'alice');
  const health = async () => {
    clock.advance(6 * SECOND);
    const { status, json } = await server.get('/health-checks/ready');
    return [
      status,
      json.data.checks
        .filter((check: { healthy: boolean }) => !check.healthy)
        .map(({ id }: { id: string }) => id),
    ];
  };
  assert.deepEqual(await health(), [200, []]);

  const release = fill(home);
  // Until a login, which needs a new row, finds no room. Refreshes alone might go on for ever: the log has some room
  // left, and is used again from its start for as long as its pages find a place in the database.
  const acknowledged: Tokens[] = [];
  let refused = 0;
  for (let at = 0; refused < 5; at += 1) {
    assert.ok(at < 500, 'the disk is not full');
    const submitted = await submitPassword(server, await beginLogin(server), 'alice', password);
    assert.ok([302, 503].includes(submitted.status), submitted.text);
    if (submitted.status === 302) await redeem(server, codeOf(submitted));
    const answer = await refresh(server, (acknowledged.at(-1) ?? (before[0] as Tokens)).refresh_token);
    if (answer.status === 200) acknowledged.push(answer.json);
    else {
      assert.equal(answer.status, 503, answer.text);
      assert.ok(answer.headers['retry-after']);
      assert.doesNotMatch(answer.text, /disk|SQLITE|full/i);
      refused += 1;
    }
  }
  for (const { access_token } of before) assert.equal((await callWith(server, access_token)).status, 200);
  assert.equal((await session.get('current-api-session')).status, 200);
  assert.equal((await server.get('/oidc/keys')).status, 200);
  // The check writes less than a refresh, and may find room after everything else has failed: by itself for ever, while
  // the log can be used again from its start. Logins go on, until what they add finds no place in the database either.
  for (let at = 0; (await health())[0] === 200; at += 1) {
    assert.ok(at < 500, 'the check finds room for ever');
    await submitPassword(server, await beginLogin(server), 'alice', password);
  }
  assert.deepEqual(await health(), [503, ['store.write']]);
  assert.equal((await submitPassword(server, await beginLogin(server), 'alice', password)).status, 503);
  assert.equal((await server.get('/health-checks/live')).status, 200);
  const lines = server.log.entries.filter(({ fields }) => fields.event === 'store.unwritable');
  assert.equal(lines.length, 1, 'one line says so, however often it is tried');

  release();
  assert.deepEqual(await health(), [200, []]);
  assert.ok(server.log.entries.some(({ fields }) => fields.event === 'store.writable'));
  const newest = acknowledged.at(-1) ?? (before[0] as Tokens);
  assert.equal((await refresh(server, newest.refresh_token)).status, 200);
  for (const tokens of before.slice(1))
    assert.equal((await refresh(server, tokens.refresh_token)).status, 200);
  assert.equal((await callWith(server, (await login(server, 'alice', password)).access_token)).status, 200);
  assert.deepEqual(checkSqlite(join(home, 'overlay.db')), []);
});
