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
   * Replaces the rules; leaves a change-feed entry, so that they apply at the next call everywhere.
   * @returns false when there is no such policy
   * @throws AlreadyTaken `name`
   * @throws NoAdministratorLeft
   */
  replace(id: AuthPolicyId, rules: AuthPolicyRules, now: Millis): Promise<boolean>;
  /**
   * Changes single members, as `replace` does all: of two changes at once neither takes the other back.
   * @returns false when there is no such policy
   * @throws AlreadyTaken, NoAdministratorLeft   as `replace`
   */
  update(id: AuthPolicyId, patch: AuthPolicyPatch, now: Millis): Promise<boolean>;
  /** `referenced` when identities have the policy or a signer enrolls with it; nothing is deleted then. */
  delete(id: AuthPolicyId, now: Millis): Promise<'deleted' | 'referenced' | 'unknown'>;
}
