import assert from 'node:assert/strict';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { typedName } from '../../src/model/names.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import { migrateSqlite, ourSchema, SchemaError, schemaVersion } from '../../src/store/migrations/migrate.ts';
import { sealedColumns } from '../../src/store/sql/keys.ts';
import { fieldOfUnique } from '../../src/store/sql/unique-fields.ts';
import { backupSqlite, checkSqlite } from '../../src/store/sqlite/backup.ts';
import { EmptiedDatabase, openSqliteStore, sqliteSchemaVersion } from '../../src/store/sqlite/open.ts';
import { testBudget } from '../support/list-budget.ts';
import { createUser, type Folder, newIdentity, t0, temporaryFolder } from './fixtures.ts';

describe('the files of the embedded store', () => {
  let folder: Folder;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());

  test('can be read by their owner only', async () => {
    const path = folder.path('private.db');
    const store = await openSqliteStore({ path });
    await createUser(store, { name: typedName('alice') });
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      assert.equal(statSync(file).mode & 0o777, 0o600, file);
    }
    await store.close();
  });

  test('keep what was acknowledged when they are opened again', async () => {
    const path = folder.path('again.db');
    const first = await openSqliteStore({ path });
    const { id } = await createUser(first, { name: typedName('alice') });
    await first.close();
    const second = await openSqliteStore({ path });
    assert.equal((await second.identities.find(id))?.name, 'alice');
    await second.close();
  });

  test('of a newer release whose schema older ones cannot use are refused and not changed', async () => {
    const path = folder.path('newer.db');
    await (await openSqliteStore({ path })).close();
    const database = new DatabaseSync(path);
    database.exec(
      `UPDATE schema_version SET version = ${schemaVersion + 1}, usable_by = ${schemaVersion + 1}`,
    );
    database.close();
    const before = readFileSync(path);
    await assert.rejects(openSqliteStore({ path }), {
      name: 'SchemaError',
      message: `the database has schema version ${schemaVersion + 1}, this release knows ${schemaVersion}: start a newer release, or restore a backup that fits this one`,
    });
    assert.deepEqual(readFileSync(path), before);
  });

  test('of a newer release that has only added something are used, and keep that version', async () => {
    const path = folder.path('added.db');
    await (await openSqliteStore({ path })).close();
    const database = new DatabaseSync(path);
    const added = 'ALTER TABLE identities ADD COLUMN later INTEGER NOT NULL DEFAULT 7';
    migrateSqlite(database, { ...ourSchema, migrations: [...ourSchema.migrations, [added]] });
    const store = await openSqliteStore({ path });
    const { id } = await createUser(store, { name: typedName('ana') });
    await store.close();
    assert.equal(database.prepare('SELECT later FROM identities WHERE id = ?').get(id)?.later, 7);
    assert.equal(database.prepare('SELECT version FROM schema_version').get()?.version, schemaVersion + 1);
    database.close();
  });

  test('are not written to by opening them again', async () => {
    const path = folder.path('opened-again.db');
    await (await openSqliteStore({ path })).close();
    const watching = new DatabaseSync(path);
    // Changes with every commit of another connection.
    const version = () => watching.prepare('PRAGMA data_version').get()?.data_version;
    const before = version();
    const store = await openSqliteStore({ path });
    assert.equal(version(), before);
    await createUser(store, { name: typedName('alice') });
    assert.notEqual(version(), before);
    await store.close();
    watching.close();
  });

  test('of another program are refused and not changed', async () => {
    const path = folder.path('foreign.db');
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE songs (title TEXT)');
    await assert.rejects(openSqliteStore({ path }), SchemaError);
    const tables = database.prepare('SELECT name FROM sqlite_schema').all();
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['songs'],
    );
    database.close();
  });

  test('that were emptied are refused and not changed', async () => {
    const path = folder.path('emptied.db');
    await (await openSqliteStore({ path })).close();
    for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    truncateSync(path);
    await assert.rejects(openSqliteStore({ path }), EmptiedDatabase);
    assert.throws(() => sqliteSchemaVersion(path), EmptiedDatabase);
    assert.deepEqual(checkSqlite(path), ['the file is empty']);
    assert.equal(statSync(path).size, 0);
  });

  test('get their name only with a schema in them, even if created at once', async () => {
    const path = folder.path('many.db');
    const stores = await Promise.all(Array.from({ length: 4 }, () => openSqliteStore({ path })));
    const { id } = await createUser(stores[0] as Store, { name: typedName('ana') });
    for (const store of stores) assert.equal((await store.identities.find(id))?.name, 'ana');
    await Promise.all(stores.map((store) => store.close()));
    assert.deepEqual(
      readdirSync(folder.path('.')).filter((name) => name.includes('partial')),
      [],
    );
  });

  test('that are not databases are refused and not changed', async () => {
    const path = folder.path('text.db');
    const text = 'these are the words of a letter\n'.repeat(200);
    writeFileSync(path, text);
    await assert.rejects(openSqliteStore({ path }), { message: 'file is not a database' });
    assert.equal(readFileSync(path, 'utf8'), text);
  });
});

