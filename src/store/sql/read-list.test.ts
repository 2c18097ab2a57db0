import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthError } from '../../errors/auth-error.ts';
import { apiSessionListFields } from '../../model/list-fields.ts';
import { budgetOf, type ListQuery } from '../../model/list-query.ts';
import { identityTable } from './codec.ts';
import { type Engine, OutOfTime, postgresDialect, type ReadInTurn } from './engine.ts';
import type { SqlRow, SqlValue } from './intent.ts';
import { listSource } from './list-source.ts';
import { readList } from './read-list.ts';

const rows = (length: number, more: SqlRow = {}): readonly SqlRow[] =>
  Array.from({ length }, (_, at) => ({ id: `${at}`, ...more }));

const estimating = ['rows of the table', 'sample'];

/** Of which there are ten million, of which a thousandth is looked at for an estimate. */
async function pageWhere(
  {
    amongFirst,
    matching,
    inSample = 0,
    isSlow = false,
  }: { amongFirst: number; matching: number; inSample?: number; isSlow?: boolean },
  changes: Partial<ListQuery> = {},
) {
  const asked: string[] = [];
  let compared: SqlValue | undefined;
  const answers: readonly (readonly [RegExp, string, readonly SqlRow[]])[] = [
    [/pg_class/, 'rows of the table', [{ total: 10_000_000 }]],
    [/TABLESAMPLE/, 'sample', [{ total: inSample }]],
    [/list_total/, 'few', rows(10, { list_total: Math.min(matching, 10_001) })],
    [/AS counted/, 'count', [{ total: Math.min(matching, 10_001) }]],
    [/LIMIT \?\) AS identities/, 'among the first', rows(amongFirst)],
    [/UNION ALL/, 'parts', rows(10)],
    [/AS matching/, 'sorted', rows(10)],
    [/./, 'page', rows(10)],
  ];
  const engine = {
    dialect: postgresDialect,
    inTurn: (_budget, use) =>
      use(async ({ sql, params }) => {
        const [, name = '', answer = []] = answers.find(([pattern]) => pattern.test(sql)) ?? [];
        asked.push(name);
        if (name === 'among the first') [compared] = params;
        if (isSlow && !estimating.includes(name)) throw new OutOfTime();
        return answer;
      }),
  } as Pick<Engine, 'dialect' | 'inTurn'> as Engine;
  const budget = budgetOf({ identityId: 'reader', isAdmin: true });
  const filter = { op: 'icontains', field: 'name', value: 'anna' } as const;
  const sort = [{ field: 'name', descending: false }];
  const query = { filter, sort, limit: 10, offset: 0, budget, ...changes };
  const { totalCount, totalCountIsEstimate } = await readList(engine, identityTable.listed, query);
  return { asked, compared, totalCount, totalCountIsEstimate };
}

test('a page of few is read with its total in one statement', async () => {
  const { asked, totalCount, totalCountIsEstimate } = await pageWhere({ amongFirst: 0, matching: 500 });
  assert.deepEqual([asked, totalCount, totalCountIsEstimate], [[...estimating, 'few'], 500, false]);
});

test('an entry that is named is looked up without more', async () => {
  const filter = { op: '=', field: 'name', value: 'anna' } as const;
  assert.deepEqual((await pageWhere({ amongFirst: 0, matching: 1 }, { filter })).asked, ['few']);
});

test('those without a value of a unique field may be many', async () => {
  const filter = { op: '=', field: 'externalId', value: null } as const;
  const { asked } = await pageWhere({ amongFirst: 10, matching: 1_000_000, inSample: 4012 }, { filter });
  assert.deepEqual(asked, [...estimating, 'among the first']);
});

