// The caller's own login attempts, including those of others who claimed to be the caller.

import { ofIdentity } from '../admin/list-parameters.ts';
import { listLoginAttempts, type ReadAttemptsNeeds } from '../explain/read-attempts.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import type { Principal } from '../model/principal.ts';
import type { ListedAttempt } from '../store/contracts/login-attempts.ts';

/** Newest first, unless another order is requested. */
export function listOwnAttempts(
  needs: ReadAttemptsNeeds,
  { identityId }: Principal,
  query: ListQuery,
): Promise<Page<ListedAttempt>> {
  return listLoginAttempts(needs, ofIdentity(identityId, query));
}
