import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testBudget } from '../../../test/support/list-budget.ts';
import { authenticatorListFields, loginAttemptListFields } from '../../model/list-fields.ts';
import type { Filter } from '../../model/list-query.ts';
import { identityTable } from './codec.ts';
import { postgresDialect } from './engine.ts';
import { comparisonsOf, compileList } from './list-query.ts';
import { listSource } from './list-source.ts';

test('a filter pays once for folding a field, and not at all for one that is stored in lower case', () => {
  const attempts = listSource('login_attempts', loginAttemptListFields, { identity: 'LEFT JOIN' });
  const term = (field: string, op: 'contains' | 'icontains' = 'icontains'): Filter => ({
    op,
    field,
    value: 'x',
  });
  for (const [source, terms, comparisons] of [
    [identityTable.listed, [term('name'), term('name'), term('externalId')], 3],
    [identityTable.listed, [term('roleAttributes', 'contains'), { op: 'in', field: 'name', values: [] }], 11],
    [attempts, [term('subject', 'contains')], 1],
    [attempts, [term('subject')], 8],
    [attempts, [term('subject'), { op: 'not', term: term('subject') }, term('subject', 'contains')], 10],
    [attempts, [term('subject'), term('reason')], 16],
    // Addresses are in lower case anyway.
    [attempts, [term('ipAddress'), term('ipAddress')], 2],
    // Of a joined table.
    [attempts, [term('identity'), term('identity')], 10],
  ] as const) {
    assert.equal(comparisonsOf(source, { op: 'or', terms }), comparisons, JSON.stringify(terms));
  }
});

test('an order counts as sorted where no index has it, and one for what a filter names has it only then', () => {
  const source = listSource('authenticators', authenticatorListFields, { inFiltered: ['certExpiresAt'] });
  const everything: Filter = { op: 'true' };
  for (const [field, filter, isSorted] of [
    ['id', everything, false],
    ['certExpiresAt', { op: '=', field: 'method', value: 'cert' }, false],
    ['certExpiresAt', everything, true],
    ['createdAt', everything, true],
    ['method', everything, true],
  ] as const satisfies readonly (readonly [string, Filter, boolean])[]) {
    const sort = [{ field, descending: false }];
    const query = { filter, sort, limit: 10, offset: 0, budget: testBudget } as const;
    assert.equal(compileList(postgresDialect, source, query).isSorted, isSorted, `${field} ${filter.op}`);
  }
});
