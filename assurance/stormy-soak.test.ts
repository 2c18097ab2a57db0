// T-27: three nodes on a database with a synchronous standby, for as long as OVERLAY_AUTH_SOAK_MINUTES says. Nodes are
// killed and cut off, the database fails over, a clock jumps by days, and crowds log in, one after the other under load.
// Each cycle ends with the verdict of its clients: nothing that was acknowledged is lost, nothing was used twice.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY, MINUTE, systemClock } from '../src/platform/clock.ts';
import { type ClusterNode, startCluster } from '../test/support/cluster.ts';
import { runOn, synchronousStandby } from '../test/support/cluster-fault.ts';
import { type Load, startLoad } from '../test/support/cluster-load.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { patience, until } from '../test/support/until.ts';
import { residentMemory } from './controller.ts';

const minutes = Number(process.env.OVERLAY_AUTH_SOAK_MINUTES ?? 10);
const clients = 8;
const crowd = 24;
/** How long a client may wait on a machine that others use too: what is asked is whether anything is lost. */
const longest = 60 * MINUTE;
const megabyte = 1024 * 1024;
/** More than a node may take with all its caches full. */
const mostMemory = 400 * megabyte;

test(`${minutes} minutes of storms, failovers and wrong clocks`, async (t) => {
  let primary = await startPostgres();
  const cluster = await startCluster({ nodes: 3, database: primary });
  t.after(async () => {
    await cluster.close();
    await primary.close();
  });
  const [killed, cut, lasting] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
  const isWell = (node: ClusterNode) =>
    until(patience, async () => (await node.failingChecks()).length === 0);

  const faults: Readonly<Record<string, (load: Load) => Promise<void>>> = {
    async 'node killed'(load) {
      await killed.kill();
      await load.untilServed(longest);
      await killed.start();
    },
    async 'database failed over'(load) {
      const former = primary;
      const standby = await synchronousStandby(former);
      await load.untilServed(longest);
      await former.kill();
      await runOn(standby, 'SELECT pg_promote()');
      for (const { wire } of cluster.nodes) wire.pointTo(standby.socket);
      primary = standby;
      await load.untilServed(longest);
      await former.close();
    },
    async 'node cut off'(load) {
      cut.wire.cut();
      await until(patience, async () => (await cut.failingChecks()).includes('store.changes'));
      await load.untilServed(longest);
      cut.wire.heal();
    },
    async 'clock wrong by two days'(load) {
      cut.shiftClock(2 * DAY);
      await until(patience, async () => (await cut.failingChecks()).includes('store.clock'));
      await load.untilServed(longest);
      cut.shiftClock(0);
    },
    async 'crowd logged in'() {
      const storm = await startLoad(cluster, crowd);
      await storm.untilServed(longest).finally(() => storm.stop());
      assert.deepEqual(await storm.verdict(), []);
    },
  };

  const total: Record<string, number> = {};
  const add = (what: string, count: number) => {
    total[what] = (total[what] ?? 0) + count;
  };
  let most = 0;
  const end = systemClock.monotonic() + minutes * MINUTE;
  while (systemClock.monotonic() < end) {
    const load = await startLoad(cluster, clients);
    try {
      for (const [name, happens] of Object.entries(faults)) {
        await load.untilServed(longest);
        await happens(load);
        for (const node of cluster.nodes) await isWell(node);
        add(name, 1);
      }
      await load.untilServed(longest);
    } finally {
      await load.stop();
    }
    for (const [what, count] of Object.entries(load.count)) add(what, count);
    assert.deepEqual(await load.verdict(), []);
    const memory = residentMemory(lasting.pid());
    most = Math.max(most, memory);
    said(t, end, `${Math.round(memory / megabyte)} MB`);
  }
  const sums = Object.entries(total).map(([what, count]) => `${what}: ${count}`);
  t.diagnostic(`${sums.join(', ')}; at most ${Math.round(most / megabyte)} MB`);
  assert.ok(most < mostMemory, 'a node takes too much memory');
});

function said(t: TestContext, end: number, memory: string): void {
  const left = Math.max(0, end - systemClock.monotonic()) / MINUTE;
  t.diagnostic(`${left.toFixed(0)} min left; ${memory}`);
}
