// However an engine finds a page, it is the same: whether it sorts what matches, compares the entries in their order, or
// begins with either. And an index has each order that a source says it has.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { lastLoginListFields } from '../../src/model/list-fields.ts';
import type { Filter, ListQuery } from '../../src/model/list-query.ts';
import { postgresSettings } from '../../src/store/postgres/connection.ts';
import { openPostgresEngine } from '../../src/store/postgres/engine.ts';
import { identityTable } from '../../src/store/sql/codec.ts';
import type { Engine } from '../../src/store/sql/engine.ts';
import type { Sql, SqlRow } from '../../src/store/sql/intent.ts';
import { compileList } from '../../src/store/sql/list-query.ts';
import { listSource } from '../../src/store/sql/list-source.ts';
import { readList } from '../../src/store/sql/read-list.ts';
import { openSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { testBudget } from '../support/list-budget.ts';
import { query as ask } from '../support/postgres.ts';
import { sized } from '../support/size.ts';
import { openPostgresDatabase } from './postgres-database.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

const source = identityTable.listed;
const count = 240;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly externalId: string | null;
  readonly createdAt: number;
  readonly lastLoginAt: number | null;
  readonly isAdmin: boolean;
}

/** Few values of each field, so that many are equal; no order is that of another field. */
const people = Array.from({ length: count }, (_, at): Row => {
  const mixed = (at * 7919) % 251;
  return {
    id: `id-${String((at * 101) % count).padStart(3, '0')}`,
    name: `${'abZ%'[mixed % 4]}${'xyz'[at % 3]}-${mixed}-${at}`,
    type: ['Device', 'Service', 'User'][mixed % 3] ?? '',
    externalId: at % 3 === 0 ? null : `Ext ${mixed}-${at}`,
    createdAt: mixed % 17,
    lastLoginAt: mixed % 5 === 0 ? null : mixed % 11,
    isAdmin: mixed % 9 === 0,
  };
});
const fieldNames = Object.keys(people[0] ?? {}) as readonly (keyof Row)[];

function insertion(): string {
  const text = (value: string | null) => (value === null ? 'NULL' : `'${value}'`);
  const values = people.map(
    ({ id, name, type, externalId, createdAt, lastLoginAt, isAdmin }) =>
      `('${id}', '${name}', '${type}', ${text(externalId)}, 'default', ${Number(isAdmin)}, '[]', '{}', ${createdAt}, 0, ${lastLoginAt ?? 'NULL'}, '${name.toLowerCase()}', ${text(externalId?.toLowerCase() ?? null)})`,
  );
  return `INSERT INTO identities (id, name, type, external_id, auth_policy_id, is_admin, role_attributes, tags, created_at,
    updated_at, last_login_at, name_lower, external_id_lower) VALUES ${values.join(', ')}`;
}

const manyLogins = 60_000;
const logins = `INSERT INTO last_logins (id, identity_id, client_id, ip_address, first_at, last_at)
  SELECT 'login-' || i, 'id-000', CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END, '', 0, i`;

// The same in a few lines: a scan of everything.

type Value = string | number | boolean | null;

function matches(row: Row, filter: Filter): boolean {
  switch (filter.op) {
    case 'true':
      return true;
    case 'and':
      return filter.terms.every((term) => matches(row, term));
    case 'or':
      return filter.terms.some((term) => matches(row, term));
    case 'not':
      return !matches(row, filter.term);
    case 'in':
      return filter.values.includes(row[filter.field as keyof Row]);
    case 'contains':
      return String(row[filter.field as keyof Row] ?? '').includes(filter.value);
    case 'icontains':
      return String(row[filter.field as keyof Row] ?? '')
        .toLowerCase()
        .includes(filter.value.toLowerCase());
    default: {
      const value: Value = row[filter.field as keyof Row];
      if (filter.op === '=') return value === filter.value;
      if (filter.op === '!=') return value !== filter.value;
      if (value === null || filter.value === null) return false;
      if (filter.op === '<') return value < filter.value;
      if (filter.op === '<=') return value <= filter.value;
      return filter.op === '>' ? value > filter.value : value >= filter.value;
    }
  }
}

