// An asynchronous standby takes over without the last entries of the change feed, and gives their numbers to new ones.
// Nodes reach the database through a pooler and have no connection that listens.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { throughWire } from '../support/cluster.ts';
import { revoke } from '../support/cluster-fault.ts';
import { callWith, login } from '../support/flow.ts';
import { loggedIn, password } from '../support/management.ts';
import { type Node, startNode } from '../support/nodes.ts';
import { type PostgresServer, query, startPostgres } from '../support/postgres.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { transactionPooler } from '../support/transaction-pooler.ts';
import { until } from '../support/until.ts';

/** The limits that a role needs behind a pooler. */
const settings = ['statement_timeout=15s', 'lock_timeout=10s', 'idle_in_transaction_session_timeout=5s'];
/** Sequences are logged 32 numbers ahead: only what is lost beyond that is used again. */
const lost = 80;

/** A way to the database that can be switched to another server. */
interface Way {
  readonly url: string;
  switchTo(server: PostgresServer, name: string): void;
  close(): Promise<void>;
}

const pooled = (url: string) => `${url}${url.includes('?') ? '&' : '?'}pooler=transaction`;

const ways: Readonly<Record<string, (server: PostgresServer, url: string) => Promise<Way>>> = {
  async 'a pooler that keeps the connections of its clients'(_server, url) {
    const pooler = await transactionPooler(url);
    const near = new URL(url);
    near.searchParams.delete('host');
    near.hostname = '127.0.0.1';
    near.port = String(pooler.port);
    return {
      url: pooled(near.href),
      switchTo: (server, name) => pooler.pointTo(server.urlOf(name)),
      close: pooler.close,
    };
  },
  async 'a pooler that ends the connections of its clients'(server, url) {
    const wire = await tcpProxy(server.socket);
    return {
      url: pooled(throughWire(url, wire)),
      switchTo: ({ socket }) => wire.pointTo(socket),
      close: wire.close,
    };
  },
};

for (const [kind, openWay] of Object.entries(ways)) {
  describe(`behind ${kind}`, () => {
    let primary: PostgresServer;
    let standby: PostgresServer;
    let name: string;
    const open: Way[] = [];
    const nodes: Node[] = [];
    before(async () => {
      primary = await startPostgres({ settings });
      const url = await primary.createDatabase();
      name = new URL(url).pathname.slice(1);
      for (let at = 0; at < 2; at += 1) {
        const way = await openWay(primary, url);
        open.push(way);
        nodes.push(await startNode(way.url));
      }
    });
    after(async () => {
      for (const node of nodes) {
        node.closeConnections();
        await node.server.close();
      }
      for (const way of open) await way.close();
      await standby?.close();
      await primary?.close();
    });

    test('of a session that ended, or an identity that was disabled, after the failover is refused by every node', async () => {
      const [one, other] = nodes as [Node, Node];
      const [wayOfOne, wayOfOther] = open as [Way, Way];
      const busy = await one.server.createUser({ name: 'busy', password });
      const alice = await one.server.createUser({ name: 'alice', password });
      await one.server.createUser({ name: 'bob', password });
      await one.server.createUser({ name: 'root', password, isAdmin: true });
      const admin = await loggedIn(one, 'root');
      const tokens = { alice: await login(one, 'alice', password), bob: await login(one, 'bob', password) };
      /** Decided by what is in memory. */
      const statuses = (node: Node) =>
        Promise.all(
          [tokens.alice, tokens.bob].map(
            async ({ access_token }) =>
              (await callWith(node, access_token, '/edge/client/v1/current-identity')).status,
          ),
        );
      for (const node of nodes) assert.deepEqual(await statuses(node), [200, 200]);

      standby = await primary.startStandby();
      await query(standby.urlOf('postgres'), 'SELECT pg_promote()');
      // The old server goes on alone, and all nodes follow it: what they read from now on is lost.
      for (let at = 0; at < lost; at += 1) {
        const changed = await admin.call('PATCH', `identities/${busy}`, { tags: { at } });
        assert.equal(changed.status, 200, changed.text);
      }
      const latest = async () =>
        Number((await query(primary.urlOf(name), 'SELECT max(seq)::int AS latest FROM changes'))[0]?.latest);
      const reached = await latest();
      for (const { server } of nodes) {
        await until(5 * SECOND, async () => (await server.store.changes.latest()).last?.seq === reached);
        await server.controller.services.view.feed.catchUp();
      }

      wayOfOther.switchTo(standby, name);
      await until(10 * SECOND, async () => (await other.get('/health-checks/ready')).status === 200);
      await other.server.store.identities.update(
        alice,
        { disabledAt: other.server.clock.now() } as never,
        other.server.clock.now(),
      );
      await revoke(other, tokens.bob.refresh_token);
      // The node that made these changes refuses at once.
      assert.deepEqual(await statuses(other), [401, 401]);
      // As many as were lost: no number tells the histories apart.
      for (;;) {
        const [row] = await query(standby.urlOf(name), 'SELECT max(seq)::int AS latest FROM changes');
        if (Number(row?.latest) >= reached) break;
        await other.server.store.identities.update(busy, { tags: {} }, other.server.clock.now());
      }

      assert.deepEqual(await statuses(one), [200, 200], 'it cannot know');
      wayOfOne.switchTo(standby, name);
      await until(5 * SECOND, async () => (await statuses(one)).every((status) => status === 401));
      await until(5 * SECOND, async () => (await one.get('/health-checks/ready')).status === 200);
      for (const { server } of nodes) {
        const said = server.log.entries.filter(({ fields }) => fields.event === 'store.changes_lost');
        assert.deepEqual(
          said.map(({ level }) => level),
          ['error'],
        );
      }
    });
  });
}
