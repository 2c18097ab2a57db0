import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { StoreUnavailable } from '../../src/store/contracts/store.ts';
import { postgresSettings } from '../../src/store/postgres/connection.ts';
import { beginAlone } from '../../src/store/postgres/locks.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { beginLogin, callWith, login, refresh, submitPassword } from '../support/flow.ts';
import { query, startPostgres } from '../support/postgres.ts';
import { startTestServer } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { patience, until } from '../support/until.ts';

const database = await startPostgres();
const url = await database.createDatabase();
const server = await startTestServer({ db: url });
await server.createUser({ name: 'alice', password });
after(async () => {
  await server.close();
  await database.close();
});

describe('a controller whose database goes away', () => {
  test('does not notice that its idle connections were closed', async () => {
    const { refresh_token } = await login(server, 'alice', password);
    await query(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'overlay-auth'`,
    );
    assert.equal((await refresh(server, refresh_token)).status, 200);
    assert.ok(await login(server, 'alice', password));
  });

  test('answers 503 with Retry-After, refuses every call, and continues by itself when it is back', async () => {
    const { access_token, refresh_token } = await login(server, 'alice', password);
    const id = await beginLogin(server);
    await database.stop();
    try {
      for (const answer of [
        await refresh(server, refresh_token),
        await submitPassword(server, id, 'alice', password),
      ]) {
        assert.equal(answer.status, 503, answer.text);
        assert.match(String(answer.headers['retry-after']), /^\d+$/);
        assert.ok(!answer.text.includes(database.password));
      }
      // What has ended meanwhile may be unknown.
      await until(patience, async () => (await callWith(server, access_token)).status === 503);
    } finally {
      await database.start();
    }
    await until(patience, async () => (await callWith(server, access_token)).status === 200);
    assert.equal((await refresh(server, refresh_token)).status, 200);
    assert.equal((await submitPassword(server, id, 'alice', password)).status, 302);
    assert.ok(!JSON.stringify(server.log).includes(database.password));
    assert.ok(!JSON.stringify(server.log).includes('store.changes_lost'));
  });

  test('answers 503 while its role lacks a grant, and continues by itself when it has that again', async () => {
    await query(url, `CREATE ROLE lesser LOGIN PASSWORD '${database.password}'`);
    await query(url, 'CREATE DATABASE lesser OWNER lesser');
    const own = new URL(database.urlOf('lesser'));
    own.username = 'lesser';
    await using server = await startTestServer({ db: own.href });
    await server.createUser({ name: 'alice', password });
    const { refresh_token } = await login(server, 'alice', password);
    const id = await beginLogin(server);
    const change = (words: string) => query(database.urlOf('lesser'), `${words} lesser`);
    await change('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM');
    for (const answer of [
      await refresh(server, refresh_token),
      await submitPassword(server, id, 'alice', password),
    ]) {
      assert.equal(answer.status, 503, answer.text);
      assert.match(String(answer.headers['retry-after']), /^\d+$/);
    }
    await change('GRANT ALL ON ALL TABLES IN SCHEMA public TO');
    assert.equal((await refresh(server, refresh_token)).status, 200);
    assert.equal((await submitPassword(server, id, 'alice', password)).status, 302);
  });

  test('answers 503 while its tables are not where it looks for them, as in the middle of a restore', async () => {
    const { access_token, refresh_token } = await login(server, 'alice', password);
    const id = await beginLogin(server);
    await query(url, 'ALTER TABLE api_sessions RENAME TO put_aside');
    await query(url, 'ALTER TABLE auth_requests RENAME TO put_aside_too');
    for (const answer of [
      await refresh(server, refresh_token),
      await submitPassword(server, id, 'alice', password),
    ]) {
      assert.equal(answer.status, 503, answer.text);
      assert.match(String(answer.headers['retry-after']), /^\d+$/);
    }
    await query(url, 'ALTER TABLE put_aside RENAME TO api_sessions');
    await query(url, 'ALTER TABLE put_aside_too RENAME TO auth_requests');
    assert.equal((await refresh(server, refresh_token)).status, 200);
    assert.equal((await submitPassword(server, id, 'alice', password)).status, 302);
    assert.equal((await callWith(server, access_token)).status, 200);
  });

  test('serves its callers while a node that was lost in the middle of a change still holds locks', async () => {
    const { access_token, refresh_token } = await login(server, 'alice', password);
    const lost = new pg.Client(postgresSettings(url).client);
    lost.on('error', () => {});
    await lost.connect();
    try {
      await lost.query(beginAlone);
      const revoked = server.post('/oidc/revoke', { form: { token: refresh_token, client_id: 'overlay' } });
      const waiting = `SELECT FROM pg_locks JOIN pg_database ON oid = database
        WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`;
      await until(patience, async () => (await query(url, waiting)).length > 0);
      await lost.query('ROLLBACK');
      assert.equal((await revoked).status, 200, (await revoked).text);
      assert.equal((await callWith(server, access_token)).status, 401);
    } finally {
      await lost.end();
    }
  });

  test('a store that cannot be opened says why, without the password', async () => {
    const wrong = new URL(url);
    wrong.password = 'hunter2';
    for (const [address, reason] of [
      [wrong.href, /password authentication failed/],
      [url.replace(/\/t_/, '/absent_'), /does not exist/],
      ['postgres://overlay:hunter2@127.0.0.1:1/x', /ECONNREFUSED/],
      ['postgres://overlay@localhost/x?host=/nowhere', /ENOENT/],
    ] as const) {
      await assert.rejects(openPostgresStore({ url: address }), (error) => {
        assert.ok(error instanceof StoreUnavailable, String(error));
        assert.match(error.message, reason);
        assert.ok(!error.message.includes('hunter2') && !error.message.includes(database.password));
        return true;
      });
    }
  });
});
