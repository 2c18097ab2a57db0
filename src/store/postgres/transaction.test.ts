import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { StoreUnavailable } from '../contracts/store.ts';
import { type PostgresClient, type PostgresQuery, prepared, unprepared } from './connection.ts';
import { inTransaction, reading, repeated } from './transaction.ts';

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

/** Transactions on connections that fail with these codes at their commit, or cannot be made. */
function committing(fails: readonly { readonly at: 'connect' | 'COMMIT'; readonly code: string }[]) {
  const left = [...fails];
  const fail = (at: 'connect' | 'COMMIT') => {
    if (left[0]?.at === at) throw Object.assign(new Error('failed'), { code: left.shift()?.code });
  };
  const tells = { broken: [] as unknown[] };
  const client = {
    ...{ connection: { stream: { writableCorked: 1 } }, on() {}, off() {} },
    release: (isBroken: unknown) => void tells.broken.push(isBroken === true),
    async query(query: string | { text: string }) {
      const text = typeof query === 'string' ? query : query.text;
      if (text === 'COMMIT') fail('COMMIT');
      return { rows: [], command: text };
    },
  } as unknown as PostgresClient;
  const pool = {
    async connect() {
      fail('connect');
      return client;
    },
  };
  function* intent() {
    yield { sql: 'SELECT 1', params: [] };
    return 'done';
  }
  const use = (client: PostgresClient) =>
    inTransaction({ client, ask: unprepared, keys: null, intent: intent(), beforeCommit() {} });
  return { run: () => repeated(pool as Parameters<typeof repeated>[0], use), tells };
}

test('a transaction that collided at its commit is repeated when the next try finds no connection', async () => {
  const { run, tells } = committing([
    { at: 'COMMIT', code: '40001' },
    { at: 'connect', code: 'ECONNREFUSED' },
  ]);
  assert.deepEqual(await run(), { outcome: 'done', hasChanges: false });
  assert.deepEqual(tells.broken, [false, false]);
});

test('a commit whose connection was lost is not repeated, since it may have taken effect', async () => {
  const { run, tells } = committing([
    { at: 'COMMIT', code: '40001' },
    { at: 'COMMIT', code: 'ECONNRESET' },
  ]);
  await assert.rejects(run(), /may have taken effect/);
  assert.deepEqual(tells.broken, [false, true]);
});

test('the statement that takes the locks of an intent stays prepared, like those of the intent', async () => {
  const sent: PostgresQuery[] = [];
  const client = {
    ...{ connection: { stream: { writableCorked: 1 } }, on() {}, off() {} },
    async query(query: PostgresQuery) {
      sent.push(query);
      return { rows: [], command: query.text };
    },
  } as unknown as PostgresClient;
  function* intent() {
    yield { sql: 'SELECT ?', params: ['a'] };
  }
  const holding = [
    ['name:b', 'c'],
    [true, false],
  ] as const;
  await inTransaction({ client, ask: prepared, keys: holding, intent: intent(), beforeCommit() {} });
  const withValues = sent.filter(({ values }) => values !== undefined);
  assert.equal(withValues.length, 2);
  for (const { text, name } of withValues) assert.ok(name, text);
});