test('a page of many is looked for at the beginning of an order, and if it is not there, all that match are sorted', async () => {
  const spread = await pageWhere({ amongFirst: 10, matching: 1_000_000, inSample: 4012 });
  assert.deepEqual(spread.asked, [...estimating, 'among the first']);
  const last = await pageWhere({ amongFirst: 9, matching: 1_000_000, inSample: 4012 });
  assert.deepEqual(last.asked, [...estimating, 'among the first', 'sorted']);
  const together = await pageWhere({ amongFirst: 10, matching: 1_000_000, inSample: 1 });
  assert.deepEqual(together.asked, [...estimating, 'few', 'among the first']);
  // No index has these orders as a whole.
  const byType = [
    { field: 'type', descending: false },
    { field: 'createdAt', descending: false },
  ];
  for (const [sort, statement] of [
    [[{ field: 'roleAttributes', descending: false }], 'page'],
    [byType, 'page'],
    [[{ field: 'email', descending: false }], 'parts'],
    [[{ field: 'isAdmin', descending: true }], 'parts'],
  ] as const) {
    const { asked } = await pageWhere({ amongFirst: 0, matching: 1_000_000 }, { sort });
    assert.deepEqual(asked, [...estimating, 'few', statement]);
  }
  // Those without an address cannot match, and the others have an index.
  const filter = { op: '>', field: 'email', value: 'm' } as const;
  const sort = [{ field: 'email', descending: false }];
  const after = await pageWhere({ amongFirst: 10, matching: 1_000_000, inSample: 4012 }, { filter, sort });
  assert.deepEqual(after.asked, [...estimating, 'among the first']);
  const far = await pageWhere({ amongFirst: 0, matching: 1_000_000 }, { offset: 20_000 });
  assert.deepEqual(far.asked, ['page', 'count', ...estimating]);
});

test('a page of many is looked for among as many entries as an eighth of those that would be sorted, or 100000', async () => {
  for (const [inSample, offset, entries] of [
    [400, 0, 12_500],
    [10_000, 0, 312_500],
    [400, 900, 100_000],
    [10_000, 900, 312_500],
  ] as const) {
    const { compared } = await pageWhere({ amongFirst: 10, matching: 100_000, inSample }, { offset });
    assert.equal(compared, entries, `${inSample} ${offset}`);
  }
});

test('the total of many is estimated to two digits, and is never less than what is there', async () => {
  for (const [inSample, offset, totalCount] of [
    [4012, 0, 1_000_000],
    [3912, 0, 980_000],
    [1, 0, 10_001],
    [79, 0, 10_001],
    [4012, 900_000, 900_011],
  ] as const) {
    const found = await pageWhere({ amongFirst: 10, matching: 1_000_000, inSample }, { offset });
    assert.deepEqual([found.totalCount, found.totalCountIsEstimate], [totalCount, true], `${inSample}`);
  }
});

test('a quarter of them is looked at for an estimate where each takes a row of another table', async () => {
  const source = listSource('api_sessions', apiSessionListFields, { identity: 'JOIN' });
  const sampledOf = async (field: string) => {
    const asked: string[] = [];
    const read: ReadInTurn = async ({ sql }) => {
      asked.push(sql);
      return [{ total: /pg_class/.test(sql) ? 10_000_000 : 0, list_total: 0 }];
    };
    const engine = { dialect: postgresDialect, inTurn: (_budget, use) => use(read) } as Engine;
    const filter = { op: 'icontains', field, value: 'anna' } as const;
    const budget = budgetOf({ identityId: 'reader', isAdmin: true });
    await readList(engine, source, { filter, sort: [], limit: 10, offset: 0, budget });
    return asked.flatMap((sql) => /TABLESAMPLE SYSTEM \(([\d.]+)\)/.exec(sql)?.[1] ?? []);
  };
  assert.deepEqual(await sampledOf('clientId'), ['0.4']);
  assert.deepEqual(await sampledOf('identity'), ['0.1']);
});

