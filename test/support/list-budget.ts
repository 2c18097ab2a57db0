import { budgetOf } from '../../src/model/list-query.ts';

/** For lists that a test reads from the store. */
export const testBudget = budgetOf({ identityId: 'test', isAdmin: true });
