import type { AuthPolicy } from '../../model/auth-policy.ts';
import type { AuthPolicyId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';

export interface AuthPolicyStore {
  find(id: AuthPolicyId): Promise<AuthPolicy | null>;
  list(query: ListQuery): Promise<Page<AuthPolicy>>;
}