test('a list that takes too long says what is slow, and what to do', async () => {
  const sort = (...fields: readonly string[]) => fields.map((field) => ({ field, descending: false }));
  const everyone = { op: 'true' } as const;
  for (const [changes, reason] of [
    [
      { filter: { op: 'icontains', field: 'name', value: 'qx' } },
      /no index finds name icontains "qx": leave it out/,
    ],
    [{ filter: { op: '=', field: 'authPolicyFrom', value: 'default' } }, /finds authPolicyFrom = "default":/],
    [{ filter: { op: '<', field: 'disabledAt', value: 7 } }, /order by name has them late/],
    [{ filter: { op: '!=', field: 'updatedAt', value: 7 } }, /finds updatedAt != datetime\(…\):/],
    [{ filter: { op: '!=', field: 'name', value: 'anna' } }, /finds name != "anna":/],
    [{ filter: everyone, sort: sort('roleAttributes') }, /no index has the order by roleAttributes: leave/],
    [{ sort: sort('type', 'name') }, /no index has the order by type, name: leave/],
    [{ filter: everyone, offset: 9_000_000 }, /skips 9000000 entries: .* such as name > "VALUE"/],
    [
      { filter: { op: 'icontains', field: 'name', value: 'anna' } },
      /the order by name has them late: say where it should begin, such as name > "VALUE"/,
    ],
  ] as const satisfies readonly (readonly [Partial<ListQuery>, RegExp])[]) {
    const filter = { op: 'icontains', field: 'name', value: 'anna' } as const;
    const inSample = 4012;
    const found = pageWhere({ amongFirst: 0, matching: 0, inSample, isSlow: true }, { filter, ...changes });
    await assert.rejects(found, ({ code, description }: AuthError) => {
      assert.equal(code, 'invalid_filter');
      assert.match(description, /^The list takes longer than 10 seconds because /);
      assert.match(description, reason);
      return true;
    });
  }
});

test('ten million are not searched for a short part of a text: unless it is found soon, the list is refused', async () => {
  const short = (field: string) => ({ op: 'icontains', field, value: 'qx' }) as const;
  const three = { op: 'or', terms: [short('name'), short('externalId'), short('email')] } as const;
  for (const inSample of [0, 79, 4012])
    await assert.rejects(
      pageWhere({ amongFirst: 9, matching: 0, inSample }, { filter: three }),
      /search all for name icontains "qx": an index finds texts of 3 characters or more/,
    );
  await pageWhere({ amongFirst: 10, matching: 1_000_000, inSample: 4012 }, { filter: three });
  // Those that something else leaves are searched.
  const anna = { op: 'icontains', field: 'name', value: 'anna' } as const;
  await pageWhere({ amongFirst: 0, matching: 3 }, { filter: { op: 'and', terms: [anna, three] } });
});

test('ten million are not sorted in an order that no index has, unless a filter leaves few', async () => {
  const everyone = { op: 'true' } as const;
  const by = (...fields: readonly string[]) => fields.map((field) => ({ field, descending: true }));
  const all = { amongFirst: 0, matching: 10_000_000, inSample: 40_000 };
  for (const [changes, order] of [
    [{ filter: everyone, sort: by('roleAttributes') }, 'roleAttributes'],
    [{ filter: everyone, sort: by('type', 'name') }, 'type, name'],
    [{ sort: by('authPolicyFrom') }, 'authPolicyFrom'],
    [{ filter: everyone, sort: by('email'), offset: 5000 }, 'email'],
    [{ sort: by('permissions'), part: 'first' }, 'permissions'],
  ] as const satisfies readonly (readonly [Partial<ListQuery>, string])[])
    await assert.rejects(pageWhere({ ...all, isSlow: true }, changes), ({ description }: AuthError) => {
      assert.match(
        description,
        /^The list has too many entries \(about 10000000\) to read all for the order by /,
      );
      assert.ok(description.includes(` by ${order}, which no index has`), description);
      return true;
    });
  const sort = by('roleAttributes');
  const counted = await pageWhere(all, { filter: everyone, sort, limit: 0 });
  assert.equal(counted.totalCount, 10_000_000);
  const { asked } = await pageWhere({ ...all, inSample: 20_000 }, { sort });
  assert.deepEqual(asked, [...estimating, 'page']);
});
