// Something breaks while clients work: the frame of such a test, and the steps that several of them share.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Millis, SECOND } from '../../src/platform/clock.ts';
import type { Cluster } from './cluster.ts';
import { type Load, startLoad } from './cluster-load.ts';
import { clusterSize } from './cluster-size.ts';
import type { HttpsClient } from './https-client.ts';
import { type PostgresServer, query } from './postgres.ts';
import { until } from './until.ts';

export const wait = (millis: Millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** Causes a fault under load, as often as the size says, and judges the outcome. */
export async function underLoad(
  t: TestContext,
  cluster: Cluster,
  breakAndMend: (load: Load, round: number) => Promise<Millis>,
): Promise<void> {
  const load = await startLoad(cluster, clusterSize.clients);
  const times: Millis[] = [];
  try {
    for (let round = 0; round < clusterSize.rounds; round += 1) {
      await load.untilServed();
      await wait(clusterSize.calm);
      times.push(await breakAndMend(load, round));
    }
    await wait(clusterSize.calm);
  } finally {
    for (const node of cluster.nodes) {
      node.wire.heal();
      node.resume();
    }
    await load.stop();
  }
  const { logins, refreshes, ends, calls, retries } = load.count;
  t.diagnostic(
    `recovered in ${times.map(Math.round).join(', ')} ms; acknowledged: ${logins} logins, ${refreshes} refreshes, ` +
      `${ends} ends, ${calls} calls; ${retries} retries`,
  );
  assert.deepEqual(await load.verdict(), []);
}

export async function revoke(client: HttpsClient, token: string): Promise<void> {
  const answer = await client.post('/oidc/revoke', { form: { token, client_id: 'overlay' } });
  assert.equal(answer.status, 200, answer.text);
}

/** Runs one statement on a server, as its superuser. */
export const runOn = (server: PostgresServer, sql: string) => query(server.urlOf('postgres'), sql);

/** A replica that must confirm every commit. */
export async function synchronousStandby(primary: PostgresServer): Promise<PostgresServer> {
  const standby = await primary.startStandby();
  await runOn(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await runOn(primary, 'SELECT pg_reload_conf()');
  await until(10 * SECOND, async () => {
    const [row] = await runOn(primary, 'SELECT sync_state FROM pg_stat_replication');
    return row?.sync_state === 'sync';
  });
  return standby;
}
