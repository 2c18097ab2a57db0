/** The id of the policy `default`, which cannot be deleted. */
export const usualPolicyId = 'default';

/**
 * The rules of the policy `default` in a new database, and of members that are not sent. Imports nothing, because the
 * console uses it too.
 */
export const usualPolicy = {
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners: [] },
    updb: {
      allowed: true,
      minPasswordLength: 12,
      requireSpecialChar: false,
      requireNumberChar: false,
      requireMixedCase: false,
      maxAttempts: 10,
      lockoutDurationMinutes: 15,
    },
  },
  secondary: { requireTotp: false, requireExtJwt: null },
};
