// THE rule of outstanding factors. OIDC login, legacy login and every API call ask here and nowhere else.

import { type Account, lacksVerification, mayPasskeyOpen } from '../model/account.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import type { Factor, NewPassword, PassedMethod, ProvenFactors } from '../model/login.ts';
import type { Millis } from '../platform/clock.ts';

/** The facts that decide, in addition to the policy, which factors an identity needs. */
export interface AskedOf {
  /** Whether an authenticator app is enrolled. */
  readonly isEnrolled: boolean;
  readonly hasPasskey: boolean;
  /** The new password that a login with the current one must choose; null: it may stay. */
  readonly newPassword: NewPassword | null;
}

/**
 * The secondary factors that the policy requires and `proven` lacks: TOTP first, then the external JWT. TOTP is
 * required when the policy says so or the identity has enrolled it (spec 3.2); a passkey that has opened the login and
 * knew its owner stands for TOTP and for another passkey where the policy says so. A new password comes last: a person
 * who only knows the old one must not replace it. Empty means fully authenticated.
 */
export function outstandingFactors(
  { primary, secondary }: Pick<AuthPolicy, 'primary' | 'secondary'>,
  { isEnrolled, hasPasskey, newPassword }: AskedOf,
  proven: ProvenFactors,
): readonly Factor[] {
  const outstanding: Factor[] = [];
  const isTwofold = primary.passkey.satisfiesSecondary && proven.includes('uv');
  if ((secondary.requireTotp || isEnrolled) && !isTwofold && !proven.includes('totp'))
    outstanding.push({ type: 'totp', isEnrolled });
  const isPasskeyProven =
    proven.some((method) => method.startsWith('passkey:')) &&
    !lacksVerification({ primary }, 'second', proven);
  if (secondary.requirePasskey && !isTwofold && !isPasskeyProven)
    outstanding.push({ type: 'passkey', isEnrolled: hasPasskey });
  const signerId = secondary.requireExtJwt;
  if (signerId !== null && !proven.includes(`ejs:${signerId}`))
    outstanding.push({ type: 'ext-jwt', signerId });
  // Only for a login by password. Other methods are not affected.
  if (newPassword !== null && proven[0] === 'password')
    outstanding.push({ type: 'password-change', ...newPassword });
  return outstanding;
}

/** For open sessions: enrolling an app and replacing an old password wait for the next login. */
export const askedOfSessions: AskedOf = { isEnrolled: false, hasPasskey: true, newPassword: null };

/** The same facts for a login that happens now. */
export function askedOfLogin(account: Account, now: Millis): AskedOf {
  const { isTotpEnrolled, hasPasskey } = account;
  return { isEnrolled: isTotpEnrolled, hasPasskey, newPassword: newPasswordOf(account, now) };
}

/**
 * The new password that the person must choose, because an administrator demands it or because the policy
 * finds the current one too old. Null when there is no need, or no password.
 */
function newPasswordOf({ identity, policy, password }: Account, now: Millis): NewPassword | null {
  if (password === null) return null;
  const { updb } = policy.primary;
  const { mustChangeAfter = null } = updb;
  const isTooOld = mustChangeAfter !== null && password.setAt + mustChangeAfter <= now;
  return identity.passwordMustChange || isTooOld ? { rules: updb, username: password.username } : null;
}

/**
 * Whether an authenticator app or a passkey may be added now: not before every other factor that can be proven has been,
 * or a stolen password would be enough to add the factor that makes up for it. Asked when it begins and when it ends.
 */
export function mayAddFactor(added: 'totp' | 'passkey', outstanding: readonly Factor[]): boolean {
  return outstanding.every(
    (factor) => factor.type === added || factor.type === 'password-change' || isMissing(factor),
  );
}

/** Whether the identity has nothing yet with which it could prove the factor. */
export function isMissing(factor: Factor): boolean {
  return 'isEnrolled' in factor && !factor.isEnrolled;
}

const nothing = [] as readonly PassedMethod[] as ProvenFactors;

/**
 * Whether a passkey that is added now would stand for a factor that the identity has and that was not proven: where a
 * passkey is both factors, it would take the place of the authenticator app, or of another passkey.
 * @param proven by the session that adds it; of the holder of a link: nothing
 */
export function wouldPasskeyReplace(account: Account, now: Millis, proven = nothing): boolean {
  const { policy } = account;
  if (!mayPasskeyOpen(policy) || !policy.primary.passkey.satisfiesSecondary) return false;
  const outstanding = outstandingFactors(policy, askedOfLogin(account, now), proven);
  return outstanding.some((factor) => 'isEnrolled' in factor && factor.isEnrolled);
}