function scan({ filter, sort }: ListQuery): readonly string[] {
  const last = sort.at(-1)?.descending ?? false;
  const order = [...sort, { field: 'id', descending: last }] as const;
  const found = people.filter((row) => matches(row, filter));
  return found
    .toSorted((a, b) => {
      for (const { field, descending } of order) {
        const [one, other] = [a[field as keyof Row], b[field as keyof Row]];
        if (one === other) continue;
        const isBefore = one === null || (other !== null && one < other);
        return isBefore === descending ? 1 : -1;
      }
      return 0;
    })
    .map(({ id }) => id);
}

const someRow = fc.constantFrom(...people);
const textTerm = fc.record({
  op: fc.constantFrom('contains' as const, 'icontains' as const),
  field: fc.constantFrom('name', 'externalId', 'type'),
  value: fc.constantFrom('a', 'Z', 'z', 'e', '-1', 'Ax-', 'by-1', '%', '_', 'T 1', 'Service', 'qq'),
});
const comparison = fc
  .tuple(fc.constantFrom(...fieldNames), someRow, fc.constantFrom('=', '!=', '<', '<=', '>', '>='))
  .filter(([field, row, op]) => row[field] !== null || op === '=' || op === '!=')
  .map(([field, row, op]) => ({ op, field, value: row[field] }) as Filter);
const membership = fc
  .tuple(fc.constantFrom('type', 'externalId', 'id'), fc.array(someRow, { maxLength: 4 }))
  .map(([field, rows]): Filter => ({ op: 'in', field, values: rows.map((row) => row[field as keyof Row]) }));
const { filter: filters } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    textTerm,
    comparison,
    membership,
    fc.constant<Filter>({ op: 'true' }),
    fc.record({
      op: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('filter'), { maxLength: 3 }),
    }),
    fc.record({ op: fc.constant('not' as const), term: tie('filter') }),
  ),
}));
const queries: fc.Arbitrary<ListQuery> = fc.record({
  filter: filters,
  sort: fc.array(fc.record({ field: fc.constantFrom(...fieldNames), descending: fc.boolean() }), {
    maxLength: 2,
  }),
  limit: fc.integer({ min: 1, max: 60 }),
  offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: count })),
  budget: fc.constant(testBudget),
});

