// What a login knows about an identity, read from the store at the moment of a decision.

import { type Account, allowsMethod, isDisabled } from '../model/account.ts';
import type { AuthenticatorId } from '../model/ids.ts';
import type { PrimaryMethod } from '../model/login.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import type { Millis } from '../platform/clock.ts';
import type { LoginServices } from './services.ts';

/** Who is logging in, and what decides whether that is enough. */
export type LoginAccount = Pick<Account, 'identity' | 'policy'>;

/**
 * Whether an identity may log in with this method now. Every primary method asks this, and it is asked again before a
 * code is issued. Records what refuses.
 */
export function mayLogIn(
  account: LoginAccount,
  { method, now }: { readonly method: PrimaryMethod; readonly now: Millis },
  attempt: AttemptRecorder,
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

/** Whether an identity may be used at all now. Recorded, together with the identity. */
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

/** Whether the authenticator that opened a login still exists. A login by claim has none. */
export async function stillHasAuthenticator(
  needs: LoginServices,
  id: AuthenticatorId | null,
): Promise<boolean> {
  return id === null || (await needs.store.authenticators.find(id)) !== null;
}
