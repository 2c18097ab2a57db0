import { budgetOf, type Filter, type ListQuery } from '../../src/model/list-query.ts';

/** For lists that a test reads from the store. */
export const testBudget = budgetOf({ identityId: 'test', isAdmin: true });

/** The first thousand that fit. */
export function listOf(filter: Filter): ListQuery {
  return { filter, sort: [], limit: 1000, offset: 0, budget: testBudget };
}
