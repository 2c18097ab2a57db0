// THE rule of what is still to be proven. OIDC login, legacy login and every API call ask here and nowhere else.

import type { Account } from '../model/account.ts';
import type { AuthPolicy, PasswordPolicy } from '../model/auth-policy.ts';
import type { Factor, PassedMethod } from '../model/login.ts';
import type { Millis } from '../platform/clock.ts';

/** What decides, besides the policy, which factors an identity needs. */
export interface AskedOf {
  /** An authenticator app. */
  readonly isEnrolled: boolean;
  /** The rules of the new password that a login with the present one must choose; null: it may stay. */
  readonly newPassword: PasswordPolicy | null;
}

/**
 * The secondary factors that the policy requires and that `passed` lacks, TOTP first, then the external JWT.
 * TOTP is required when the policy says so or when the identity has enrolled it (spec 3.2). A new password comes last:
 * whoever only knows the old one must not replace it.
 * Empty means fully authenticated.
 */
export function outstandingFactors(
  policy: Pick<AuthPolicy, 'secondary'>,
  { isEnrolled, newPassword }: AskedOf,
  passed: readonly PassedMethod[],
): readonly Factor[] {
  const outstanding: Factor[] = [];
  if ((policy.secondary.requireTotp || isEnrolled) && !passed.includes('totp')) {
    outstanding.push({ type: 'totp', isEnrolled });
  }
  const signerId = policy.secondary.requireExtJwt;
  if (signerId !== null && !passed.includes(`ejs:${signerId}`)) {
    outstanding.push({ type: 'ext-jwt', signerId });
  }
  // Only for a login by password; other methods are not affected.
  if (newPassword !== null && passed[0] === 'password') {
    outstanding.push({ type: 'password-change', rules: newPassword });
  }
  return outstanding;
}

/** What is asked of sessions that are open: enrolling an app and a password that is too old wait for the next login. */
export const askedOfSessions: AskedOf = { isEnrolled: false, newPassword: null };

/** What is asked of somebody who logs in now. */
export function askedOfLogin(account: Account, now: Millis): AskedOf {
  return { isEnrolled: account.isTotpEnrolled, newPassword: newPasswordRules(account, now) };
}

/**
 * The rules of the new password that somebody has to choose: because an administrator said so, or because the policy finds
 * the present one too old. Null when there is no need, or no password.
 */
function newPasswordRules({ identity, policy, passwordSetAt }: Account, now: Millis): PasswordPolicy | null {
  if (passwordSetAt === null) return null;
  const { updb } = policy.primary;
  const { mustChangeAfter = null } = updb;
  const isTooOld = mustChangeAfter !== null && passwordSetAt + mustChangeAfter <= now;
  return identity.passwordMustChange || isTooOld ? updb : null;
}
