// A listening connection whose other end is gone without a word: no notification arrives, and nothing says so.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { openPool, postgresSettings } from '../../src/store/postgres/connection.ts';
import { changesChannel, followChanges } from '../../src/store/postgres/feed.ts';
import { throughWire } from '../support/cluster.ts';
import { postgresServer, query, type SharedPostgres } from '../support/postgres.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';

const database: SharedPostgres = await postgresServer();
const url = await database.createDatabase();
await query(
  url,
  'CREATE TABLE changes (seq BIGINT, transaction_id BIGINT DEFAULT pg_current_xact_id()::text::bigint)',
);
const wire = await tcpProxy(database.socket);
after(() => wire.close());

test('commits are noticed by frequent polling, until there is another connection', async () => {
  const readers = openPool(postgresSettings(url), 2);
  let noticed = 0;
  const feed = followChanges({
    settings: postgresSettings(throughWire(url, wire)),
    readers,
    notify: async () => {
      noticed += 1;
    },
  });
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  /** How long until a commit of somebody else is noticed. */
  const commit = async (seq: number) => {
    const before = noticed;
    const begun = systemClock.monotonic();
    await query(url, `INSERT INTO changes VALUES (${seq}); NOTIFY ${changesChannel}`);
    await until(() => noticed > before);
    return systemClock.monotonic() - begun;
  };
  try {
    await until(() => noticed >= 2);
    wire.freeze();
    const [, , ...later] = [
      await commit(1),
      await commit(2),
      await commit(3),
      await commit(4),
      await commit(5),
    ];
    const total = later.reduce((sum, wait) => sum + wait, 0);
    // Three looks of one that believes it would be woken take six seconds.
    assert.ok(total < 3 * SECOND, `${later.join(', ')} ms`);
  } finally {
    await feed.stop();
    await readers.end();
  }
});
