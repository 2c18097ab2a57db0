import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { createUser, loginWithCode, query, redemption } from '../store/fixtures.ts';
import { login } from '../support/flow.ts';
import { withMetrics } from '../support/metrics.ts';
import { postgresServer } from '../support/postgres.ts';
import { startTestServer, usualThreads } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { eventually } from '../support/until.ts';

const database = await postgresServer();

test('callers that wait for a connection are counted, and the time of what has one', async (t) => {
  const url = await database.createDatabase();
  const few = new URL(url);
  few.searchParams.set('pool_max_conns', '4');
  const store = await openPostgresStore({ url: few.href });
  t.after(() => store.close());
  // No other work of the store uses this pool.
  const writes = () => store.poolUse().find(({ pool }) => pool === 'writes');
  const write = (id: string) => store.apiSessions.end(id as never, 'logout', 0);
  await write('nobody');
  const before = writes();
  assert.deepEqual([before?.inUse, before?.limit, before?.waiting, before?.uses], [0, 2, 0, 1]);

  const other = new pg.Client(url);
  await other.connect();
  t.after(() => other.end());
  await other.query('BEGIN; LOCK TABLE api_sessions IN ACCESS EXCLUSIVE MODE');
  const written = Promise.all(['a', 'b', 'c', 'd', 'e'].map(write));
  await eventually(writes, (held) => held?.inUse === 2 && held.waiting === 3);
  await other.query('SELECT pg_sleep(0.1)');
  await other.query('ROLLBACK');
  await written;
  const after = writes();
  assert.deepEqual([after?.inUse, after?.waiting, after?.uses], [0, 0, 6]);
  const seconds = (after?.seconds ?? 0) - (before?.seconds ?? 0);
  assert.ok(seconds >= 0.1 && seconds < 30, `${seconds}`);
});

test('a session and the program that opened it are one transaction', async (t) => {
  const store = await openPostgresStore({ url: await database.createDatabase() });
  t.after(() => store.close());
  const user = await createUser(store);
  for (const program of ['Firefox', 'Firefox', 'Safari']) {
    const progress = { place: { ipAddress: '192.0.2.9', program, operatingSystem: null } };
    const redeem = redemption(await loginWithCode(store, user, { progress }));
    const writes = () => store.poolUse().find(({ pool }) => pool === 'writes')?.uses ?? 0;
    const before = writes();
    assert.equal((await store.authRequests.redeemCode(redeem)).outcome, 'redeemed');
    assert.equal(writes() - before, 1);
  }
  const { totalCount } = await store.lastLogins.list(query());
  assert.equal(totalCount, 2);
});

test('the metrics have the pools of all threads together', async (t) => {
  const server = await startTestServer({ db: await database.createDatabase(), configure: withMetrics });
  t.after(() => server.close());
  await server.createUser({ name: 'alice', password });
  await login(server, 'alice', password);
  const { text } = await server.get('/metrics');
  const sample = (name: string, pool: string) =>
    Number(new RegExp(`^overlay_auth_postgres_${name}\\{pool="${pool}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
  const limits = ['writes', 'reads', 'lists'].map((pool) => sample('connections_limit', pool));
  // The number of the configuration is for all threads.
  assert.equal(
    limits.reduce((sum, limit) => sum + limit),
    24,
  );
  if (usualThreads === 1) assert.deepEqual(limits, [14, 7, 3]);
  for (const pool of ['writes', 'reads']) {
    assert.ok(sample('transactions_total', pool) > 1, pool);
    assert.ok(sample('transaction_seconds_total', pool) > 0, pool);
    assert.equal(sample('callers_waiting', pool), 0, pool);
  }
});
