import type { PasswordPolicy } from '../../model/entities/auth-policy.ts';
import type { PasswordHasher } from '../services.ts';
import { checkNewPassword } from './password-rules.ts';

/**
 * The hash of a new password that the policy accepts.
 * @param ownNames as for checkNewPassword
 * @param source   as for PasswordHasher
 * @throws AuthError password_not_acceptable   with every reason
 */
export async function hashNewPassword(
  needs: { hasher: PasswordHasher },
  password: string,
  { policy, ownNames, source }: { policy: PasswordPolicy; ownNames: readonly string[]; source: string },
): Promise<string> {
  checkNewPassword(password, policy, ownNames);
  return needs.hasher.hash(password, source);
}
