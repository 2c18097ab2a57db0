// Which auth policy an identity has for which none was named. The store asks at every change of role attributes and of
// policies, and keeps the answer with the identity, so that everything else reads one column.

import type { AuthPolicy } from './entities/auth-policy.ts';
import type { Identity } from './entities/identity.ts';
import { type AuthPolicyId, defaultAuthPolicyId } from './ids.ts';

/** The fields of a policy that decide an assignment. */
export type AssigningPolicy = Pick<AuthPolicy, 'id' | 'name' | 'assignTo'>;

export type AssignedPolicy = Pick<Identity, 'authPolicyId' | 'authPolicyFrom'>;

/**
 * The first policy by name (by code points) that is assigned to one of the role attributes; otherwise the default policy.
 * @param named the policy that was named for the identity, which it keeps
 */
export function assignedPolicy(
  policies: readonly AssigningPolicy[],
  roleAttributes: Identity['roleAttributes'],
  named: AuthPolicyId | null = null,
): AssignedPolicy {
  if (named !== null) return { authPolicyId: named, authPolicyFrom: 'identity' };
  const held = new Set(roleAttributes);
  let first: AssigningPolicy | null = null;
  for (const policy of policies) {
    const isEarlier = first === null || policy.name < first.name;
    if (isEarlier && policy.assignTo.some((attribute) => held.has(attribute))) first = policy;
  }
  return first === null
    ? { authPolicyId: defaultAuthPolicyId, authPolicyFrom: 'default' }
    : { authPolicyId: first.id, authPolicyFrom: 'roleAttributes' };
}
