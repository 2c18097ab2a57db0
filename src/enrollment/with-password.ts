// `updb`: the person chooses the password; the enrollment has the user name.

import { acceptableUsername } from '../admin/acceptable-values.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import { type AuthenticatorId, asId } from '../model/ids.ts';
import { usernameKey } from '../model/names.ts';
import {
  attemptToEnroll,
  type Enrolled,
  type EnrollmentServices,
  hashChosen,
  refusal,
} from './enroll-attempt.ts';
import { openEnrollment, redeemEnrollment } from './open-enrollment.ts';

/**
 * Enrolls the identity of a token with a password.
 * @param chosen user name: optional, and only the one of the enrollment
 * @throws AuthError password_not_acceptable, could_not_validate (user name)   the token keeps working
 * @throws AuthError as openEnrollment and redeemEnrollment
 */
export function enrollWithPassword(
  needs: EnrollmentServices,
  { token, ...chosen }: { token: string; username: string | undefined; password: string },
  origin: RequestOrigin,
): Promise<Enrolled> {
  return attemptToEnroll(needs, { method: 'updb', origin }, async (attempt) => {
    const open = await openEnrollment(needs, { token, method: 'updb' }, attempt);
    const { enrollment, identity, policy } = open;
    const named = acceptableUsername(enrollment.username ?? '');
    const { username } = named;
    if (chosen.username !== undefined && usernameKey(chosen.username.trim()) !== named.usernameKey) {
      const saw = `must be ${username}`;
      const reason = 'is not the user name of this enrollment';
      const fields = [{ field: 'username', reason, value: chosen.username.slice(0, 100) }];
      const why = { check: 'user name', reason: 'enrollment-password-refused', saw } as const;
      throw refusal(attempt, { ...why, code: 'could_not_validate', fields });
    }
    const passwordHash = await hashChosen(
      needs,
      { ...chosen, username, origin },
      { identity, policy, attempt },
    );
    const id = asId<AuthenticatorId>(needs.random.id());
    const password = { id, identityId: identity.id, ...named, passwordHash, tags: {} };
    const enrolled = await redeemEnrollment(
      needs,
      { open, authenticator: { method: 'updb', ...password }, certificateChain: null },
      attempt,
    );
    return { ...enrolled, username };
  });
}
