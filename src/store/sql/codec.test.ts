import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insert, reader } from './codec.ts';

interface Thing {
  readonly id: string;
  readonly madeAt: number;
  readonly endedAt: number | null;
  readonly isBig: boolean;
  readonly tags: object;
  readonly parts: readonly string[];
}

const thingOf = reader<Thing>()('id madeAt endedAt? isBig:flag tags:json parts:list');
const row = { id: 'a', made_at: 0, ended_at: null, is_big: 1, tags: '{"b":1}', parts: null, secret: 's' };
const thing = { id: 'a', madeAt: 0, endedAt: null, isBig: true, tags: { b: 1 }, parts: [] };

test('a row is read as a value of the named columns only', () => {
  assert.deepEqual(thingOf(row), thing);
});

test('a column that holds nothing is null only where the reader says so', () => {
  for (const lack of [{ made_at: null }, { is_big: null }, { tags: null }])
    assert.throws(() => thingOf({ ...row, ...lack }), /holds nothing/);
  const { ended_at: _, ...missing } = row;
  assert.throws(() => thingOf(missing), /ended_at holds nothing/);
});

test('a value is inserted under the names of its columns, without what is undefined', () => {
  assert.deepEqual(insert('things', { ...thing, endedAt: undefined }).next().value, {
    sql: 'INSERT INTO things (id, made_at, is_big, tags, parts) VALUES (?, ?, ?, ?, ?)',
    params: ['a', 0, 1, '{"b":1}', '[]'],
    isUnread: true,
  });
});
