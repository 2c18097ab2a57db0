// What survives a stop and a start: ended sessions, the run lock, the version of the schema, backups.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, type TestContext, test } from 'node:test';
import type { Store } from '../../src/store/contracts/store.ts';
import { schemaVersion } from '../../src/store/migrations/migrate.ts';
import { backupSqlite, checkSqlite } from '../../src/store/sqlite/backup.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { AlreadyRunning, acquireRunLock } from '../../src/store/sqlite/run-lock.ts';
import { login, refresh } from '../support/flow.ts';
import { startTestServer } from '../support/test-server.ts';
import { createUser, openSession, rotation, t0 } from './fixtures.ts';

const home = mkdtempSync(join(tmpdir(), 'overlay-auth-restart-'));
let files = 0;
const opened: Store[] = [];
after(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(home, { recursive: true, force: true });
});

async function open(path: string): Promise<Store> {
  const store = await openSqliteStore({ path });
  opened.push(store);
  return store;
}

function newPath(): string {
  files += 1;
  return join(home, `${files}.db`);
}

describe('a restart', () => {
  test('refuses ended sessions from the first request on', async (t) => {
    const first = await startTestServer();
    await first.createUser({ name: 'alice', password: 'seven quiet lanterns' });
    const ended = await login(first, 'alice', 'seven quiet lanterns');
    const alive = await login(first, 'alice', 'seven quiet lanterns');
    const form = { token: ended.refresh_token, client_id: 'overlay' };
    assert.equal((await first.post('/oidc/revoke', { form })).status, 200);
    await first.stop();

    const second = await startTestServer({ home: first.home });
    t.after(() => second.close());
    // The system gave it another port; the tokens name the first one.
    second.controller.services.issuers.add(first.issuer);
    const userinfo = async (token: string) =>
      (await second.get('/oidc/userinfo', { headers: { authorization: `Bearer ${token}` } })).status;
    assert.equal(await userinfo(ended.access_token), 401);
    assert.equal(await userinfo(alive.access_token), 200);
    assert.equal((await refresh(second, ended.refresh_token)).status, 400);
  });
});

describe('the run lock', () => {
  const holder = `
    import { acquireRunLock } from ${JSON.stringify(new URL('../../src/store/sqlite/run-lock.ts', import.meta.url))};
    acquireRunLock(process.argv[1]);
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;

  async function hold(path: string, t: TestContext) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', holder, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  }

  test('refuses a second process in one sentence, and is free after kill -9', async (t) => {
    const path = newPath();
    const child = await hold(path, t);
    assert.throws(
      () => acquireRunLock(path),
      (error) =>
        error instanceof AlreadyRunning &&
        /^another controller is running on .*: stop it/.test(error.message),
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = acquireRunLock(path);
    assert.throws(() => acquireRunLock(path), AlreadyRunning);
    lock.release();
    acquireRunLock(path).release();
  });

  test('a refused attempt of the same process does not lift the lock for others', async (t) => {
    const path = newPath();
    const lock = acquireRunLock(path);
    assert.throws(() => acquireRunLock(path), AlreadyRunning);
    const child = spawn(process.execPath, ['--input-type=module', '-e', holder, path], { stdio: 'ignore' });
    t.after(() => child.kill('SIGKILL'));
    assert.notEqual((await once(child, 'exit'))[0], 0);
    lock.release();
  });

  test('leaves the database open to offline commands', async (t) => {
    const path = newPath();
    await hold(path, t);
    const store = await open(path);
    await createUser(store);
    await store.close();
  });
});

describe('opening a database', () => {
  test('makes a file that only its owner can read, and opens it again', async () => {
    const path = newPath();
    const first = await open(path);
    const user = await createUser(first);
    for (const file of [path, `${path}-wal`]) assert.equal(statSync(file).mode & 0o077, 0, file);
    await first.close();
    const second = await open(path);
    assert.equal((await second.identities.find(user.id))?.name, user.identity.name);
    await second.close();
  });

  test('of a newer release is refused in one sentence, and leaves it as it is', async () => {
    const path = newPath();
    await (await open(path)).close();
    const database = new DatabaseSync(path);
    database.exec(
      `UPDATE schema_version SET version = ${schemaVersion + 1}, usable_by = ${schemaVersion + 1}`,
    );
    database.close();
    const before = readFileSync(path);
    await assert.rejects(open(path), {
      name: 'SchemaError',
      message: `the database has schema version ${schemaVersion + 1}, this release knows ${schemaVersion}: start a newer release, or restore a backup that fits this one`,
    });
    assert.deepEqual(readFileSync(path), before);
  });

  test('that is not one is refused, and does not change the file', async () => {
    const path = newPath();
    const text = 'These are my notes, which nobody should overwrite.\n'.repeat(100);
    writeFileSync(path, text);
    await assert.rejects(open(path), { message: 'file is not a database' });
    assert.equal(readFileSync(path, 'utf8'), text);
  });

  test('by several programs at once migrates it once', async () => {
    const path = newPath();
    const stores = await Promise.all([1, 2, 3, 4].map(() => open(path)));
    const user = await createUser(stores[0] ?? assert.fail());
    for (const store of stores) assert.notEqual(await store.identities.find(user.id), null);
    for (const store of stores) await store.close();
  });
});

describe('a backup', () => {
  test('taken under load is sound, as of one moment, private, and replaces nothing', async () => {
    const path = newPath();
    const target = newPath();
    const store = await open(path);
    const user = await createUser(store);
    const id = await openSession(store, user);
    let generation = 1;
    let isOver = false;
    const load = (async () => {
      for (; !isOver; generation += 1)
        await store.apiSessions.rotateRefreshToken(rotation(id, generation, { now: t0 }));
    })();
    await backupSqlite(path, target);
    isOver = true;
    await load;
    assert.deepEqual(checkSqlite(target), []);
    assert.equal(statSync(target).mode & 0o077, 0);
    await assert.rejects(backupSqlite(path, target), /exists already; a backup never replaces a file$/);
    const copy = await open(target);
    assert.notEqual(await copy.apiSessions.find(id), null);
    await copy.close();
    await store.close();
  });

  test('damage is found', async () => {
    const path = newPath();
    const store = await open(path);
    await Promise.all(Array.from({ length: 200 }, () => createUser(store)));
    await store.close();
    assert.deepEqual(checkSqlite(path), []);
    const sound = readFileSync(path);
    // Wherever the damage is, even where it stops the check itself.
    for (let at = 0; at < sound.length; at += 4096) {
      const bytes = Buffer.from(sound);
      bytes.fill(0x5a, at, at + 4096);
      writeFileSync(path, bytes);
      if (at === 0) assert.throws(() => checkSqlite(path), /not a database/);
      else assert.notDeepEqual(checkSqlite(path), [], `at byte ${at} of ${sound.length}`);
    }
  });
});
