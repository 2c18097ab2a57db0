// Items that were used, ended or withdrawn after a backup stay so when that backup is restored, and what was issued
// after it is void: replayed through the front door of the controller that runs on the restored database.

import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { checkSetupLink, createSetupLink } from '../../src/admin/setup.ts';
import { loadConfig } from '../../src/config/load.ts';
import { afterForeignRestore, restoreDatabase } from '../../src/controller/restore-database.ts';
import { describedEntities } from '../../src/model/entities/all-entities.ts';
import type { Entity } from '../../src/model/entities/entity.ts';
import { DAY, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { keyVault, vaultKey } from '../../src/platform/secrets/key-vault.ts';
import type { NewEnrollment } from '../../src/store/contracts/enrollments.ts';
import { columnOf } from '../../src/store/sql/entity-table.ts';
import { lowerCaseColumn } from '../../src/store/sql/list-source.ts';
import { emptiedTables } from '../../src/store/sql/restores.ts';
import { backupSqlite } from '../../src/store/sqlite/backup.ts';
import { openSession, type Session } from '../legacy/support.ts';
import { newEnrollment, redemptionOf } from '../store/contract-enrollments.ts';
import { readNamedFile } from '../support/files.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  beginLogin,
  callWith,
  claimsOf,
  login,
  obtainCode,
  redeem,
  refresh,
  submitPassword,
  type Tokens,
} from '../support/flow.ts';
import { postgresServer } from '../support/postgres.ts';
import { masterKey, startTestServer, type TestServer } from '../support/test-server.ts';
import {
  createTotpUser,
  type Enrolled,
  enroll,
  partialLogin,
  password,
  submitCode,
  totpPolicy,
} from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');

/** The items of an attacker who kept everything that was ever issued. */
interface Loot {
  readonly rotated: Tokens;
  readonly successor: Tokens;
  readonly ended: Tokens;
  readonly later: Tokens;
  readonly code: string;
  readonly laterCode: string;
  readonly sealedId: string;
  readonly partialId: string;
  readonly laterPartialId: string;
  readonly session: Session;
  readonly laterSession: Session;
  readonly bob: Enrolled;
  readonly usedTotp: string;
  readonly usedRecoveryCode: string;
  readonly link: { readonly token: string };
  readonly enrollment: NewEnrollment;
  readonly kids: readonly string[];
}

async function kidsOf(server: TestServer): Promise<readonly string[]> {
  return (await server.get('/oidc/keys')).json.keys.map(({ kid }: { kid: string }) => kid);
}

/** Fills a controller, makes a backup, then uses, ends and withdraws what the backup contains. */
async function plunder(server: TestServer, backUp: (server: TestServer) => Promise<void>): Promise<Loot> {
  const setupNeeds = { store: server.store, clock, random: server.random };
  await server.createUser({ name: 'alice', password });
  await server.createUser({ name: 'lou', password });
  await createTotpUser(server, await totpPolicy(server), 'bob');
  const bob = await enroll(server, clock, 'bob');
  for (let at = 0; at < 12; at += 1) await submitPassword(server, await beginLogin(server), 'lou', 'wrong');
  const rotated = await login(server, 'alice', password);
  const ended = await login(server, 'alice', password);
  const code = await obtainCode(server, 'alice', password);
  const sealedId = await beginLogin(server);
  const partialId = await partialLogin(server, 'bob');
  const session = await openSession(server, 'alice');
  const link = await createSetupLink({ ...setupNeeds, audit: { record() {} } });
  const dora = await server.createUser({ name: 'dora', password });
  const enrollment = newEnrollment(dora, { expiresAt: clock.now() + 10 * DAY });
  await server.store.enrollments.create(enrollment, clock.now());
  await server.controller.services.view.legacy.flush();

  await backUp(server);

  const successor = (await refresh(server, rotated.refresh_token)).json as Tokens;
  await server.post('/oidc/revoke', { form: { token: ended.refresh_token, client_id: 'overlay' } });
  assert.equal((await redeem(server, code)).status, 200);
  assert.equal((await session.call('DELETE', 'current-api-session')).status, 200);
  const enrolled = redemptionOf(enrollment, { now: clock.now() });
  assert.equal(await server.store.enrollments.redeem(enrolled), 'enrolled');
  const laterPartialId = await partialLogin(server, 'bob');
  const [usedRecoveryCode] = bob.recoveryCodes;
  assert.ok(usedRecoveryCode);
  assert.equal((await submitCode(server, await partialLogin(server, 'bob'), usedRecoveryCode)).status, 302);
  const usedTotp = bob.app.code(1);
  assert.equal((await submitCode(server, await partialLogin(server, 'bob'), usedTotp)).status, 302);
  return {
    rotated,
    successor,
    ended,
    later: await login(server, 'alice', password),
    code,
    laterCode: await obtainCode(server, 'alice', password),
    sealedId,
    partialId,
    laterPartialId,
    session,
    laterSession: await openSession(server, 'alice'),
    bob,
    usedTotp,
    usedRecoveryCode,
    link,
    enrollment,
    kids: await kidsOf(server),
  };
}

