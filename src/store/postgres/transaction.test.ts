import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresClient } from './connection.ts';
import { reading } from './transaction.ts';

/** A connection that is lost a moment after something was sent. */
function dyingClient(): PostgresClient {
  const query = async () => {
    await wait(5);
    throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
  };
  return { connection: { stream: { writableCorked: 1 } }, query } as unknown as PostgresClient;
}

test('a list that is refused before it reads does not end the process when the connection is lost', async () => {
  const read = reading(
    dyingClient(),
    () => 1000,
    async () => {
      throw new RangeError('too many terms');
    },
  );
  await assert.rejects(read);
  // A rejection that nothing handles fails the test.
  await wait(20);
});
