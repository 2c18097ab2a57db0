import type { AuthPolicy } from '../../model/auth-policy.ts';
import type { AuthPolicyId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

/** What an administrator decides about a policy. */
export type AuthPolicyRules = Pick<AuthPolicy, 'name' | 'primary' | 'secondary' | 'tags'>;

export interface AuthPolicyStore {
  find(id: AuthPolicyId): Promise<AuthPolicy | null>;
  list(query: ListQuery): Promise<Page<AuthPolicy>>;
  /** @throws AlreadyTaken `name` */
  create(id: AuthPolicyId, rules: AuthPolicyRules, now: Millis): Promise<void>;
  /**
   * Replaces the rules; leaves a change-feed entry, so that they hold at the next call everywhere.
   * @returns false when there is no such policy
   * @throws AlreadyTaken `name`
   */
  replace(id: AuthPolicyId, rules: AuthPolicyRules, now: Millis): Promise<boolean>;
  /** `referenced` when identities have the policy or a signer enrols with it; nothing is deleted then. */
  delete(id: AuthPolicyId, now: Millis): Promise<'deleted' | 'referenced' | 'unknown'>;
}
