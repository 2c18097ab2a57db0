// Reads with the worst filters, at both engines: logins, known sessions and readiness go on.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { callWith, login } from '../support/flow.ts';
import { httpsClient } from '../support/https-client.ts';
import { callerWith, loggedIn, password, rootOf } from '../support/management.ts';
import { postgresServer, query } from '../support/postgres.ts';
import { sized } from '../support/size.ts';
import { startTestServer, usualThreads } from '../support/test-server.ts';

const identities = sized({ small: 10_000, full: 50_000 });
const rounds = sized({ small: 2, full: 20 });
const columns =
  'id, name, type, auth_policy_id, is_admin, permissions, role_attributes, tags, created_at, updated_at, name_lower';
const values = `SELECT 'many-' || i, 'Many ' || i, 'Device', 'default', 0, '[]', '[]', '{}', 0, 0, 'many ' || i`;

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  test(`thirty of the worst filters at once on ${engine} leave logins, known sessions and readiness alone`, async (t) => {
    const db = engine === 'SQLite' ? 'sqlite:./overlay.db' : await (await postgresServer()).createDatabase();
    const server = await startTestServer({ db });
    t.after(() => server.close());
    const root = await rootOf(server);
    const id = await server.createUser({ name: 'reader', password });
    await root.call('PATCH', `identities/${id}`, { permissions: ['read'] });
    const reader = await loggedIn(server, 'reader');
    await server.createUser({ name: 'plain', password });
    if (engine === 'SQLite') {
      const database = new DatabaseSync(`${server.home}/overlay.db`, { timeout: 5000 });
      database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${identities})
        INSERT INTO identities (${columns}) ${values} FROM n`);
      database.close();
    } else {
      await query(
        db,
        `INSERT INTO identities (${columns}) ${values} FROM generate_series(1, ${identities}) AS n(i)`,
      );
    }
    const terms = (term: (at: number) => string, most: number) =>
      encodeURIComponent(Array.from({ length: most }, (_, at) => term(at)).join(' or '));
    const most = Math.min(99, Math.floor(5_000_000 / identities) - 8);
    const folding = terms((at) => `type icontains "zz${at}"`, most);
    const searched = terms((at) => `name icontains "zz${at}"`, most);
    const long = terms((at) => `roleAttributes contains "zz${at}"`, 99);
    const own = terms((at) => `ipAddress contains "zz${at}"`, 99);
    const worst = [
      `identities?filter=${folding}&sort=externalId`,
      `identities?filter=${searched}&sort=updatedAt%20desc&offset=900000`,
      `identities?filter=${long}`,
      `/edge/client/v1/current-identity/login-attempts?filter=${own}`,
    ];
    const seen = new Map<number, number>();
    // The connections are open before the first list, so that the lists come at once at each thread.
    const connections = httpsClient(server.url, server.caPem);
    t.after(() => connections.closeConnections());
    const attackers = Array.from({ length: 30 * usualThreads }, () =>
      callerWith(connections, reader.accessToken),
    );
    await Promise.all(attackers.map(() => connections.get('/health-checks/live')));
    const attack = attackers.map(async (attacker, at) => {
      for (let round = 0; round < rounds; round += 1) {
        const { status } = await attacker.get(worst[(at + round) % worst.length] ?? '');
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    });
    let isOver = false;
    const over = Promise.all(attack).finally(() => {
      isOver = true;
    });
    const slowest = { login: 0, known: 0, ready: 0 };
    const timed = async (what: keyof typeof slowest, step: () => Promise<unknown>) => {
      const began = performance.now();
      await step();
      slowest[what] = Math.max(slowest[what], performance.now() - began);
    };
    let tries = 0;
    for (; !isOver; tries += 1) {
      await timed('login', () => login(server, 'plain', password));
      await timed('known', async () => assert.equal((await callWith(server, root.accessToken)).status, 200));
      await timed('ready', async () => assert.equal((await server.get('/health-checks/ready')).status, 200));
    }
    await over;
    t.diagnostic(`${tries} times; slowest ${JSON.stringify(slowest)}; lists ${JSON.stringify([...seen])}`);
    assert.ok(tries > 1);
    for (const status of seen.keys()) assert.ok([200, 400, 503].includes(status), String(status));
    assert.ok(seen.has(200) && seen.has(503), 'some had their turn, and some were told to come again');
  });
}
