import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import {
  migrateSqlite,
  NodesInTheWay,
  ourSchema,
  schemaVersion,
} from '../../src/store/migrations/migrate.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { AlreadyRunning, acquireRunLock, runsElsewhere } from '../../src/store/sqlite/run-lock.ts';
import { createUser } from './fixtures.ts';

const lockModule = new URL('../../src/store/sqlite/run-lock.ts', import.meta.url).href;

/** Another process that tries to get the lock, reports the result, and stays until it is killed. */
async function otherProcess(path: string): Promise<{ answer: string; child: ChildProcess }> {
  const script = `
    import { acquireRunLock } from ${JSON.stringify(lockModule)};
    try {
      acquireRunLock(${JSON.stringify(path)});
      process.stdout.write('acquired');
      setInterval(() => {}, 1000);
    } catch (error) {
      process.stdout.write(error.name);
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = await once(child.stdout, 'data');
  return { answer: String(chunk), child };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('the run lock', () => {
  let home: string;
  before(() => {
    home = mkdtempSync(join(tmpdir(), 'overlay-auth-lock-'));
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  test('refuses a second controller in a sentence that names the database', () => {
    const path = join(home, 'same.db');
    const lock = acquireRunLock(path);
    assert.throws(
      () => acquireRunLock(path),
      (error) =>
        error instanceof AlreadyRunning &&
        error.message.startsWith(`another controller is running on ${path}`) &&
        error.message.includes(': stop it'),
    );
    lock.release();
    acquireRunLock(path).release();
  });

  test('keeps out another process, also after this one was refused a second lock', async () => {
    const path = join(home, 'kept.db');
    const lock = acquireRunLock(path);
    assert.throws(() => acquireRunLock(path), AlreadyRunning);
    const { answer, child } = await otherProcess(path);
    await kill(child);
    assert.equal(answer, 'AlreadyRunning');
    lock.release();
  });

  test('ends with the process that holds it, however that ends', async () => {
    const path = join(home, 'killed.db');
    const { answer, child } = await otherProcess(path);
    assert.equal(answer, 'acquired');
    assert.throws(() => acquireRunLock(path), AlreadyRunning);
    await kill(child);
    acquireRunLock(path).release();
  });

  test('is the same for every path to the database', () => {
    const folder = join(home, 'folder');
    symlinkSync(home, folder);
    const path = join(home, 'linked.db');
    writeFileSync(path, '');
    const link = join(home, 'link.db');
    symlinkSync(path, link);
    const lock = acquireRunLock(path);
    for (const alias of [join(folder, 'linked.db'), link]) {
      assert.throws(() => acquireRunLock(alias), AlreadyRunning, alias);
    }
    lock.release();
  });

  test('leaves the database open to offline commands', async () => {
    const path = join(home, 'offline.db');
    const { answer, child } = await otherProcess(path);
    assert.equal(answer, 'acquired');
    const store = await openSqliteStore({ path });
    await createUser(store);
    await store.close();
    await kill(child);
  });

  test('is a file that only its owner can read', () => {
    const path = join(home, 'private.db');
    acquireRunLock(path).release();
    assert.equal(statSync(`${path}.lock`).mode & 0o777, 0o600);
  });

  test('blocks a migration that would break the controller holding it', async () => {
    const path = join(home, 'breaking.db');
    await (await openSqliteStore({ path })).close();
    const database = new DatabaseSync(path);
    const breaking = {
      ...ourSchema,
      migrations: [...ourSchema.migrations, ['ALTER TABLE nodes DROP COLUMN version']],
      usableBy: schemaVersion + 1,
    };
    const migrate = () => migrateSqlite(database, breaking, () => runsElsewhere(path));
    const { answer, child } = await otherProcess(path);
    try {
      assert.equal(answer, 'acquired');
      assert.throws(migrate, NodesInTheWay);
      assert.equal(database.prepare('SELECT version FROM schema_version').get()?.version, schemaVersion);
      const older = ourSchema.usableBy - 1;
      database.exec(`UPDATE schema_version SET version = ${older}`);
      await assert.rejects(openSqliteStore({ path }), NodesInTheWay);
      database.exec(`UPDATE schema_version SET version = ${schemaVersion}`);
    } finally {
      await kill(child);
    }
    // The controller that is starting has the lock itself.
    const lock = acquireRunLock(path);
    assert.equal(migrate(), schemaVersion + 1);
    lock.release();
    database.close();
  });
});
