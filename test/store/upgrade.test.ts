// A database from before the migrations became one opens and works, on both engines.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { asId } from '../../src/model/ids.ts';
import { DAY, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { migrateSqlite, ourSchema, SchemaError, schemaVersion } from '../../src/store/migrations/migrate.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { postgresDialect } from '../../src/store/sql/engine.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { loggedIn } from '../support/management.ts';
import { postgresServer, query } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { partialLogin, password, submitCode } from '../support/totp.ts';
import { type Folder, temporaryFolder } from './support.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`./home-of-version-16/${name}`, import.meta.url), 'utf8');
const tables = fixture('schema.sql').split(/;\n/);
const rows = fixture('rows.sql');
const writtenAt = '2026-11-22T09:00:30Z';
const ana = { secret: 'L2RBPW2TMNEXLZWHXSHN2U66OBMAG6FY', recoveryCode: 'HL7YX-OOVBC' };
const tokenOfDora =
  'AaICfEuwdMWywYAu7BeskgAAAAE1hufQY23FIayKdFqVoVI9KojEDPM7D85IK_Xt-nzjdzpb9NwV3DMW8HAYl0mSbW8';

function oldSqlite(path: string): void {
  const database = new DatabaseSync(path);
  for (const statement of tables) database.exec(statement);
  database.exec(rows);
  database.close();
}

async function oldPostgres(url: string): Promise<void> {
  for (const statement of tables) await query(url, postgresDialect.ddl(statement));
  await query(url, rows);
  await query(url, `SELECT setval(pg_get_serial_sequence('changes', 'seq'), max(seq)) FROM changes`);
}

/** Tables, columns, keys and indexes, in any order of creation. */
function schemaOfSqlite(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string, ...params: string[]) => database.prepare(sql).all(...params);
  const names = all(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name`,
  ).map(({ name }) => String(name));
  const described = names.map((name) => ({
    name,
    columns: all(
      'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(?) ORDER BY name',
      name,
    ),
    keys: all(
      'SELECT "from", "table", "to", on_delete FROM pragma_foreign_key_list(?) ORDER BY "from"',
      name,
    ),
    unique: all(
      `SELECT origin, (SELECT group_concat(name) FROM pragma_index_info(list.name)) AS columns
       FROM pragma_index_list(?) AS list WHERE origin <> 'c' ORDER BY origin, columns`,
      name,
    ),
  }));
  const indexes = all(`SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`);
  database.close();
  return { described, indexes };
}

async function schemaOfPostgres(url: string): Promise<unknown> {
  return {
    columns: await query(
      url,
      `SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default, is_identity
       FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, column_name`,
    ),
    constraints: await query(
      url,
      `SELECT conrelid::regclass::text AS relation, conname, pg_get_constraintdef(oid) AS definition
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY relation, conname`,
    ),
    indexes: await query(
      url,
      `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname`,
    ),
  };
}

let folder: Folder;
before(() => {
  folder = temporaryFolder();
});
after(() => folder.remove());

describe('an SQLite database of version 16', () => {
  test('has the schema of a new one after it was opened', async () => {
    const [path, fresh] = [folder.path('old.db'), folder.path('new.db')];
    oldSqlite(path);
    for (const one of [path, fresh]) await (await openSqliteStore({ path: one })).close();
    assert.deepEqual(schemaOfSqlite(path), schemaOfSqlite(fresh));
    const database = new DatabaseSync(path);
    assert.equal(database.prepare('SELECT version FROM schema_version').get()?.version, schemaVersion);
    database.close();
  });

  test('of version 17 keeps an open invitation, with an unknown creator', async () => {
    const path = folder.path('version-17.db');
    const database = new DatabaseSync(path);
    migrateSqlite(database, { ...ourSchema, migrations: [] });
    database.exec(`INSERT INTO identities
        (id, name, type, auth_policy_id, is_admin, role_attributes, tags, created_at, updated_at)
      VALUES ('ida', 'ida', 'User', 'default', 0, '[]', '{}', 1, 1)`);
    database.exec(`INSERT INTO invitations VALUES ('ida', 'a hash', 1, 0, 1, 2)`);
    database.close();
    const store = await openSqliteStore({ path });
    const invitation = await store.invitations.find(asId('ida'));
    await store.close();
    assert.equal(invitation?.madeBy, null);
    assert.equal(invitation?.endSessions, true);
  });

  test('of version 18 keeps its sessions, without where they were opened', async () => {
    const path = folder.path('version-18.db');
    const database = new DatabaseSync(path);
    migrateSqlite(database, { ...ourSchema, migrations: ourSchema.migrations.slice(0, 1) });
    database.exec(`INSERT INTO api_sessions (id, mechanism, identity_id, passed, auth_time, client_id, scopes, issuer,
        config_types, ip_address, created_at, last_activity_at, expires_at)
      VALUES ('old', 'oidc', 'ida', '[]', 1, 'overlay', '[]', 'x', '[]', '192.0.2.1', 1, 1, 2)`);
    database.close();
    const store = await openSqliteStore({ path });
    const session = await store.apiSessions.find(asId('old'));
    await store.close();
    assert.deepEqual(
      [session?.ipAddress, session?.loginIpAddress, session?.program, session?.operatingSystem],
      ['192.0.2.1', null, null, null],
    );
  });

  test('of version 19 keeps its counters of attempts', async () => {
    const path = folder.path('version-19.db');
    const database = new DatabaseSync(path);
    migrateSqlite(database, { ...ourSchema, migrations: ourSchema.migrations.slice(0, 2) });
    const now = Date.parse(writtenAt);
    database.exec(`INSERT INTO attempts (key, failures, locks, locked_until, forget_at) VALUES
        ('password:locked', 10, 2, ${now + MINUTE}, ${now + DAY}),
        ('password:one-left', 9, 1, 0, ${now + DAY})`);
    database.close();
    const store = await openSqliteStore({ path });
    const limit = { max: 10, lockFor: MINUTE, longestLock: DAY, forgetAfter: DAY };
    const reserve = (key: string) => store.attempts.reserve([{ ...limit, key }], now);
    assert.deepEqual(await reserve('password:locked'), {
      outcome: 'refused',
      key: 'password:locked',
      until: now + MINUTE,
    });
    assert.equal((await reserve('password:one-left')).outcome, 'reserved');
    // The second lock in a row is twice as long.
    assert.equal(await store.attempts.lockedUntil('password:one-left', now), now + 2 * MINUTE);
    await store.close();
  });

  test('that is even older is refused and not changed', async () => {
    const path = folder.path('older.db');
    oldSqlite(path);
    const database = new DatabaseSync(path);
    for (const version of [1, 15]) {
      database.exec(`UPDATE schema_version SET version = ${version}`);
      assert.throws(
        () => migrateSqlite(database),
        (error) => error instanceof SchemaError && /older than any/.test(error.message),
      );
      assert.equal(database.prepare('SELECT version FROM schema_version').get()?.version, version);
    }
    database.close();
  });

  test('keeps its people, sessions and keys', async () => {
    oldSqlite(folder.path('overlay.db'));
    await goesOn({ home: folder.path('.') });
  });
});

describe('a PostgreSQL database of version 16', () => {
  test('has the schema of a new one after it was opened', async () => {
    const server = await postgresServer();
    const [url, fresh] = [await server.createDatabase(), await server.createDatabase()];
    await oldPostgres(url);
    for (const one of [url, fresh]) await (await openPostgresStore({ url: one })).close();
    assert.deepEqual(await schemaOfPostgres(url), await schemaOfPostgres(fresh));
    assert.deepEqual(await query(url, 'SELECT version::int FROM schema_version'), [
      { version: schemaVersion },
    ]);
  });

  test('keeps its people, sessions and keys', async () => {
    const db = await (await postgresServer()).createDatabase();
    await oldPostgres(db);
    await goesOn({ db });
  });
});

async function goesOn(where: { readonly home: string } | { readonly db: string }): Promise<void> {
  const clock = fixedClock(writtenAt);
  clock.advance(30 * SECOND);
  const server: TestServer = await startTestServer({ ...where, clock });
  try {
    const root = await loggedIn(server, 'root');
    const people = await root.get('identities?sort=name');
    assert.deepEqual(
      people.json.data.map(({ name }: { name: string }) => name),
      ['ana', 'dora', 'eric', 'frida', 'root'],
    );
    assert.equal((await root.get('enrollments')).json.data[0].method, 'updb');
    assert.equal((await root.get('config-types')).json.data[0].name, 'colours');
    assert.equal((await root.get('external-jwt-signers')).json.data[0].issuer, 'https://idp.example');
    assert.equal((await root.get('revocations')).json.data[0].id, 'a-jti');

    const headers = { 'zt-session': tokenOfDora };
    const session = await server.get('/edge/client/v1/current-api-session', { headers });
    assert.equal(session.status, 200, session.text);
    assert.equal(session.json.data.identity.name, 'dora');

    const totp = new TOTP({ secret: Secret.fromBase32(ana.secret) });
    const code = totp.generate({ timestamp: clock.now() });
    assert.equal((await submitCode(server, await partialLogin(server, 'ana'), code)).status, 302);
    assert.equal((await submitCode(server, await partialLogin(server, 'ana'), ana.recoveryCode)).status, 302);
    assert.equal((await submitCode(server, await partialLogin(server, 'ana'), ana.recoveryCode)).status, 400);

    await assert.rejects(loggedIn(server, 'frida', password), /401/);
    const { keys } = (await server.get('/oidc/keys')).json;
    const kids = keys.map(({ kid }: { kid: string }) => kid);
    assert.ok(kids.includes('fcKGcZLG3_i77WlXMfDLKWPJk3zzqErBA1G07UlzYjY'), String(kids));
  } finally {
    await server.close();
  }
}