/** Starts again at the address of `server`, so that the issuer in tokens is still ours. */
async function startAgain({ home, url }: TestServer, db = 'sqlite:./overlay.db'): Promise<TestServer> {
  const { port } = new URL(url);
  // Match the whole port: a database password may begin with a zero.
  const configure = (yaml: string) => yaml.replaceAll(/:0\b/g, `:${port}`);
  return startTestServer({ clock, home, configure, db });
}

function restoreNeeds(server: TestServer) {
  const { config } = loadConfig(join(server.home, 'controller.yml'), { readFile: readNamedFile, env: {} });
  return { config, vault: keyVault(vaultKey(masterKey)), clock, random: server.random };
}

const backupOf = ({ home }: TestServer) => join(home, 'backup.db');
const backUpSqlite = (server: TestServer) => backupSqlite(join(server.home, 'overlay.db'), backupOf(server));

interface Way {
  readonly name: string;
  readonly open?: () => Promise<string>;
  backUp(server: TestServer, db: string | undefined): Promise<void>;
  restore(server: TestServer, db: string | undefined): Promise<void>;
}

/** With our command alone, and with other tools followed by our command. */
const ways: readonly Way[] = [
  {
    name: 'a backup that was restored',
    backUp: backUpSqlite,
    async restore(server) {
      await restoreDatabase(restoreNeeds(server), backupOf(server));
    },
  },
  {
    name: 'a backup that was put back with other tools and declared restored',
    backUp: backUpSqlite,
    async restore(server) {
      copyFileSync(backupOf(server), join(server.home, 'overlay.db'));
      await afterForeignRestore(restoreNeeds(server));
    },
  },
  {
    name: 'a PostgreSQL database that was put back and declared restored',
    open: async () => (await postgresServer()).createDatabase(),
    backUp: (_server, db) =>
      eachTable(
        db,
        'CREATE SCHEMA backup',
        (table) => `CREATE TABLE backup.${table} AS TABLE public.${table}`,
      ),
    async restore(server, db) {
      await eachTable(
        db,
        'SET session_replication_role = replica',
        (table) => `DELETE FROM public.${table};
          INSERT INTO public.${table} OVERRIDING SYSTEM VALUE SELECT * FROM backup.${table}`,
      );
      await afterForeignRestore(restoreNeeds(server));
    },
  },
];

async function eachTable(
  db: string | undefined,
  first: string,
  sqlOf: (table: string) => string,
): Promise<void> {
  const client = new pg.Client({ connectionString: db });
  await client.connect();
  try {
    await client.query(first);
    const { rows } = await client.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
    for (const { tablename } of rows) await client.query(sqlOf(tablename));
  } finally {
    await client.end();
  }
}

