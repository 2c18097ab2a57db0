// The batch of the writer thread with faults: whichever operation fails, a batch acknowledges only what is committed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectSqlite, type SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { writeBatch } from '../../src/store/sqlite/write-batch.ts';
import { newIdentity, newPassword, t0 } from './fixtures.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

const diskErrors = [
  ['I/O error', 10],
  ['disk full', 13],
] as const;

/** A connection whose `failAt`-th operation fails; counts from 1. */
function failing(connection: SqliteConnection, failAt: number, errcode: number) {
  let operations = 0;
  const guarded = <T>(operation: () => T): T => {
    operations += 1;
    if (operations !== failAt) return operation();
    throw Object.assign(new Error('injected'), { errcode });
  };
  return {
    database: connection.database,
    run: (statement) => guarded(() => connection.run(statement)),
    execute: (sql) => guarded(() => connection.execute(sql)),
    requireInPlace: () => guarded(() => connection.requireInPlace()),
  } satisfies SqliteConnection;
}

const create = (password = newPassword()) => {
  const identity = newIdentity();
  return { name: 'identities.create', args: [identity, password, t0], key: identity.id };
};

async function withConnections(
  body: (writer: SqliteConnection, reader: SqliteConnection) => void,
): Promise<void> {
  const database = await openSqliteDatabase();
  const connection = connectSqlite(database.path, { readOnly: false, busyTimeout: 1000 });
  const reader = connectSqlite(database.path, { readOnly: true, busyTimeout: 1000 });
  try {
    body(connection, reader);
  } finally {
    connection.database.close();
    reader.database.close();
    await database.drop();
  }
}

const exists = (connection: SqliteConnection, id: string) =>
  connection.run({ sql: 'SELECT 1 AS one FROM identities WHERE id = ?', params: [id] }).length === 1;

test('when any operation fails the batch has no effect, says so, and the next one works', async () => {
  await withConnections((connection, reader) => {
    const taken = newPassword();
    writeBatch(connection, [create(taken)]);
    for (const [what, errcode] of diskErrors) {
      for (const passwords of [
        [newPassword],
        [newPassword, newPassword],
        [newPassword, () => taken, newPassword],
      ]) {
        for (let failAt = 1, isOver = false; !isOver; failAt += 1) {
          assert.ok(failAt < 100);
          const requests = passwords.map((password) => create(password()));
          const faulty = failing(connection, failAt, errcode);
          const { results } = writeBatch(faulty, requests);
          isOver = results.some(({ ok }) => ok);
          for (const [at, result] of results.entries()) {
            assert.equal(
              exists(reader, requests[at]?.key ?? ''),
              result.ok,
              `${what} at operation ${failAt}`,
            );
            if (!isOver && !result.ok) assert.equal(result.failure.kind, 'unavailable');
          }
          const [next] = writeBatch(connection, [create()]).results;
          assert.equal(next?.ok, true);
        }
      }
    }
  });
});

test('a commit that fails fails every intent of the batch', async () => {
  await withConnections((connection, reader) => {
    const requests = Array.from({ length: 5 }, () => create());
    const faulty: SqliteConnection = {
      ...connection,
      execute(sql) {
        if (sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
        connection.execute(sql);
      },
    };
    const { results, hasChanges } = writeBatch(faulty, requests);
    assert.equal(hasChanges, false);
    for (const [at, result] of results.entries()) {
      assert.deepEqual(result, {
        ok: false,
        failure: { kind: 'unavailable', message: 'disk I/O error', errcode: 10 },
      });
      assert.equal(exists(reader, requests[at]?.key ?? ''), false);
    }
  });
});

test('feed changes are reported only after a commit', async () => {
  await withConnections((connection) => {
    const first = create();
    writeBatch(connection, [first]);
    const rename = (name: string) => ({
      name: 'identities.update',
      args: [first.key, { name }, t0],
    });
    assert.equal(writeBatch(connection, [create()]).hasChanges, false);
    assert.equal(writeBatch(connection, [rename('new'), create()]).hasChanges, true);
    const faulty = failing(connection, 1, 13);
    assert.equal(writeBatch(faulty, [rename('newer')]).hasChanges, false);
  });
});
