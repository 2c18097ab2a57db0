// THE rule of what is still to be proven. OIDC login, legacy login and every API call ask here and nowhere else.

import type { AuthPolicy } from '../model/auth-policy.ts';
import type { Factor, PassedMethod } from '../model/login.ts';

/**
 * The secondary factors that the policy asks for and that `passed` does not hold, TOTP first.
 * TOTP is required when the policy says so or when the identity has enrolled it (spec 3.2).
 * Empty means fully authenticated.
 */
export function outstandingFactors(
  policy: Pick<AuthPolicy, 'secondary'>,
  totp: { readonly isEnrolled: boolean },
  passed: readonly PassedMethod[],
): readonly Factor[] {
  const outstanding: Factor[] = [];
  if ((policy.secondary.requireTotp || totp.isEnrolled) && !passed.includes('totp')) {
    outstanding.push({ type: 'totp', isEnrolled: totp.isEnrolled });
  }
  const signerId = policy.secondary.requireExtJwt;
  if (signerId !== null && !passed.includes(`ejs:${signerId}`)) {
    outstanding.push({ type: 'ext-jwt', signerId });
  }
  return outstanding;
}
