import { AuthError } from '../../errors/auth-error.ts';
import type { PasswordPolicy } from '../../model/entities/auth-policy.ts';
import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import type { PasswordHasher } from '../services.ts';
import { checkNewPassword } from './password-rules.ts';

/**
 * The hash of a new password that the policy accepts.
 * @param ownNames as for checkNewPassword
 * @param source   as for PasswordHasher
 * @throws AuthError password_not_acceptable   with every reason
 */
export async function hashNewPassword(
  needs: { readonly hasher: PasswordHasher },
  password: string,
  {
    policy,
    ownNames,
    source,
  }: { readonly policy: PasswordPolicy; readonly ownNames: readonly string[]; readonly source: string },
): Promise<string> {
  checkNewPassword(password, policy, ownNames);
  try {
    return await needs.hasher.hash(password, source);
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw new AuthError('password_not_acceptable', { fields: [{ field: 'password', reason: error.reason }] });
  }
}
