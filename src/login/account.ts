// What a login knows of an identity, read from the store at the moment of a decision.

import type { AuthPolicy } from '../model/auth-policy.ts';
import { type Identity, isDisabled } from '../model/identity.ts';
import type { AuthenticatorId, IdentityId } from '../model/ids.ts';
import type { PrimaryMethod } from '../model/login.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import type { Millis } from '../platform/clock.ts';
import type { AuthPolicyStore } from '../store/contracts/auth-policies.ts';
import type { AuthenticatorStore } from '../store/contracts/authenticators.ts';
import type { IdentityStore } from '../store/contracts/identities.ts';

export interface Account {
  readonly identity: Identity;
  readonly policy: AuthPolicy;
}

export interface AccountNeeds {
  readonly store: {
    readonly identities: IdentityStore;
    readonly authPolicies: AuthPolicyStore;
    readonly authenticators: AuthenticatorStore;
  };
}

/** The identity with its policy, or null when the identity is gone. A policy that cannot be read throws: no check is skipped. */
export async function readAccount(needs: AccountNeeds, id: IdentityId): Promise<Account | null> {
  const identity = await needs.store.identities.find(id);
  if (identity === null) return null;
  const policy = await needs.store.authPolicies.find(identity.authPolicyId);
  if (policy === null) throw new Error(`identity ${id} has no readable auth policy`);
  return { identity, policy };
}

/** Whether the policy allows a primary method at all. */
export function allowsMethod(policy: AuthPolicy, method: PrimaryMethod): boolean {
  if (method === 'password') return policy.primary.updb.allowed;
  return method === 'cert' ? policy.primary.cert.allowed : policy.primary.extJwt.allowed;
}

/**
 * Whether an identity may log in by this method now. Asked by every primary method, and again before a code is
 * issued; what refuses is recorded.
 */
export function mayLogIn(
  account: Account,
  method: PrimaryMethod,
  attempt: AttemptRecorder,
  now: Millis,
): boolean {
  if (!isEnabled(account, attempt, now)) return false;
  const { policy } = account;
  if (!allowsMethod(policy, method)) {
    attempt.failed('method allowed', 'method-not-allowed', `policy ${policy.name} does not allow ${method}`);
    return false;
  }
  attempt.passed('method allowed', `policy ${policy.name} allows ${method}`);
  return true;
}

/** Whether an identity may be used at all now; recorded, with whose attempt it is. */
export function isEnabled(
  { identity }: Pick<Account, 'identity'>,
  attempt: AttemptRecorder,
  now: Millis,
): boolean {
  attempt.about({ identityId: identity.id });
  if (isDisabled(identity, now)) {
    const until =
      identity.disabledUntil === null ? '' : ` until ${new Date(identity.disabledUntil).toISOString()}`;
    attempt.failed('identity enabled', 'identity-disabled', `${identity.name} is disabled${until}`);
    return false;
  }
  attempt.passed('identity enabled', identity.name);
  return true;
}

/** Whether the authenticator that opened a login is still there; a login by claim has none of its own. */
export async function stillHasAuthenticator(
  needs: AccountNeeds,
  id: AuthenticatorId | null,
): Promise<boolean> {
  return id === null || (await needs.store.authenticators.find(id)) !== null;
}
