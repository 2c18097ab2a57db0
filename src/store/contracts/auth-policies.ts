import type { AuthPolicy, AuthPolicyPatch, AuthPolicyRules } from '../../model/auth-policy.ts';
import type { AuthPolicyId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

export interface AuthPolicyStore {
  find(id: AuthPolicyId): Promise<AuthPolicy | null>;
  list(query: ListQuery): Promise<Page<AuthPolicy>>;
  /** @throws AlreadyTaken `name` */
  create(id: AuthPolicyId, rules: AuthPolicyRules, now: Millis): Promise<void>;
  /**
   * Replaces the rules. Adds a change-feed entry, so that they apply everywhere at the next call.
   * @returns false when there is no such policy
   * @throws AlreadyTaken `name`
   * @throws NoAdministratorLeft
   */
  replace(id: AuthPolicyId, rules: AuthPolicyRules, now: Millis): Promise<boolean>;
  /**
   * Like `replace`, but changes single members, so that of two simultaneous changes neither undoes the other.
   * @returns false when there is no such policy
   * @throws AlreadyTaken, NoAdministratorLeft   as for `replace`
   */
  update(id: AuthPolicyId, patch: AuthPolicyPatch, now: Millis): Promise<boolean>;
  /** `referenced` when identities have the policy or a signer enrolls with it. Nothing is deleted then. */
  delete(id: AuthPolicyId, now: Millis): Promise<'deleted' | 'referenced' | 'unknown'>;
}
