// The database's disk is full, under load: what needs space is refused, everything else continues, and when there is
// space again the clients continue where they were.

import assert from 'node:assert/strict';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster.ts';
import { underLoad } from '../support/cluster-fault.ts';
import { clusterSize } from '../support/cluster-size.ts';
import { beginLogin, callWith, login, submitPassword } from '../support/flow.ts';
import { password } from '../support/management.ts';
import { query, startPostgres } from '../support/postgres.ts';
import { fill, type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

test('a full disk of the database loses nothing, and clients continue when there is room', async (t) => {
  const disk = smallDisk('64m');
  if (disk === null) return t.skip('only a user who may mount file systems can run this');
  const server = await startPostgres();
  let cluster: Cluster | undefined;
  t.after(async () => {
    await cluster?.close();
    await server.close();
    disk.remove();
  });
  giveTo(disk, server.socket);
  await query(server.urlOf('postgres'), `CREATE TABLESPACE small LOCATION '${disk.folder}'`);
  await query(server.urlOf('postgres'), 'CREATE DATABASE overlay TABLESPACE small');
  const database = { ...server, createDatabase: async () => server.urlOf('overlay') };
  cluster = await startCluster({ nodes: clusterSize.nodes, database });
  const [node] = cluster.nodes as [ClusterNode];
  await cluster.createUser('witness');
  const tokens = await login(node.client, 'witness', password);
  assert.equal((await callWith(node.client, tokens.access_token)).status, 200);

  await underLoad(t, cluster, async (load) => {
    const release = fill(disk.folder);
    try {
      // The last pages still have room.
      await until(30 * SECOND, async () => {
        const answer = await submitPassword(node.client, await beginLogin(node.client), 'witness', password);
        assert.ok([302, 503].includes(answer.status), answer.text);
        return answer.status === 503;
      });
      assert.equal((await callWith(node.client, tokens.access_token)).status, 200);
    } finally {
      release();
    }
    return load.untilServed();
  });
});

test('a full disk of its log, which stops the database, loses nothing either', async (t) => {
  const disk = smallDisk('24m');
  if (disk === null) return t.skip('only a user who may mount file systems can run this');
  const server = await startPostgres({
    walFolder: disk.folder,
    settings: ['min_wal_size=2MB', 'max_wal_size=8MB'],
  });
  let cluster: Cluster | undefined;
  t.after(async () => {
    await cluster?.close();
    await server.close();
    disk.remove();
  });
  cluster = await startCluster({ nodes: clusterSize.nodes, database: server });
  const [node] = cluster.nodes as [ClusterNode];
  await cluster.createUser('witness');

  await underLoad(t, cluster, async (load) => {
    const release = fill(disk.folder);
    try {
      await until(60 * SECOND, async () => {
        // It may come up once more.
        await assert.rejects(writeWithoutEnd(server.urlOf('postgres')));
        const answer = await submitPassword(node.client, await beginLogin(node.client), 'witness', password);
        assert.ok([302, 503].includes(answer.status), answer.text);
        return answer.status === 503;
      });
    } finally {
      release();
    }
    // A server that has not ended by itself is killed.
    await server.kill();
    await server.start();
    return load.untilServed();
  });
});

/** Fills the log of changes. @throws when the server can no more, or says nothing any more, as one that cannot end */
async function writeWithoutEnd(url: string): Promise<void> {
  const limits = { connectionTimeoutMillis: 5 * SECOND, query_timeout: 5 * SECOND };
  for (;;)
    await query(url, `SELECT pg_logical_emit_message(false, 'test', repeat('x', 1000000), true)`, limits);
}

/** The server with this socket runs as another user. */
function giveTo({ folder }: SmallDisk, socket: string): void {
  const { uid, gid } = statSync(dirname(socket));
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
}
