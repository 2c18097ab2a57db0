import type { AuthPolicy } from '../../model/auth-policy.ts';

const primary: AuthPolicy['primary'] = {
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
};
const secondary: AuthPolicy['secondary'] = { requireTotp: false, requireExtJwt: null };

/** The policy that every identity has unless another one is named. */
export const seedDefaultPolicy = `INSERT INTO auth_policies
  (id, name, primary_rules, secondary_rules, tags, created_at, updated_at)
  VALUES ('default', 'Default', '${JSON.stringify(primary)}', '${JSON.stringify(secondary)}', '{}', 0, 0)`;
