import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { StoreUnavailable } from '../contracts/store.ts';
import type { PostgresClient } from './connection.ts';
import { reading, repeated } from './transaction.ts';

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

/** Fails with these errors in turn, when it is used or already when it is connected to; then it answers. */
function failing(where: 'use' | 'connect', codes: readonly string[]) {
  const left = [...codes];
  const fail = (at: typeof where) => {
    const code = at === where ? left.shift() : undefined;
    if (code !== undefined) throw Object.assign(new Error('lost'), { code });
  };
  const pool = {
    async connect() {
      fail('connect');
      return { release() {} } as unknown as PostgresClient;
    },
  };
  const use = async () => {
    fail('use');
    return 'answered';
  };
  return { run: () => repeated(pool as Parameters<typeof repeated>[0], use), left };
}

test('idle connections that have all died with their server are passed over', async () => {
  const { run } = failing('use', ['57P01', 'ECONNRESET', '57P01', 'EPIPE']);
  assert.equal(await run(), 'answered');
});

test('a server that is away is tried twice, and one that ends every connection eight times', async () => {
  for (const [where, tries] of [
    ['connect', 2],
    ['use', 8],
  ] as const) {
    const { run, left } = failing(
      where,
      Array.from({ length: 20 }, () => 'ECONNREFUSED'),
    );
    await assert.rejects(run(), StoreUnavailable);
    assert.equal(left.length, 20 - tries);
  }
});
