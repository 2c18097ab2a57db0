// A listening connection whose other end is gone without a word: no notification arrives, and nothing says so.

import { after, test } from 'node:test';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { openPool, postgresSettings } from '../../src/store/postgres/connection.ts';
import { changesChannel, followChanges } from '../../src/store/postgres/feed.ts';
import { throughWire } from '../support/cluster.ts';
import { postgresServer, query, type SharedPostgres } from '../support/postgres.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { assertOnceWithin, patience, until } from '../support/until.ts';

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
  let seq = 0;
  const feed = followChanges({
    settings: postgresSettings(throughWire(url, wire)),
    readers,
    notify: async () => {
      noticed += 1;
    },
  });
  /** How long until a commit of another node is noticed. */
  const next = async () => {
    seq += 1;
    const before = noticed;
    const begun = systemClock.monotonic();
    await query(url, `INSERT INTO changes VALUES (${seq}); NOTIFY ${changesChannel}`);
    await until(patience, () => noticed > before);
    return systemClock.monotonic() - begun;
  };
  try {
    await until(patience, () => noticed >= 2);
    wire.freeze();
    for (let round = 0; round < 2; round += 1) await next();
    // Three looks of one that believes it would be woken take six seconds.
    await assertOnceWithin(3 * SECOND, async () => (await next()) + (await next()) + (await next()));
  } finally {
    await feed.stop();
    await readers.end();
  }
});
