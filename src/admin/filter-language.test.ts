import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AuthError } from '../errors/auth-error.ts';
import { identityEntity } from '../model/entities/identity.ts';
import { listFieldsOf } from '../model/entities/listed-fields.ts';
import { budgetOf, type Filter } from '../model/list-query.ts';
import { parseFilter, parseSort } from './filter-language.ts';
import { listQuery } from './list-parameters.ts';

const fields = listFieldsOf(identityEntity);

const filterOf = (text: string) => parseFilter(text, fields).filter;

describe('a filter', () => {
  const understood: [string, Filter][] = [
    ['', { op: 'true' }],
    ['  \t\n', { op: 'true' }],
    ['true', { op: 'true' }],
    ['false', { op: 'not', term: { op: 'true' } }],
    ['limit none', { op: 'true' }],
    ['name = "x"', { op: '=', field: 'name', value: 'x' }],
    ['name!="x"', { op: '!=', field: 'name', value: 'x' }],
    ['name >= "a"', { op: '>=', field: 'name', value: 'a' }],
    ['name = "a \\"b\\" \\\\ \\n"', { op: '=', field: 'name', value: 'a "b" \\ \n' }],
    ['name = "%_*\'; drop table"', { op: '=', field: 'name', value: "%_*'; drop table" }],
    ['name contains "x"', { op: 'contains', field: 'name', value: 'x' }],
    ['name ICONTAINS "x"', { op: 'icontains', field: 'name', value: 'x' }],
    ['name not contains "x"', { op: 'not', term: { op: 'contains', field: 'name', value: 'x' } }],
    ['roleAttributes contains "x"', { op: 'contains', field: 'roleAttributes', value: 'x' }],
    ['name in ["a","b"]', { op: 'in', field: 'name', values: ['a', 'b'] }],
    ['name not in ["a"]', { op: 'not', term: { op: 'in', field: 'name', values: ['a'] } }],
    ['externalId = null', { op: '=', field: 'externalId', value: null }],
    ['isAdmin = true', { op: '=', field: 'isAdmin', value: true }],
    ['typeId = "User"', { op: '=', field: 'type', value: 'User' }],
    [
      'createdAt < datetime(2026-01-31T12:00:00Z)',
      { op: '<', field: 'createdAt', value: Date.UTC(2026, 0, 31, 12) },
    ],
    [
      'createdAt > datetime("2026-01-31T12:00:00.5+01:00")',
      { op: '>', field: 'createdAt', value: Date.UTC(2026, 0, 31, 11, 0, 0, 500) },
    ],
    ['not (name = "x")', { op: 'not', term: { op: '=', field: 'name', value: 'x' } }],
  ];
  for (const [text, filter] of understood) {
    test(`is understood: ${JSON.stringify(text)}`, () => assert.deepEqual(filterOf(text), filter));
  }

  test('gives not precedence over and, and and over or', () => {
    const named = (value: string): Filter => ({ op: '=', field: 'name', value });
    assert.deepEqual(filterOf('not name="a" and name="b" or name="c" and (name="d" or name="e")'), {
      op: 'or',
      terms: [
        { op: 'and', terms: [{ op: 'not', term: named('a') }, named('b')] },
        { op: 'and', terms: [named('c'), { op: 'or', terms: [named('d'), named('e')] }] },
      ],
    });
  });

  test('may end with order, start and size of the page', () => {
    const parsed = parseFilter('name contains "x" sort by name asc, createdAt desc skip 20 limit 5', fields);
    assert.deepEqual(parsed.sort, [
      { field: 'name', descending: false },
      { field: 'createdAt', descending: true },
    ]);
    assert.equal(parsed.skip, 20);
    assert.equal(parsed.limit, 5);
    assert.equal(parseFilter('SORT BY name LIMIT NONE', fields).limit, null);
  });
});

