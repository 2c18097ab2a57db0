// A database URL that names a primary and its replica: the service finds the primary by itself, before and after the
// failover.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { callWith, login, refresh } from '../support/flow.ts';
import { query, startPostgres } from '../support/postgres.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { startTestServer } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { until } from '../support/until.ts';

test('a URL with several hosts leads to the primary, and to the replica once that was promoted', async () => {
  await using primary = closing(await startPostgres());
  const url = new URL(await primary.of.createDatabase());
  await using standby = closing(await primary.of.startStandby());
  await using toPrimary = closing(await tcpProxy(primary.of.socket));
  await using toStandby = closing(await tcpProxy(standby.of.socket));
  // The replica comes first, and a port where nothing listens.
  const hosts = `127.0.0.1:1,127.0.0.1:${toStandby.of.port},127.0.0.1:${toPrimary.of.port}`;
  const db = `postgres://${url.username}:${url.password}@${hosts}${url.pathname}`;
  await using server = await startTestServer({ db });
  await server.createUser({ name: 'alice', password });
  const { access_token, refresh_token } = await login(server, 'alice', password);

  const [row] = await query(primary.of.urlOf('postgres'), 'SELECT pg_current_wal_lsn() AS written');
  const isThere = `SELECT pg_last_wal_replay_lsn() >= '${row?.written}' AS is_there`;
  await until(
    10 * SECOND,
    async () => (await query(standby.of.urlOf('postgres'), isThere))[0]?.is_there === true,
  );
  await primary.of.kill();
  await query(standby.of.urlOf('postgres'), 'SELECT pg_promote()');
  await until(10 * SECOND, async () => (await callWith(server, access_token)).status === 200);
  assert.equal((await refresh(server, refresh_token)).status, 200);
  assert.ok(await login(server, 'alice', password));
});

/** Closes with its scope. */
function closing<T extends { close(): Promise<void> }>(of: T): { readonly of: T } & AsyncDisposable {
  return { of, [Symbol.asyncDispose]: () => of.close() };
}
