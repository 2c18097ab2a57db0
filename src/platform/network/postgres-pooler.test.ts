import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PostgresPoolerError, readPostgresPooler } from './postgres-pooler.ts';

const read = (rest: string) => readPostgresPooler(new URL(`postgres://u:p%2F@pooler:6432/x${rest}`));

test('a URL says whether there is a pooler, and where the server itself is', () => {
  assert.equal(read('?sslmode=require'), null);
  assert.deepEqual(read('?pooler=transaction'), { directUrl: null });
  for (const [direct, href] of [
    ['db.example.com', 'postgres://u:p%2F@db.example.com:5432/x?sslmode=require'],
    ['db:6000', 'postgres://u:p%2F@db:6000/x?sslmode=require'],
    ['[::1]:6000', 'postgres://u:p%2F@[::1]:6000/x?sslmode=require'],
    [
      '/var/run/postgresql:5433',
      'postgres://u:p%2F@localhost:5433/x?sslmode=require&host=%2Fvar%2Frun%2Fpostgresql',
    ],
  ] as const) {
    const found = read(`?pooler=transaction&direct=${encodeURIComponent(direct)}&sslmode=require`);
    assert.deepEqual(found, { directUrl: href });
  }
});

test('contradicting parameters are refused', () => {
  for (const rest of [
    '?pooler=session',
    '?pooler=',
    '?direct=db:5432',
    '?pooler=transaction&pooler=transaction',
    '?pooler=transaction&direct=',
    '?pooler=transaction&direct=u@db',
    '?pooler=transaction&direct=db:99999',
    '?pooler=transaction&direct=db/other',
  ]) {
    assert.throws(() => read(rest), PostgresPoolerError, rest);
  }
});
