// THE rule of what is still to be proven. OIDC login, legacy login and every API call ask here and nowhere else.

import type { Account } from '../model/account.ts';
import type { AuthPolicy, PasswordPolicy } from '../model/entities/auth-policy.ts';
import type { Factor, ProvenFactors } from '../model/login.ts';
import type { Millis } from '../platform/clock.ts';

/** What decides, in addition to the policy, which factors an identity needs. */
export interface AskedOf {
  /** Whether an authenticator app is enrolled. */
  readonly isEnrolled: boolean;
  /** The rules of the new password that a login with the current one must choose; null: it may stay. */
  readonly newPassword: PasswordPolicy | null;
}

/**
 * The secondary factors that the policy requires and `proven` lacks: TOTP first, then the external JWT. TOTP is
 * required when the policy says so or the identity has enrolled it (spec 3.2). A new password comes last: somebody who
 * only knows the old one must not replace it. Empty means fully authenticated.
 */
export function outstandingFactors(
  policy: Pick<AuthPolicy, 'secondary'>,
  { isEnrolled, newPassword }: AskedOf,
  proven: ProvenFactors,
): readonly Factor[] {
  const outstanding: Factor[] = [];
  if ((policy.secondary.requireTotp || isEnrolled) && !proven.includes('totp')) {
    outstanding.push({ type: 'totp', isEnrolled });
  }
  const signerId = policy.secondary.requireExtJwt;
  if (signerId !== null && !proven.includes(`ejs:${signerId}`)) {
    outstanding.push({ type: 'ext-jwt', signerId });
  }
  // Only for a login by password. Other methods are not affected.
  if (newPassword !== null && proven[0] === 'password') {
    outstanding.push({ type: 'password-change', rules: newPassword });
  }
  return outstanding;
}

/** What open sessions are asked for: enrolling an app and replacing an old password wait for the next login. */
export const askedOfSessions: AskedOf = { isEnrolled: false, newPassword: null };

/** What somebody who logs in now is asked for. */
export function askedOfLogin(account: Account, now: Millis): AskedOf {
  return { isEnrolled: account.isTotpEnrolled, newPassword: newPasswordRules(account, now) };
}

/**
 * The rules of the new password that somebody has to choose, because an administrator said so or because the policy
 * finds the current one too old. Null when there is no need, or no password.
 */
function newPasswordRules({ identity, policy, password }: Account, now: Millis): PasswordPolicy | null {
  if (password === null) return null;
  const { updb } = policy.primary;
  const { mustChangeAfter = null } = updb;
  const isTooOld = mustChangeAfter !== null && password.setAt + mustChangeAfter <= now;
  return identity.passwordMustChange || isTooOld ? updb : null;
}

/** Factors that a login adds. The others are proven with what the identity has already. */
const isAdded: Readonly<Record<Factor['type'], boolean>> = {
  totp: true,
  'password-change': true,
  'ext-jwt': false,
};

/**
 * Whether an authenticator app may be added now: not before every other factor that can be proven has been, or a stolen
 * password would be enough to add the factor that makes up for it. Asked when an enrollment begins and when it ends.
 */
export function mayAddTotp(outstanding: readonly Factor[]): boolean {
  return outstanding.every(({ type }) => isAdded[type]);
}
