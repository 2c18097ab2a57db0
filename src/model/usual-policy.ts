/** The id of the policy `default`, which cannot be deleted. */
export const usualPolicyId = 'default';

/**
 * The rules of members that are not sent, and of the policy `default` in a new database, which also allows passkeys.
 * Imports nothing, because the console uses it too.
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
    passkey: {
      allowed: false,
      userVerification: 'required' as const,
      satisfiesSecondary: false,
      allowedAuthenticators: [],
    },
  },
  secondary: { requireTotp: false, requireExtJwt: null, requirePasskey: false },
  assignTo: [],
  requireDpop: false,
};
