// The database fails over to a streaming replica. The address where the nodes find the database moves with it, as with
// a DNS name or a proxy in front of the database.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster.ts';
import { revoke, runOn as run, synchronousStandby, underLoad } from '../support/cluster-fault.ts';
import { clusterSize } from '../support/cluster-size.ts';
import { callWith, login, refresh } from '../support/flow.ts';
import { password } from '../support/management.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

describe('a database that fails over', () => {
  let primary: PostgresServer;
  let cluster: Cluster;
  let witness: string;
  const servers: PostgresServer[] = [];
  before(async () => {
    primary = await startPostgres();
    servers.push(primary);
    cluster = await startCluster({ nodes: clusterSize.nodes, database: primary });
    witness = await cluster.createUser('witness');
  });
  after(async () => {
    await cluster?.close();
    for (const server of servers) await server.close();
  });

  test('to a synchronous replica loses nothing that was acknowledged', async (t) => {
    let standby = await synchronousStandby(primary);
    servers.push(standby);
    await underLoad(t, cluster, async (load, round) => {
      if (round > 0) {
        standby = await synchronousStandby(primary);
        servers.push(standby);
      }
      await load.untilServed();
      await primary.kill();
      await run(standby, 'SELECT pg_promote()');
      for (const node of cluster.nodes) node.wire.pointTo(standby.socket);
      primary = standby;
      return load.untilServed();
    });
  });

  test('refuses every call at a replica that still follows', async () => {
    const [node] = cluster.nodes as [ClusterNode];
    const tokens = await login(node.client, 'witness', password);
    // From now on the node can answer this without the database.
    assert.equal((await callWith(node.client, tokens.access_token)).status, 200);
    const standby = await primary.startStandby();
    servers.push(standby);
    node.wire.pointTo(standby.socket);
    const isRefused = async () => (await callWith(node.client, tokens.access_token)).status === 503;
    await until(5 * SECOND, isRefused);
    assert.equal((await refresh(node.client, tokens.refresh_token)).status, 503);
    await until(5 * SECOND, async () => (await node.failingChecks()).includes('store.changes'));

    await run(standby, 'SELECT pg_promote()');
    await until(10 * SECOND, async () => (await node.failingChecks()).length === 0);
    assert.equal((await callWith(node.client, tokens.access_token)).status, 200);
    // What the rest of this file begins with.
    for (const { wire } of cluster.nodes) wire.pointTo(standby.socket);
    primary = standby;
  });

  test('to a server that lacks the last changes rereads everything, with any numbers', async () => {
    const [one, other] = cluster.nodes as [ClusterNode, ClusterNode];
    await until(10 * SECOND, async () => (await other.failingChecks()).length === 0);
    const watched = await login(one.client, 'witness', password);
    assert.equal((await callWith(one.client, watched.access_token)).status, 200);
    const standby = await primary.startStandby();
    servers.push(standby);
    await run(standby, 'SELECT pg_promote()');
    // The old server continues alone, and its later answers are lost.
    for (let at = 0; at < 40; at += 1) {
      const changed = await cluster.admin.call('PATCH', `identities/${witness}`, { tags: { at } });
      assert.equal(changed.status, 200, changed.text);
    }
    other.wire.pointTo(standby.socket);
    await until(10 * SECOND, async () => (await other.failingChecks()).length === 0);
    await revoke(other.client, watched.refresh_token);
    assert.equal((await callWith(one.client, watched.access_token)).status, 200, 'it cannot know');
    one.wire.pointTo(standby.socket);
    await until(5 * SECOND, async () => (await callWith(one.client, watched.access_token)).status === 401);
  });
});