for (const { name, open, backUp, restore } of ways) {
  describe(name, () => {
    let server: TestServer;
    let loot: Loot;
    before(async () => {
      const db = await open?.();
      const first = await startTestServer({ clock, db: db ?? 'sqlite:./overlay.db' });
      loot = await plunder(first, (running) => backUp(running, db));
      await first.stop();
      // In the backup the node is still there; it is offline by now.
      clock.advance(31 * SECOND);
      await restore(first, db);
      server = await startAgain(first, db);
      assert.equal(server.issuer, first.issuer);
    });
    after(() => server.close());

    test('revives no refresh token, of whichever generation', async () => {
      for (const tokens of [loot.rotated, loot.successor, loot.ended, loot.later]) {
        const answer = await refresh(server, tokens.refresh_token);
        assert.equal(answer.status, 400, answer.text);
        assert.equal(answer.json.error, 'invalid_grant');
      }
    });

    test('revives no access token, of sessions that it knows, that ended, or that it has never seen', async () => {
      for (const tokens of [loot.rotated, loot.successor, loot.ended, loot.later]) {
        assert.equal((await callWith(server, tokens.access_token)).status, 401);
        const headers = { authorization: `Bearer ${tokens.access_token}` };
        assert.equal((await server.get('/oidc/userinfo', { headers })).status, 401);
      }
    });

    test('accepts no earlier ID token as proof of who logs out', async () => {
      const back = encodeURIComponent('http://localhost:8400/auth/logout');
      const end = (hint: string) =>
        server.get(`/oidc/end_session?id_token_hint=${hint}&post_logout_redirect_uri=${back}`);
      assert.equal((await end((await login(server, 'alice', password)).id_token)).status, 302);
      for (const { id_token } of [loot.rotated, loot.later])
        assert.notEqual((await end(id_token)).status, 302);
    });

    test('signs and verifies with none of the earlier keys', async () => {
      const now = await kidsOf(server);
      assert.ok(now.length > 0);
      assert.deepEqual(
        now.filter((kid) => loot.kids.includes(kid)),
        [],
      );
    });

    test('revives no authorization code', async () => {
      for (const code of [loot.code, loot.laterCode]) {
        const answer = await redeem(server, code);
        assert.equal(answer.status, 400);
        assert.equal(answer.json.error, 'invalid_grant');
      }
    });

    test('continues no login that was in progress', async () => {
      assert.equal((await submitPassword(server, loot.sealedId, 'alice', password)).status, 400);
      for (const id of [loot.partialId, loot.laterPartialId]) {
        const answer = await submitCode(server, id, loot.bob.app.code());
        assert.ok([400, 401].includes(answer.status), answer.text);
        assert.equal(answer.headers.location, undefined);
      }
    });

    test('revives no session token', async () => {
      for (const { token } of [loot.session, loot.laterSession]) {
        const headers = { 'zt-session': token };
        const answer = await server.get('/edge/client/v1/current-api-session', { headers });
        assert.equal(answer.status, 401);
      }
    });

    test('revives no set-up link', async () => {
      assert.equal(await checkSetupLink(server, loot.link.token), 'unknown');
    });

    test('revives no enrollment', async () => {
      const again = redemptionOf(loot.enrollment, { now: clock.now() });
      assert.equal(await server.store.enrollments.redeem(again), 'unknown');
    });

    test('accepts no earlier TOTP or recovery code, but the next code again', async () => {
      const id = await partialLogin(server, 'bob');
      for (const code of [loot.usedTotp, loot.bob.app.code(), ...loot.bob.recoveryCodes.slice(0, 2)]) {
        const answer = await submitCode(server, id, code);
        assert.equal(answer.status, 400, answer.text);
        assert.equal(answer.json.error.code, 'INVALID_TOTP_CODE');
      }
      clock.advance(90 * SECOND);
      assert.equal((await submitCode(server, id, loot.bob.app.code())).status, 302);
    });

    test('keeps passwords, and the locks that were set before the backup', async () => {
      const tokens = await login(server, 'alice', password);
      assert.equal((await callWith(server, tokens.access_token)).status, 200);
      assert.equal((await refresh(server, tokens.refresh_token)).status, 200);
      assert.ok(!loot.kids.includes(JSON.parse(atob(String(tokens.access_token.split('.')[0]))).kid));
      assert.equal(claimsOf(tokens.access_token).iss, server.issuer);
      assert.equal((await submitPassword(server, await beginLogin(server), 'lou', password)).status, 401);
    });

    test('stays so in a day, when everything from before has expired', async () => {
      clock.advance(DAY + MINUTE);
      await server.store.expiry.deleteExpired(clock.now(), 10_000);
      assert.equal((await refresh(server, loot.later.refresh_token)).status, 400);
      assert.equal((await login(server, 'alice', password)).expires_in, 1800);
    });
  });
}

test('a PostgreSQL database with a running controller is not declared restored', async (t) => {
  const server = await startTestServer({ clock, db: await (await postgresServer()).createDatabase() });
  t.after(() => server.close());
  await server.createUser({ name: 'alice', password });
  const { access_token } = await login(server, 'alice', password);
  await assert.rejects(afterForeignRestore(restoreNeeds(server)), {
    name: 'NodesRunning',
    message: /stop them first/,
  });
  assert.equal((await callWith(server, access_token)).status, 200);
});

