// Two nodes are upgraded one after the other while clients go on: the newer release changes the tables under the
// older one, and no caller is refused or logged out.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import {
  NodesInTheWay,
  ourSchema,
  type Schema,
  schemaVersion,
  versionOfSchema,
} from '../../src/store/migrations/migrate.ts';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { callWith, login, refresh, type Tokens } from '../support/flow.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { type Node, startNode } from '../support/nodes.ts';
import { postgresServer, query } from '../support/postgres.ts';
import { password } from '../support/totp.ts';

/** Adds to the tables that every request reads and writes. */
const nextSchema: Schema = {
  ...ourSchema,
  migrations: [
    ...ourSchema.migrations,
    [
      'ALTER TABLE api_sessions ADD COLUMN colour TEXT',
      'ALTER TABLE identities ADD COLUMN shade INTEGER NOT NULL DEFAULT 3',
      'ALTER TABLE auth_requests ADD COLUMN tone TEXT',
      'ALTER TABLE auth_policies ADD COLUMN tint INTEGER NOT NULL DEFAULT 0',
      'CREATE TABLE palettes (id TEXT PRIMARY KEY, identity_id TEXT NOT NULL REFERENCES identities (id))',
      'CREATE INDEX api_sessions_by_colour ON api_sessions (colour) WHERE colour IS NOT NULL',
    ],
  ],
};

async function migrate(db: string, schema: Schema): Promise<void> {
  const client = new pg.Client({ connectionString: db });
  await client.connect();
  try {
    assert.equal(await migratePostgres(client, schema), versionOfSchema(schema));
  } finally {
    await client.end();
  }
}

const up: Node[] = [];
const db = await (await postgresServer()).createDatabase();
up.push(...(await Promise.all([startNode(db), startNode(db)])));
after(async () => {
  for (const node of up) {
    node.closeConnections();
    await node.server.close();
  }
});

/** A load balancer: each request goes to the next node that is in. */
const underWay = new Map<Node, number>();
let requests = 0;
const request: HttpsClient['request'] = async (method, path, init) => {
  requests += 1;
  const node = nodeAt(requests);
  underWay.set(node, (underWay.get(node) ?? 0) + 1);
  try {
    return await node.request(method, path, init);
  } finally {
    underWay.set(node, (underWay.get(node) ?? 0) - 1);
  }
};
const balanced: HttpsClient = {
  request,
  get: (path, init) => request('GET', path, init),
  post: (path, init) => request('POST', path, init),
  closeConnections() {},
};

function nodeAt(at: number): Node {
  const node = up[at % up.length];
  assert.ok(node);
  return node;
}

/** Takes the oldest node out, lets its requests end, stops it, and starts it again. */
async function replaceOldest(): Promise<void> {
  const old = nodeAt(0);
  up.shift();
  while ((underWay.get(old) ?? 0) > 0) await aMoment();
  await old.server.stop();
  old.closeConnections();
  up.push(await startNode(db, { home: old.server.home }));
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}

/** Clients that log in, refresh and call without a pause. */
function startLoad(clients: number) {
  const refused: string[] = [];
  let isOver = false;
  function note(what: string, { status, text }: Answer): void {
    if (status !== 200) refused.push(`${what}: ${status} ${text}`);
  }
  async function beClient(): Promise<Tokens> {
    let tokens = await login(balanced, 'alice', password);
    while (!isOver) {
      note('call', await callWith(balanced, tokens.access_token));
      const answer = await refresh(balanced, tokens.refresh_token);
      note('refresh', answer);
      if (refused.length > 0) break;
      tokens = answer.json;
      // Another person: one identity has a hundred sessions, and the oldest ends for the next.
      await login(balanced, 'bob', password);
    }
    return tokens;
  }
  const failed = (error: unknown) => {
    refused.push(String(error));
    throw error;
  };
  const running = Promise.allSettled(Array.from({ length: clients }, () => beClient().catch(failed)));
  return {
    /** Resolves when so many requests more were made. */
    async goOn(count: number): Promise<void> {
      const until = requests + count;
      while (requests < until && refused.length === 0) await aMoment();
    },
    /** @returns the tokens that the clients hold */
    async end(): Promise<readonly Tokens[]> {
      isOver = true;
      const ended = await running;
      assert.deepEqual(refused, []);
      return ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    },
  };
}

describe('a rolling upgrade', () => {
  test('refuses no request and loses no session', async () => {
    const alice = await nodeAt(0).server.createUser({ name: 'alice', password });
    await nodeAt(0).server.createUser({ name: 'bob', password });
    const load = startLoad(6);
    await load.goOn(60);
    await migrate(db, nextSchema);
    await load.goOn(60);
    await replaceOldest();
    await load.goOn(30);
    await replaceOldest();
    await load.goOn(60);
    for (const tokens of await load.end()) {
      for (const node of up) assert.equal((await callWith(node, tokens.access_token)).status, 200);
      const last = await refresh(balanced, tokens.refresh_token);
      assert.equal(last.status, 200, last.text);
    }
    assert.deepEqual(await query(db, 'SELECT version::int FROM schema_version'), [
      { version: schemaVersion + 1 },
    ]);
    const [row] = await query(
      db,
      `SELECT count(*) AS ended FROM api_sessions WHERE ended_at IS NOT NULL AND identity_id = '${alice}'`,
    );
    assert.equal(Number(row?.ended), 0);
  });

  test('waits for a long transaction, such as a backup, and delays no request meanwhile', async () => {
    const backup = new pg.Client({ connectionString: db });
    await backup.connect();
    await backup.query('BEGIN; SELECT count(*) FROM api_sessions');
    const further: Schema = {
      ...nextSchema,
      migrations: [...nextSchema.migrations, ['ALTER TABLE api_sessions ADD COLUMN gloss TEXT']],
    };
    const migrating = migrate(db, further);
    const load = startLoad(2);
    await load.goOn(40);
    await backup.query('COMMIT');
    await backup.end();
    await migrating;
    await load.end();
  });

  test('waits until the nodes of the previous release are stopped, and then refuses them, if it does more than add', async () => {
    const names = (await query(db, 'SELECT name FROM nodes WHERE left_at IS NULL ORDER BY name')).map(
      ({ name }) => name,
    );
    assert.equal(names.length, up.length);
    const breaking: Schema = {
      ...ourSchema,
      migrations: [...nextSchema.migrations, [], ['ALTER TABLE palettes DROP COLUMN identity_id']],
      usableBy: schemaVersion + 3,
    };
    // Nodes of the release before are alive: it would be their end.
    await assert.rejects(migrate(db, breaking), (error) => {
      assert.ok(error instanceof NodesInTheWay, String(error));
      const [first, second] = names;
      assert.ok(error.message.includes(`${first} (`) && error.message.includes(`${second} (`), error.message);
      return true;
    });
    for (const node of up) assert.ok((await login(node, 'alice', password)).refresh_token);
    // One takes leave, the other vanishes: what it said last is half a minute old.
    for (const node of up) await node.server.stop();
    await query(
      db,
      `UPDATE nodes SET left_at = NULL, last_seen_at = last_seen_at - 31000 WHERE name = '${names[0]}'`,
    );
    await migrate(db, breaking);
    await assert.rejects(
      openPostgresStore({ url: db }),
      /schema version \d+, this release knows \d+: start a newer/,
    );
  });
});