/** The names of columns in a new database, `table.column`. @param joined more of each table */
async function columnNames(joined: string): Promise<string[]> {
  const folder = temporaryFolder();
  const path = folder.path('columns.db');
  await (await openSqliteStore({ path })).close();
  const database = new DatabaseSync(path, { readOnly: true });
  const columns = database
    .prepare(
      `SELECT tables.name || '.' || columns.name AS name FROM sqlite_schema AS tables ${joined}
       WHERE tables.type = 'table' ORDER BY 1`,
    )
    .all();
  database.close();
  folder.remove();
  return columns.map(({ name }) => String(name));
}

test('a rekey reseals every column with sealed values', async () => {
  assert.deepEqual(
    await columnNames("JOIN pragma_table_info(tables.name) AS columns ON columns.name LIKE 'sealed%'"),
    Object.values(sealedColumns)
      .map(({ table, sealed }) => `${table}.${sealed}`)
      .sort(),
  );
});

test('a name that is taken is reported as such, of everything that administrators name', async () => {
  const unique = await columnNames(`
    JOIN pragma_index_list(tables.name) AS indexes ON indexes."unique" AND indexes.origin = 'u'
    JOIN pragma_index_info(indexes.name) AS columns ON columns.seqno = 0 AND columns.name = 'name'`);
  assert.ok(unique.includes('identities.name'));
  assert.deepEqual(
    unique.filter((column) => fieldOfUnique(column) !== 'name'),
    ['nodes.name'],
  );
});

describe('a backup', () => {
  let folder: Folder;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());

  test('ends beside a store that keeps writing, is sound, private, and holds all that was there before', async () => {
    const path = folder.path('busy.db');
    const store = await openSqliteStore({ path });
    const before = 2000;
    const tags = { note: 'x'.repeat(2000) };
    const names = Array.from({ length: before }, (_, n) => `before-${n}`);
    await Promise.all(
      names.map((name) => store.identities.create(newIdentity({ name: typedName(name), tags }), null, t0)),
    );

    let isDone = false;
    const target = folder.path('copy.db');
    const copying = backupSqlite(path, target).finally(() => {
      isDone = true;
    });
    for (let n = 0; !isDone; n += 1)
      await store.identities.create(newIdentity({ name: typedName(`during-${n}`) }), null, t0);
    await copying;
    await store.close();

    assert.equal(statSync(target).mode & 0o777, 0o600);
    assert.deepEqual(checkSqlite(target), []);
    assert.deepEqual(
      readdirSync(folder.path('.')).filter((name) => name.includes('partial')),
      [],
    );
    const restored = await openSqliteStore({ path: target });
    const filter = { op: 'contains', field: 'name', value: 'before-' } as const;
    const { totalCount } = await restored.identities.list({
      filter,
      sort: [],
      limit: 1,
      offset: 0,
      budget: testBudget,
    });
    assert.equal(totalCount, before);
    await restored.close();
  });

  test('never overwrites a file', async () => {
    const path = folder.path('source.db');
    await (await openSqliteStore({ path })).close();
    const target = folder.path('taken');
    writeFileSync(target, 'precious');
    await assert.rejects(backupSqlite(path, target), /exists already; a backup never replaces a file$/);
    assert.equal(readFileSync(target, 'utf8'), 'precious');
  });

  test('never writes into a file of another user', async () => {
    const path = folder.path('source of all.db');
    await (await openSqliteStore({ path })).close();
    const target = folder.path('expected.db');
    // The name of the unfinished copy, for this process and its neighbours.
    const traps = Array.from({ length: 50 }, (_, n) => `${target}.${process.pid - 25 + n}.partial`);
    for (const trap of traps) writeFileSync(trap, '', { mode: 0o666 });
    await backupSqlite(path, target);
    assert.equal(statSync(target).mode & 0o777, 0o600);
    for (const trap of traps) {
      assert.equal(existsSync(trap), true, "it is somebody else's file");
      assert.notEqual(statSync(trap).ino, statSync(target).ino);
    }
  });

  test('does not replace a file that another process made meanwhile', async () => {
    const path = folder.path('slow.db');
    await (await openSqliteStore({ path })).close();
    const target = folder.path('raced.db');
    const copies = await Promise.allSettled(Array.from({ length: 5 }, () => backupSqlite(path, target)));
    assert.equal(copies.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.deepEqual(checkSqlite(target), []);
  });

  test('that fails leaves nothing behind', async () => {
    const target = folder.path('failed.db');
    await assert.rejects(backupSqlite(folder.path('there-is-none.db'), target));
    assert.equal(existsSync(target), false);
    assert.deepEqual(
      readdirSync(folder.path('.')).filter((name) => name.startsWith('failed')),
      [],
    );
  });
});

describe('the check of a database', () => {
  let folder: Folder;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());

  test('names a row that refers to nothing', async () => {
    const path = folder.path('broken.db');
    const store = await openSqliteStore({ path });
    const { id } = await createUser(store, { name: typedName('alice') });
    await store.close();
    assert.deepEqual(checkSqlite(path), []);
    const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    database.prepare('DELETE FROM identities WHERE id = ?').run(id);
    database.close();
    assert.deepEqual(
      [...new Set(checkSqlite(path))],
      ['authenticators', 'names'].map((table) => `a row of ${table} refers to a missing row of identities`),
    );
  });

  test('finds damage', async () => {
    const path = folder.path('damaged.db');
    const store = await openSqliteStore({ path });
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
