// Username and password (UPDB). Every refusal takes the same path and the same work, whatever its cause:
// unknown user, disabled identity, method not allowed, wrong password.

import type { LoginRefusal } from '../model/audit-event.ts';
import type { AuthPolicy } from '../model/auth-policy.ts';
import { type Identity, isDisabled } from '../model/identity.ts';
import type { AuthenticatorId } from '../model/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { AuthenticatorStore, PasswordLogin } from '../store/contracts/authenticators.ts';
import { usernameKey } from './username.ts';

/** Hashes passwords in a bounded pool of its own. Its promises reject when the queue is full. */
export interface PasswordHasher {
  /**
   * Whether the password is the one behind the hash. Null stands for "nobody": the same work, and false.
   * False also for text that can never be a password.
   */
  matches(phc: string | null, password: string): Promise<boolean>;
  /** A PHC string under the current parameters. @throws MalformedInput for text that cannot be a password */
  hash(password: string): Promise<string>;
  /** Whether a stored hash has other parameters than `hash` would use now. */
  isOutdated(phc: string): boolean;
}

export type PrimaryVerdict =
  | {
      readonly verdict: 'passed';
      readonly identity: Identity;
      readonly policy: AuthPolicy;
      readonly authenticatorId: AuthenticatorId;
    }
  | { readonly verdict: 'refused'; readonly reason: LoginRefusal; readonly identityId: string | null };

export interface PasswordLoginNeeds {
  readonly store: { readonly authenticators: AuthenticatorStore };
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
}

/** Decides a password login. Identity and policy are read again after the hash, which takes its time. */
export async function verifyPassword(
  needs: PasswordLoginNeeds,
  username: string,
  password: string,
): Promise<PrimaryVerdict> {
  const key = usernameKey(username);
  const login = key === undefined ? null : await needs.store.authenticators.findPasswordLogin(key);
  const matches = await needs.hasher.matches(login?.passwordHash ?? null, password);
  if (key === undefined || login === null)
    return { verdict: 'refused', reason: 'unknown-user', identityId: null };
  const identityId = login.identity.id;
  if (!matches) return { verdict: 'refused', reason: 'wrong-password', identityId };

  const current = await needs.store.authenticators.findPasswordLogin(key);
  if (current === null || current.passwordHash !== login.passwordHash) {
    return { verdict: 'refused', reason: 'changed-meanwhile', identityId };
  }
  if (isDisabled(current.identity, needs.clock.now())) {
    return { verdict: 'refused', reason: 'identity-disabled', identityId };
  }
  if (!current.policy.primary.updb.allowed)
    return { verdict: 'refused', reason: 'method-not-allowed', identityId };
  await upgradeHash(needs, current, password);
  return {
    verdict: 'passed',
    identity: current.identity,
    policy: current.policy,
    authenticatorId: current.authenticator.id,
  };
}

/** Stores the password under today's parameters. A full pool is no reason to refuse a login: the next one tries again. */
async function upgradeHash(needs: PasswordLoginNeeds, login: PasswordLogin, password: string): Promise<void> {
  if (!needs.hasher.isOutdated(login.passwordHash)) return;
  const newHash = await needs.hasher.hash(password).catch(() => null);
  if (newHash === null) return;
  await needs.store.authenticators.rehashPassword(login.authenticator.id, login.passwordHash, newHash);
}
