import { AuthError } from '../../errors/auth-error.ts';
import type { OwnCall } from '../../model/principal.ts';
import type { LoginServices } from '../services.ts';
import { passwordOf, verifyPassword } from './password.ts';

/**
 * Makes a logged-in person prove their password: an abandoned or stolen session must not give away the account
 * (ASVS 6.2.3, 7.5.1). A wrong one is a failed login, in the same counter and with its own record.
 * @returns the stored hash that the password matched
 * @throws AuthError invalid_field   it is wrong, locked or not allowed, or there is none
 * @throws AuthError rate_limited, busy
 */
export async function proveCurrentPassword(
  needs: LoginServices,
  { caller: { mechanism, identityId }, origin }: OwnCall,
  currentPassword: string,
): Promise<string> {
  // No authenticator has the empty name.
  const { username } = (await passwordOf(needs.store.authenticators, identityId)) ?? { username: '' };
  const sent = { username, password: currentPassword, origin };
  const step = { step: 'password', mechanism, origin } as const;
  const verdict = await needs.attempts.decide(step, (attempt) => verifyPassword(needs, sent, attempt));
  if (verdict.verdict === 'passed') return verdict.proof.verifiedHash;
  needs.audit.record({ event: 'login.refused', method: 'password' }, origin);
  throw wrongCurrentPassword();
}

/** Not 401: the session is still valid, and a client that gets 401 discards it. */
export function wrongCurrentPassword(): AuthError {
  return new AuthError('invalid_field', {
    description: 'The current password is not right, or it is locked after too many failures',
    fields: [{ field: 'currentPassword', reason: 'is not right, or is locked after too many failures' }],
  });
}