describe('a filter that cannot be parsed', () => {
  const hostile = [
    'name',
    'name =',
    'name = x',
    "name = 'x'",
    'name = "x',
    'name = "x\\"',
    'name = "\\u0000"',
    'name = "\0"',
    'name = "\ud800"',
    'name = 1',
    'name = null',
    'name = true',
    'name contains 1',
    'name contains null',
    'isAdmin = "true"',
    'isAdmin < true',
    'isAdmin contains "t"',
    'createdAt = 5',
    'createdAt = "2026-01-31T12:00:00Z"',
    'createdAt = datetime(yesterday)',
    'createdAt = datetime()',
    'createdAt > null',
    'name in []',
    'name in ["a"',
    'name in ["a",]',
    'name in "a"',
    'externalId in [null]',
    'name = "x" and',
    'and name = "x"',
    'name = "x" name = "y"',
    'name = "x" && isAdmin = true',
    '(name = "x"',
    'name = "x")',
    'not',
    'password = "x"',
    'passwordHash contains "a"',
    'constructor = "x"',
    '__proto__ = "x"',
    'NAME = "x"',
    'tags.a = "x"',
    'name = "x"; drop table identities',
    'name = "x" -- ',
    'sort by',
    'sort name',
    'sort by password',
    'sort by name,',
    'sort by name sort by id',
    'sort by id, id, id, id, id, id',
    'limit',
    'limit -1',
    'limit 1.5',
    'limit 1e30',
    'limit "5"',
    'limit 5 limit 6',
    'skip none',
    'limit 99999999999999999999',
    `${'('.repeat(3000)}`,
    `${'not '.repeat(900)} true`,
    `${'('.repeat(25)}true${')'.repeat(25)}`,
    Array.from({ length: 150 }, () => 'true').join(' or '),
    `name in [${Array.from({ length: 300 }, () => '"a"').join(',')}]`,
    `name = "${'x'.repeat(5000)}"`,
    '🙂',
    'roleAttributes = "x"',
    'permissions icontains "read"',
    'permissions not in ["read"]',
    'permissions contains read',
    'name = "x" \u00a0',
  ];
  for (const text of hostile) {
    test(`is refused with the position: ${JSON.stringify(text.slice(0, 50))}`, () => {
      assert.throws(() => parseFilter(text, fields), isRefusal);
    });
  }

  test('says where and what was expected', () => {
    assert.throws(
      () => parseFilter('name = "x" und true', fields),
      (error) => {
        assert(error instanceof AuthError);
        assert.match(error.description, /: expected at position 12: and, or, sort by/);
        assert.equal(error.fields[0]?.field, 'filter');
        return true;
      },
    );
    assert.throws(() => parseFilter('roleAttributes = "x"', fields), {
      message: /expected at position 16: "contains", because this field is a list$/,
    });
  });

  test('never becomes anything but a query or that refusal', () => {
    const pieces = ['name', '=', '"x"', '(', ')', '[', ']', ',', 'not', 'and', 'or', 'in', 'true', 'null'];
    pieces.push(
      'contains',
      'sort',
      'by',
      'limit',
      'none',
      'skip',
      '5',
      '-',
      '"',
      '\\',
      'datetime(',
      '.',
      '😀',
    );
    const next = pseudoRandom(7);
    for (let round = 0; round < 20_000; round += 1) {
      const length = 1 + (next() % 12);
      const text = Array.from({ length }, () => pieces[next() % pieces.length]).join(next() % 2 ? ' ' : '');
      try {
        const { filter } = parseFilter(text, fields);
        assert.equal(typeof filter.op, 'string');
      } catch (error) {
        assert(isRefusal(error), `${JSON.stringify(text)} threw ${String(error)}`);
      }
    }
  });
});

describe('the parameters of a list', () => {
  const reader = { identityId: 'ana', isAdmin: false };

  test('have defaults, and the id completes the order', () => {
    assert.deepEqual(listQuery({}, fields, reader), {
      filter: { op: 'true' },
      sort: [{ field: 'id', descending: false }],
      limit: 10,
      offset: 0,
      budget: budgetOf(reader),
    });
  });

  test('may accompany the filter', () => {
    const parameters = { filter: 'isAdmin = true', limit: '500', offset: '20', sort: 'name desc' };
    const query = listQuery(parameters, fields, reader);
    assert.equal(query.limit, 500);
    assert.equal(query.offset, 20);
    // The store puts the key last, in the direction that its indexes have.
    assert.deepEqual(query.sort, [{ field: 'name', descending: true }]);
    for (const none of [{ limit: 'none' }, { filter: 'limit none' }]) {
      assert.equal(listQuery(none, fields, { ...reader, isAdmin: true }).part, 'first');
      assert.deepEqual(
        [listQuery(none, fields, reader).part, listQuery(none, fields, reader).limit],
        [undefined, 500],
      );
    }
    assert.deepEqual(parseSort('id', fields), [{ field: 'id', descending: false }]);
  });

  const refused = [
    { limit: '501' },
    { limit: '-1' },
    { limit: '1e3' },
    { limit: ' 5' },
    { limit: '0x10' },
    { limit: 'NaN' },
    { offset: '-1' },
    { offset: '99999999999' },
    { offset: '1.0' },
    { filter: 'limit 501' },
    { filter: 'limit 5', limit: '5' },
    { filter: 'sort by name', sort: 'name' },
    { filter: 'skip 5', offset: '5' },
  ];
  for (const parameters of refused) {
    test(`are refused when out of bounds or given twice: ${JSON.stringify(parameters)}`, () => {
      assert.throws(
        () => listQuery(parameters, fields, reader),
        (error) => error instanceof AuthError && error.code === 'could_not_validate',
      );
    });
  }
});

function isRefusal(error: unknown): boolean {
  return (
    error instanceof AuthError && error.code === 'invalid_filter' && /at position \d+/.test(error.description)
  );
}

/** A repeatable sequence, so that a failure can be reproduced. */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state >>> 8;
  };
}