test('without the withdrawal a backup would revive what was used: these tests can tell', async (t) => {
  const db = 'sqlite:./overlay.db';
  const first = await startTestServer({ clock, db });
  const loot = await plunder(first, backUpSqlite);
  await first.stop();
  copyFileSync(backupOf(first), join(first.home, 'overlay.db'));
  const server = await startAgain(first, db);
  t.after(() => server.close());
  assert.equal((await refresh(server, loot.rotated.refresh_token)).status, 200);
  assert.equal((await callWith(server, loot.ended.access_token)).status, 200);
  // The backup has never seen this session.
  assert.equal((await callWith(server, loot.later.access_token, '/oidc/userinfo')).status, 200);
  const id = await partialLogin(server, 'bob');
  assert.equal((await submitCode(server, id, loot.usedTotp)).status, 302);
});

/**
 * What a restore leaves as it is in the backup: it describes people, or was set by people and administrators. Of
 * `authenticators` the successors are withdrawn, of `totp_enrollments` the step moves on.
 */
const keptColumns: Readonly<Record<string, string>> = {
  ...Object.fromEntries(describedEntities.map((entity) => [entity.table, columnsOf(entity)])),
  schema_version: 'version usable_by',
  authenticators: `id identity_id method username username_key password_hash password_set_at cert_pem thumbprint cert_expires_at
    is_extend_requested is_key_roll_requested successor_pem successor_thumbprint tags created_at updated_at`,
  names: 'identity_id kind key',
  client_info: 'identity_id env_info sdk_info',
  last_logins: 'id identity_id client_id program operating_system ip_address first_at last_at',
  // Like passwords: they still belong to their owners.
  oidc_client_secrets: 'id client_id secret_hash created_at last_used_at',
  // Items that were used before the backup stay used.
  used_assertions: 'id expires_at',
  // They refer to items that were issued before and no longer count.
  revocations: 'id type issued_before expires_at tags created_at updated_at',
  // An older list is not accepted in the place of a newer one that the backup has.
  revocation_lists:
    'ca_id url tried_at error fetched_at issuer_pem der issuer is_delta list_number this_update next_update entries',
  totp_enrollments: 'identity_id sealed_seed enrolled_at last_step',
  // The counter of the backup is lower than that of the authenticator: the next use is accepted.
  passkeys: `id identity_id name rp_id credential_id public_key counter aaguid is_model_proven transports is_discoverable
    is_backup_eligible is_backed_up cloned_at created_at last_used_at`,
  // A lock set before the backup still applies.
  attempts: 'key failures locks locked_until forget_at',
  login_attempts:
    'id reference at step mechanism outcome reason identity_id subject ip_address issuer checks source',
  audit_events:
    'id at event action entity entity_id identity_id by_identity_id request_id ip_address issuer details',
  changes: 'seq kind entity_id at transaction_id',
  // So that withdrawn items are not imported again.
  imports: 'kind id digest updated_at',
  // The deliveries of event subscriptions, see `keepEvents`.
  deliveries: 'seq queue id payload state attempts due_at created_at last_attempt_at result',
  delivery_queues: 'queue failures paused_until holder held_until',
  backups: 'id made_at',
};

function columnsOf({ fields }: Entity): string {
  const own = Object.entries(fields).flatMap(([name, field]) => {
    const column = columnOf(name, field);
    if (column === null) return [];
    return field.isSearched ? [column, lowerCaseColumn(column)] : [column];
  });
  return ['id', ...own, 'created_at', 'updated_at'].join(' ');
}

test('every table and every column has a rule for a restore', async (t) => {
  const server = await startTestServer({ clock, db: 'sqlite:./overlay.db' });
  t.after(() => server.close());
  const database = new DatabaseSync(join(server.home, 'overlay.db'), { readOnly: true });
  t.after(() => database.close());
  const tables = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
    .all()
    .map(({ name }) => String(name));
  const kept = new Map(Object.entries(keptColumns).filter(([table]) => !emptiedTables.includes(table)));
  assert.deepEqual(tables, [...kept.keys(), ...emptiedTables].sort());
  for (const [table, named] of kept) {
    const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
    assert.deepEqual(named.split(/\s+/).sort(), columns.map(({ name }) => String(name)).sort(), table);
  }
});
