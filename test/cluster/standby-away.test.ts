// Commits wait for a standby that is away: the server confirms nothing as long as that lasts. An unconfirmed commit
// is not done; what needs no commit continues; and connections are left for it.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { StoreUnavailable } from '../../src/store/contracts/store.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { type ClusterNode, startCluster } from '../support/cluster.ts';
import { underLoad } from '../support/cluster-fault.ts';
import { clusterSize } from '../support/cluster-size.ts';
import { callWith, login, refresh } from '../support/flow.ts';
import { password } from '../support/management.ts';
import { query, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const limit = { max: 9, lockFor: SECOND, longestLock: SECOND, forgetAfter: SECOND };

const run = (sql: string) => query(primary.urlOf('postgres'), sql);

async function waitingCommits(): Promise<number> {
  const [row] = await run(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
  return Number(row?.n);
}

async function isInSync(): Promise<boolean> {
  const [row] = await run('SELECT sync_state FROM pg_stat_replication');
  return row?.sync_state === 'sync';
}

const primary = await startPostgres();
const standby = await primary.startStandby();
const cluster = await startCluster({ nodes: clusterSize.nodes, database: primary });
await cluster.createUser('witness');
await run(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
await run('SELECT pg_reload_conf()');
await until(30 * SECOND, isInSync);
after(async () => {
  await cluster.close();
  await standby.close();
  await primary.close();
});

describe('a standby that commits wait for and that is away', () => {
  test('refuses what it cannot confirm, does not affect anything else, and continues when it is back', (t) =>
    underLoad(t, cluster, async (load, round) => {
      const node = cluster.nodes[round % cluster.nodes.length] as ClusterNode;
      const tokens = await login(node.client, 'witness', password);
      assert.equal((await callWith(node.client, tokens.access_token)).status, 200);
      await standby.kill();
      try {
        const begun = systemClock.monotonic();
        const refused = await refresh(node.client, tokens.refresh_token);
        t.diagnostic(`refused after ${Math.round(systemClock.monotonic() - begun)} ms`);
        assert.equal(refused.status, 503, refused.text);
        assert.match(String(refused.headers['retry-after']), /^\d+$/);
        await until(60 * SECOND, async () => (await node.failingChecks()).includes('store.write'));
        // Works without a commit.
        assert.equal((await callWith(node.client, tokens.access_token)).status, 200);
        assert.deepEqual(await node.failingChecks(), ['store.write']);
      } finally {
        await standby.start();
      }
      const recovered = await load.untilServed();
      await until(60 * SECOND, async () => (await waitingCommits()) === 0);
      for (const { client } of cluster.nodes) {
        assert.equal((await callWith(client, tokens.access_token)).status, 200);
      }
      return recovered;
    }));

  test('gets no more connections than a node has, and a cancelled wait does not count as confirmed', async () => {
    await cluster.close();
    const database = await primary.createDatabase();
    // Some operators silence notices, and with them the warning of a cancelled wait.
    await run(`ALTER DATABASE ${new URL(database).pathname.slice(1)} SET client_min_messages = error`);
    const url = `${database}&pool_max_conns=4`;
    const store = await openPostgresStore({ url });
    await until(30 * SECOND, isInSync);
    await standby.kill();
    try {
      const now = systemClock.now();
      // They do not wait for one another.
      const count = (key: string) => store.attempts.count([{ ...limit, key }], 1, now);
      await Promise.all(['a', 'b', 'c', 'd'].map((key) => assert.rejects(count(key), StoreUnavailable)));
      // Those two connections are still waiting; a newcomer is refused, and they are not given up for it.
      await Promise.all(['e', 'f', 'g'].map((key) => assert.rejects(count(key), StoreUnavailable)));
      assert.equal(await waitingCommits(), 2);

      await run(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
      await until(30 * SECOND, async () => (await waitingCommits()) === 0);
      // They are free again.
      const cancelled = assert.rejects(count('h'), (error) => {
        assert.ok(error instanceof StoreUnavailable, String(error));
        assert.match(error.message, /stopped waiting for its standby/);
        return true;
      });
      await until(30 * SECOND, async () => (await waitingCommits()) > 0);
      await run(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
      await cancelled;
      await assert.rejects(count('i'), /does not confirm the commit/);
      // A closed store releases its connections, even if the server is still busy with one.
      await store.close();
    } finally {
      await standby.start();
    }
  });
});
