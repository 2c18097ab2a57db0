// A database of the main branch from before schema version 1 opens and works, on both engines.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { SECOND } from '../../src/platform/clock.ts';
import {
  lastOfMain,
  NodesInTheWay,
  ourSchema,
  SchemaError,
  schemaVersion,
  upToDate,
} from '../../src/store/migrations/migrate.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { postgresDialect, sqliteDialect } from '../../src/store/sql/engine.ts';
import type { SqlRow } from '../../src/store/sql/intent.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { loggedIn } from '../support/management.ts';
import { codeFor, redeemAs } from '../support/oidc-clients.ts';
import { postgresServer, query } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { partialLogin, password, submitCode } from '../support/totp.ts';
import { type Folder, temporaryFolder } from './fixtures.ts';

const fixture = (name: string) => readFileSync(new URL(`./home-of-main/${name}`, import.meta.url), 'utf8');
const tables = fixture('schema.sql').split(/;\n/);
const rows = fixture('rows.sql');
const writtenAt = '2026-11-22T09:00:40Z';
const ana = { secret: 'L2RBPW2TMNEXLZWHXSHN2U66OBMAG6FY', recoveryCode: 'HL7YX-OOVBC' };
const invitationOfEric =
  'AaICfEuwdMKVwbnVW6gf3wAAAAFaLR5yJfrOtrN7PUrH1lSYBkVjaFWswVhJSDl2LUOMEw94Hg9hk67VHJ6ROOce6Ko';
const wiki = {
  id: '01a2027c-72c0-73c9-83ec-16b4fba4790d',
  secret: 'ncEqjmGJYLijQ7IofrwNEMuelAjQZUDkLLhpz23H9xU',
};
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

function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/** Rows whose lower case is missing; the names and external ids there have ASCII letters only. */
const withoutLowerCase = `SELECT id FROM identities
  WHERE name_lower IS DISTINCT FROM lower(name) OR external_id_lower IS DISTINCT FROM lower(external_id)`;

function rowsOfSqlite(path: string, sql: string): readonly object[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
}

