// The file of a running controller is removed, or another one is put in its place, as by a restore with tools of the
// system. What is written from then on would be lost, and commands on the host would use the other file.

import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { backupSqlite } from '../../src/store/sqlite/backup.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, callWith, login, refresh, submitPassword } from '../support/flow.ts';
import { password, rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

for (const isReplaced of [true, false])
  test(`a controller whose file was ${isReplaced ? 'replaced' : 'removed'} refuses calls and says so, until it is back`, async (t) => {
    const clock = fixedClock('2026-01-01T00:00:00Z');
    const server = await startTestServer({ clock });
    t.after(() => server.close());
    const root = await rootOf(server);
    const tokens = await login(server, 'root', password);
    const path = join(server.home, 'overlay.db');
    if (isReplaced) await backupSqlite(path, `${path}.copy`);
    const isReady = async () => {
      clock.advance(6 * SECOND);
      return (await server.get('/health-checks/ready')).status === 200;
    };
    assert.equal(await isReady(), true);

    renameSync(path, `${path}.was`);
    if (isReplaced) renameSync(`${path}.copy`, path);
    const made = await root.call('POST', 'auth-policies', { name: 'lost' });
    assert.equal(made.status, 503, made.text);
    assert.ok(made.headers['retry-after']);
    assert.equal((await refresh(server, tokens.refresh_token)).status, 503);
    assert.equal((await submitPassword(server, await beginLogin(server), 'root', password)).status, 503);
    // What reads is refused as soon as this is noticed, and lists never come from the other file.
    await until(5 * SECOND, async () => (await callWith(server, tokens.access_token)).status === 503);
    assert.equal((await root.get('identities')).status, 503);
    assert.equal(await isReady(), false);
    assert.equal((await server.get('/health-checks/live')).status, 200);
    const said = server.log.entries.find(({ fields }) => fields.event === 'store.unwritable')?.fields.error;
    assert.match(JSON.stringify(said, ['message']), /overlay\.db was removed or replaced.*restart/);

    if (isReplaced) renameSync(path, `${path}.copy`);
    renameSync(`${path}.was`, path);
    await until(5 * SECOND, async () => (await callWith(server, tokens.access_token)).status === 200);
    assert.equal((await refresh(server, tokens.refresh_token)).status, 200);
    assert.equal((await root.get('identities')).status, 200);
    assert.equal(await isReady(), true);
  });
