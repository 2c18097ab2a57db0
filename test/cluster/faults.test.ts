// What happens to real processes under load when something breaks. Each test prints how long it took until every client
// was served again, and then judges by the clients' records: what was acknowledged exists, and single-use items were
// used once.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { DAY, SECOND, systemClock } from '../../src/platform/clock.ts';
import { type ClusterNode, startCluster } from '../support/cluster.ts';
import { revoke, underLoad, wait } from '../support/cluster-fault.ts';
import { clusterSize } from '../support/cluster-size.ts';
import { callWith, login, refresh } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { loggedIn, password } from '../support/management.ts';
import { startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const database = await startPostgres();
const cluster = await startCluster({ nodes: clusterSize.nodes, database });
await cluster.createUser('witness');
after(async () => {
  await cluster.close();
  await database.close();
});

function nodeOf(round: number): ClusterNode {
  return cluster.nodes[round % cluster.nodes.length] as ClusterNode;
}

describe('a cluster under load', () => {
  test('loses nothing when a node is killed', (t) =>
    underLoad(t, cluster, async (load, round) => {
      await nodeOf(round).kill();
      const elapsed = await load.untilServed();
      await nodeOf(round).start();
      return elapsed;
    }));

  test('loses nothing when the database is killed', (t) =>
    underLoad(t, cluster, async (load) => {
      await database.kill();
      const begun = systemClock.monotonic();
      await database.start();
      t.diagnostic(`the database was back after ${Math.round(systemClock.monotonic() - begun)} ms`);
      return load.untilServed();
    }));

  test('a node that was paused knows what ended meanwhile before it answers', (t) =>
    underLoad(t, cluster, async (load, round) => {
      const node = nodeOf(round);
      const tokens = await login(node.client, 'witness', password);
      assert.equal((await callWith(node.client, tokens.access_token)).status, 200);
      node.pause();
      await revoke(nodeOf(round + 1).client, tokens.refresh_token);
      await wait(3 * SECOND);
      // Wait in front of the node until it wakes; a connection that was idle for too long is closed then.
      const insisting = (send: () => Promise<Answer>) => send().catch(send);
      const late = Promise.all([
        insisting(() => callWith(node.client, tokens.access_token)),
        insisting(() => refresh(node.client, tokens.refresh_token)),
      ]);
      await wait(SECOND / 10);
      node.resume();
      const elapsed = await load.untilServed();
      assert.deepEqual(
        (await late).map(({ status }) => status),
        [401, 400],
      );
      return elapsed;
    }));

  test('a paused node drops requests that its clients have given up', async () => {
    const [node, other] = cluster.nodes as [ClusterNode, ClusterNode];
    const first = await login(node.client, 'witness', password);
    node.pause();
    const impatient = {
      form: { grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id: 'overlay' },
    };
    await assert.rejects(node.client.post('/oidc/token', { ...impatient, timeout: SECOND / 2 }));
    const second = await refresh(other.client, first.refresh_token);
    assert.equal(second.status, 200, second.text);
    await wait(3 * SECOND);
    node.resume();
    await until(10 * SECOND, async () => (await node.failingChecks()).length === 0);
    // A refresh token that is presented again, and late, ends the session.
    assert.equal((await refresh(other.client, second.json.refresh_token)).status, 200);
  });

  test('a node that is cut off from the database refuses every call, says so, and recovers by itself', (t) =>
    underLoad(t, cluster, async (load, round) => {
      const node = nodeOf(round);
      const tokens = await login(node.client, 'witness', password);
      node.wire.cut();
      const noticed = await until(
        5 * SECOND,
        async () => (await callWith(node.client, tokens.access_token)).status === 503,
      );
      assert.equal((await refresh(node.client, tokens.refresh_token)).status, 503);
      await until(10 * SECOND, async () => (await node.failingChecks()).includes('store.changes'));
      // The others serve clients meanwhile.
      const others = await load.untilServed();
      node.wire.heal();
      const back = await until(10 * SECOND, async () => (await node.failingChecks()).length === 0);
      assert.equal((await refresh(node.client, tokens.refresh_token)).status, 200);
      t.diagnostic(
        `it refused after ${Math.round(noticed)} ms, clients were served by the others after ${Math.round(others)} ms`,
      );
      return back;
    }));

  test('a node whose packets are dropped refuses after thirty seconds at most', (t) =>
    underLoad(t, cluster, async (load, round) => {
      const node = nodeOf(round);
      const tokens = await login(node.client, 'witness', password);
      // From now on the node can answer this without the database.
      assert.equal((await callWith(node.client, tokens.access_token)).status, 200);
      node.wire.freeze();
      await revoke(nodeOf(round + 1).client, tokens.refresh_token);
      // The check itself waits five seconds for the database.
      const noticed = await until(40 * SECOND, async () =>
        (await node.failingChecks()).includes('store.changes'),
      );
      assert.equal((await callWith(node.client, tokens.access_token)).status, 503);
      node.wire.heal();
      const back = await until(30 * SECOND, async () => (await node.failingChecks()).length === 0);
      assert.equal((await callWith(node.client, tokens.access_token)).status, 401);
      t.diagnostic(`its health said so after ${Math.round(noticed)} ms`);
      await load.untilServed();
      return back;
    }));

  test('two nodes that rotate keys at once agree on one', (t) =>
    underLoad(t, cluster, async (load) => {
      const rotations = await Promise.all(
        cluster.nodes.map((node) => node.command(['keys', 'rotate', '--now', '-j'])),
      );
      assert.ok(rotations.some(({ code }) => code === 0));
      for (const { code, stderr } of rotations)
        if (code !== 0) assert.match(stderr, /Another rotation came first/);
      const elapsed = await load.untilServed();
      const published = await Promise.all(cluster.nodes.map(({ client }) => client.get('/oidc/keys')));
      for (const { json } of published) assert.deepEqual(json, published[0]?.json);
      const listed = await nodeOf(0).command(['keys', 'list', '-j']);
      const keys: readonly { alg: string; use: string }[] = JSON.parse(listed.stdout);
      const signing = keys.filter(({ use }) => use === 'signing').map(({ alg }) => alg);
      assert.deepEqual(signing.sort(), ['ES256', 'RS256']);
      return elapsed;
    }));

  test('a node whose clock jumps decides nothing by it, says so, and recovers by itself', async (t) => {
    const [node, other] = cluster.nodes as [ClusterNode, ClusterNode];
    const tokens = await login(node.client, 'witness', password);
    // By a clock that is two days ahead, this one has expired, and there would be nothing to end.
    const logOut = `/oidc/end_session?id_token_hint=${tokens.id_token}`;
    const ended: string[] = [];
    const keys = (await other.client.get('/oidc/keys')).json;
    // Two days: by this clock everything here has expired, and the other nodes are forgotten.
    for (const days of [2, -2]) {
      assert.equal((await callWith(node.client, tokens.access_token)).status, 200);
      try {
        node.shiftClock(days * DAY);
        const noticed = await until(30 * SECOND, async () => {
          return (await callWith(node.client, tokens.access_token)).status === 503;
        });
        for (const answer of [
          await refresh(node.client, tokens.refresh_token),
          await node.client.post('/oidc/login/password', { json: {} }),
          await node.client.get(logOut),
        ]) {
          assert.equal(answer.status, 503, answer.text);
        }
        await until(30 * SECOND, async () => (await node.failingChecks()).includes('store.clock'));
        // A wrong clock is noticed at once; how wrong it is, when the database has answered.
        const ahead = new RegExp(`^overlay_auth_clock_ahead_seconds ${days < 0 ? '-' : ''}17\\d{4}`, 'm');
        await until(30 * SECOND, async () => ahead.test((await node.client.get('/metrics')).text));
        assert.equal((await callWith(other.client, tokens.access_token)).status, 200);
        const another = await login(other.client, 'witness', password);
        await revoke(other.client, another.refresh_token);
        ended.push(another.access_token);
        assert.deepEqual((await other.client.get('/oidc/keys')).json, keys);
        assert.deepEqual(await other.failingChecks(), []);
        t.diagnostic(`${days} days: refused after ${Math.round(noticed)} ms`);
      } finally {
        node.shiftClock(0);
      }
      await until(30 * SECOND, async () => (await node.failingChecks()).length === 0);
    }
    const { json } = await (await loggedIn(other.client, 'witness')).get('/edge/client/v1/controllers');
    assert.equal(json.data.length, cluster.nodes.length);
    for (const token of ended) assert.equal((await callWith(node.client, token)).status, 401);
    assert.equal((await refresh(node.client, tokens.refresh_token)).status, 200);
  });

  test('clocks that differ or jump by less than tokens tolerate do no harm', async (t) => {
    const [ahead] = cluster.nodes as [ClusterNode];
    ahead.shiftClock(12 * SECOND);
    try {
      await underLoad(t, cluster, async (load, round) => {
        ahead.shiftClock(round % 2 === 0 ? -12 * SECOND : 12 * SECOND);
        return load.untilServed();
      });
    } finally {
      ahead.shiftClock(0);
    }
  });
});