function versionsIn(path: string): object {
  return { ...rowsOfSqlite(path, 'SELECT * FROM schema_version')[0] };
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

/** As the name of one who typed it on a system that decomposes accents. */
const decompose = `UPDATE authenticators SET username = 'Andre\u0301' WHERE username = 'ana'`;
const composed = `SELECT identity_id FROM authenticators WHERE username = 'Andr\u00e9'`;

describe('an SQLite database of the main branch', () => {
  test('has its user names in the form in which filters compare them', async () => {
    const path = folder.path('decomposed.db');
    oldSqlite(path);
    execute(path, decompose);
    await (await openSqliteStore({ path })).close();
    assert.equal(rowsOfSqlite(path, composed).length, 1);
  });

  test('has the schema of a new one after it was opened', async () => {
    const [path, fresh] = [folder.path('old.db'), folder.path('new.db')];
    oldSqlite(path);
    for (const one of [path, fresh]) await (await openSqliteStore({ path: one })).close();
    assert.deepEqual(schemaOfSqlite(path), schemaOfSqlite(fresh));
    assert.deepEqual(rowsOfSqlite(path, withoutLowerCase), []);
    assert.deepEqual(versionsIn(path), { version: schemaVersion, usable_by: schemaVersion });
  });

  test('is brought to this release with few statements for many identities', async () => {
    const [path, many] = [folder.path('many.db'), 2000];
    oldSqlite(path);
    const database = new DatabaseSync(path);
    const others = `'default', 0, '[]', 0, '[]', '{}', 0, 0`;
    database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${many})
      INSERT INTO identities (id, name, external_id, type, auth_policy_id, is_admin, permissions, password_must_change,
        role_attributes, tags, created_at, updated_at)
      SELECT 'many-' || n, iif(n % 500 = 0, 'ÉVE-', 'Eve-') || n, iif(n % 2, NULL, 'X' || n), 'Default', ${others} FROM numbers`);
    database.exec('BEGIN');
    const upgrade = upToDate(sqliteDialect, ourSchema, () => []);
    let [statements, step] = [0, upgrade.next()];
    for (; !step.done; statements += 1) {
      const { sql, params } = step.value;
      step = upgrade.next(database.prepare(sql).all(...params) as readonly SqlRow[]);
    }
    assert.ok(statements < many / 4, `${statements} statements`);
    const of = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }));
    assert.deepEqual(
      of(`SELECT name_lower, external_id_lower FROM identities WHERE id IN ('many-1', 'many-500')`),
      [
        { name_lower: 'eve-1', external_id_lower: null },
        { name_lower: 'éve-500', external_id_lower: 'x500' },
      ],
    );
    assert.deepEqual(of(`SELECT count(*) AS names FROM names WHERE identity_id LIKE 'many-%'`), [
      { names: many },
    ]);
    database.close();
  });

  test('of an earlier commit is refused, says how to open it, and is not changed', async () => {
    const path = folder.path('older.db');
    oldSqlite(path);
    for (const version of [1, 15, 16, 19]) {
      execute(path, `UPDATE schema_version SET version = ${version}`);
      await assert.rejects(
        openSqliteStore({ path }),
        (error) =>
          error instanceof SchemaError &&
          error.message.includes(`version ${version} of the main branch`) &&
          error.message.includes('start commit 3f219d8f on a copy of it once'),
      );
      assert.deepEqual(versionsIn(path), { version, usable_from: 17 });
    }
    // Versions of before this column.
    execute(path, 'ALTER TABLE schema_version DROP COLUMN usable_from');
    await assert.rejects(openSqliteStore({ path }), SchemaError);
    assert.deepEqual(versionsIn(path), { version: 19 });
  });

  test('keeps its people, sessions and keys', async () => {
    oldSqlite(folder.path('overlay.db'));
    await goesOn({ home: folder.path('.') });
  });
});

describe('a PostgreSQL database of the main branch', () => {
  test('has its user names in the form in which filters compare them', async () => {
    const url = await (await postgresServer()).createDatabase();
    await oldPostgres(url);
    await query(url, decompose);
    await (await openPostgresStore({ url })).close();
    assert.equal((await query(url, composed)).length, 1);
  });

  test('has the schema of a new one after it was opened', async () => {
    const server = await postgresServer();
    const [url, fresh] = [await server.createDatabase(), await server.createDatabase()];
    await oldPostgres(url);
    for (const one of [url, fresh]) await (await openPostgresStore({ url: one })).close();
    assert.deepEqual(await schemaOfPostgres(url), await schemaOfPostgres(fresh));
    assert.deepEqual(await query(url, withoutLowerCase), []);
    assert.deepEqual(await query(url, 'SELECT version::int FROM schema_version'), [
      { version: schemaVersion },
    ]);
  });

  test('is not changed while a controller of the main branch runs, and neither is an older one', async () => {
    const url = await (await postgresServer()).createDatabase();
    await oldPostgres(url);
    await query(url, `UPDATE nodes SET left_at = NULL, last_seen_at = ${Date.now()}`);
    await assert.rejects(openPostgresStore({ url }), NodesInTheWay);
    await query(url, `UPDATE schema_version SET version = ${lastOfMain - 1}`);
    await assert.rejects(openPostgresStore({ url }), /start commit 3f219d8f on a copy of it once/);
    assert.deepEqual(await query(url, 'SELECT version::int, usable_from::int FROM schema_version'), [
      { version: lastOfMain - 1, usable_from: 17 },
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
  await using server: TestServer = await startTestServer({ ...where, clock });
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

  const inBrowsers = await root.get('browser-sessions');
  assert.deepEqual(
    inBrowsers.json.data.map(({ identity }: { identity: { name: string } }) => identity.name),
    ['dora'],
  );
  const invited = await server.get(`/invite?t=${invitationOfEric}`);
  assert.equal(invited.status, 200, invited.text);
  const tokens = await redeemAs(server, wiki, await codeFor(server, wiki, 'dora'));
  assert.equal(tokens.status, 200, tokens.text);
  const trail = await root.get('audit-events?filter=entity%3D%22invitation%22');
  assert.equal(trail.json.data.length, 1, trail.text);

  const totp = new TOTP({ secret: Secret.fromBase32(ana.secret) });
  const code = totp.generate({ timestamp: clock.now() });
  assert.equal((await submitCode(server, await partialLogin(server, 'ana'), code)).status, 302);
  assert.equal((await submitCode(server, await partialLogin(server, 'ana'), ana.recoveryCode)).status, 302);
  assert.equal((await submitCode(server, await partialLogin(server, 'ana'), ana.recoveryCode)).status, 400);

  await assert.rejects(loggedIn(server, 'frida', password), /401/);
  const { keys } = (await server.get('/oidc/keys')).json;
  const kids = keys.map(({ kid }: { kid: string }) => kid);
  assert.ok(kids.includes('fcKGcZLG3_i77WlXMfDLKWPJk3zzqErBA1G07UlzYjY'), String(kids));
}

describe('a database without something that this release needs', () => {
  const own = temporaryFolder();
  after(() => own.remove());
  const losses = [
    [
      'ALTER TABLE oidc_clients DROP COLUMN require_pushed_authorization_requests',
      'oidc_clients.require_pushed_authorization_requests',
    ],
    ['DROP INDEX external_jwt_signers_by_policy', 'external_jwt_signers_by_policy'],
    ['DROP TABLE recovery_codes', 'recovery_codes.'],
  ] as const;
  const refusal = (part: string) => (error: unknown) =>
    error instanceof SchemaError && error.message.includes(`lacks ${part}`);

  test('is refused by the name of the first part, on SQLite', async () => {
    for (const [at, [loss, part]] of losses.entries()) {
      const path = own.path(`lacking-${at}.db`);
      await (await openSqliteStore({ path })).close();
      const database = new DatabaseSync(path);
      database.exec(loss);
      database.close();
      await assert.rejects(openSqliteStore({ path }), refusal(part), loss);
    }
  });

  test('is refused by the name of the first part, on PostgreSQL', async () => {
    for (const [loss, part] of losses) {
      const url = await (await postgresServer()).createDatabase();
      await (await openPostgresStore({ url })).close();
      await query(url, loss);
      await assert.rejects(openPostgresStore({ url }), refusal(part), loss);
    }
  });
});