const opened = {
  async SQLite() {
    const { path, store, drop } = await openSqliteDatabase();
    await store.close();
    const database = new DatabaseSync(path);
    database.exec(insertion());
    database.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${manyLogins}) ${logins} FROM n`,
    );
    database.close();
    return { engine: openSqliteEngine({ path }), drop };
  },
  async PostgreSQL() {
    const { url, drop } = await openPostgresDatabase();
    await ask(url, insertion());
    await ask(url, `${logins} FROM generate_series(1, ${manyLogins}) AS n (i)`);
    return { engine: openPostgresEngine(postgresSettings(url)), drop };
  },
} as const;

for (const [name, open] of Object.entries(opened)) {
  describe(`lists on ${name}`, () => {
    let opening: ReturnType<typeof open> | undefined;
    const theEngine = async (): Promise<Engine> => {
      opening ??= open();
      return (await opening).engine;
    };
    const read = async (statement: Sql): Promise<readonly SqlRow[]> =>
      (await theEngine()).inTurn(testBudget, (asked) => asked(statement));
    after(async () => {
      const { engine, drop } = (await opening) ?? {};
      await engine?.close();
      await drop?.();
    });

    test('have the same page by each plan as by a scan of everything', async () => {
      const engine = await theEngine();
      const same = async (query: ListQuery) => {
        const every = scan(query);
        const expected = every.slice(query.offset, query.offset + query.limit);
        const statements = compileList(engine.dialect, source, query);
        const first = statements.pageAmongFirst(1000);
        for (const statement of [statements.page(), statements.pageOfSorted(), first]) {
          if (statement === null) continue;
          assert.deepEqual(
            (await read(statement)).map(({ id }) => id),
            expected,
            statement.sql,
          );
        }
        assert.equal(Number((await read(statements.countOf(1)))[0]?.total), every.length);
        const few = await read(statements.pageOfFew());
        assert.deepEqual(
          few.map(({ id, list_total }) => [id, Number(list_total)]),
          expected.map((id) => [id, every.length]),
        );
        const { rows, totalCount } = await readList(engine, source, query);
        assert.deepEqual(
          rows.map(({ id }) => id),
          expected,
        );
        assert.equal(totalCount, every.length);
      };
      await fc.assert(fc.asyncProperty(queries, same), { numRuns: sized({ small: 150, full: 3000 }) });
    });

    test('are read in their order from where a condition says that they begin', async () => {
      const engine = await theEngine();
      for (const descending of [false, true]) {
        const filter: Filter = { op: descending ? '<' : '>', field: 'name', value: 'b' };
        const query = {
          ...{ filter, sort: [{ field: 'name', descending }] },
          ...{ limit: 1, offset: 0, budget: testBudget },
        };
        const statement = compileList(engine.dialect, source, query).pageAmongFirst(1);
        assert.ok(statement !== null);
        assert.deepEqual(
          (await read(statement)).map(({ id }) => id),
          scan(query).slice(0, 1),
        );
      }
    });

    test('have an index for each order that is said to have one, both ways', async () => {
      const engine = await theEngine();
      const ordered = Object.entries(source.fields).filter(([, { order }]) => order === 'whole');
      assert.ok(ordered.length >= 6);
      for (const [field] of ordered)
        for (const descending of [false, true]) {
          const filter: Filter = { op: '=', field: 'isAdmin', value: true };
          const query = { filter, sort: [{ field, descending }], limit: 10, offset: 0, budget: testBudget };
          const statement = compileList(engine.dialect, source, query).pageAmongFirst(1000);
          assert.ok(statement !== null, field);
          const plan = await engine.inTurn(testBudget, async (asked) => {
            const explain = name === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
            // Of so few rows PostgreSQL would rather sort all.
            if (name === 'PostgreSQL') await asked({ sql: 'SET LOCAL enable_sort = off', params: [] });
            return asked({ ...statement, sql: `${explain} ${statement.sql}` });
          });
          assert.doesNotMatch(
            JSON.stringify(plan),
            /"\W*Sort|TEMP B-TREE FOR ORDER BY/,
            `${field} ${descending}`,
          );
        }
    });

    test('say about how many entries there are where they are too many to be counted', async () => {
      const list = listSource('last_logins', lastLoginListFields, { identity: 'JOIN' });
      const page = { sort: [], limit: 10, budget: testBudget };
      for (const [filter, offset, entries] of [
        [{ op: 'true' }, 0, manyLogins],
        [{ op: '=', field: 'clientId', value: 'odd' }, 0, manyLogins / 2],
        [{ op: '=', field: 'clientId', value: 'odd' }, 15_000, manyLogins / 2],
        [{ op: '<', field: 'lastAt', value: 25_000 }, 0, 25_000],
      ] as const satisfies readonly (readonly [Filter, number, number])[]) {
        const found = await readList(await theEngine(), list, { ...page, filter, offset });
        assert.equal(found.totalCountIsEstimate, true);
        assert.ok(found.totalCount > entries / 2 && found.totalCount < entries * 2, `${found.totalCount}`);
      }
      const end = await readList(await theEngine(), list, {
        ...page,
        filter: { op: 'true' },
        offset: 59_995,
      });
      assert.deepEqual([end.totalCount, end.totalCountIsEstimate], [manyLogins, false]);
    });
  });
}
