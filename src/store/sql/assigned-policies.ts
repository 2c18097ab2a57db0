// Keeps the column of the policy that applies (model/assigned-policy.ts) true, in the transaction of each change.

import { assignedPolicy } from '../../model/assigned-policy.ts';
import type { AuthPolicy } from '../../model/entities/auth-policy.ts';
import { authPolicyOf, identityOf } from './codec.ts';
import { all, type Intent, raw, run } from './intent.ts';

export const assigningPoliciesSql = `SELECT * FROM auth_policies WHERE assign_to <> '[]'`;

/** The policies that are assigned to role attributes. */
export function* assigningPolicies(): Intent<readonly AuthPolicy[]> {
  return (yield* all(assigningPoliciesSql)).map((row) => authPolicyOf(row));
}

/** Of identities that are read at a time. */
const pageSize = 1000;

/** Assigns again after a change of policies. The caller records the change of the policy, which drops all accounts. */
export function* assignEverybody(): Intent<void> {
  const policies = yield* assigningPolicies();
  for (let after = ''; ; ) {
    const rows = yield* all`SELECT * FROM identities WHERE auth_policy_from <> 'identity'
      AND id > ${after} ORDER BY id LIMIT ${raw(String(pageSize))}`;
    for (const row of rows) {
      const identity = identityOf(row);
      const { authPolicyId, authPolicyFrom } = assignedPolicy(policies, identity.roleAttributes);
      after = identity.id;
      if (authPolicyId === identity.authPolicyId && authPolicyFrom === identity.authPolicyFrom) continue;
      yield* run`UPDATE identities SET auth_policy_id = ${authPolicyId},
        auth_policy_from = ${authPolicyFrom} WHERE id = ${identity.id}`;
    }
    if (rows.length < pageSize) return;
  }
}
