// `updb`: the person chooses the password; the enrollment has the user name.

import { hashNewPassword } from '../login/password/new-password.ts';
import { usernameKey } from '../login/password/password.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import { type AuthenticatorId, asId } from '../model/ids.ts';
import type { EnrollmentServices } from './enroll-attempt.ts';
import { attemptToEnroll, type Enrolled, recordedRefusal, refusal } from './enroll-attempt.ts';
import { openEnrollment, redeemEnrollment } from './open-enrollment.ts';

/**
 * Enrolls the identity of a token with a password.
 * @param chosen user name: optional, and only the one of the enrollment
 * @throws AuthError password_not_acceptable, could_not_validate (user name)   the token keeps working
 * @throws AuthError as openEnrollment and redeemEnrollment
 */
export function enrollWithPassword(
  needs: EnrollmentServices,
  {
    token,
    ...chosen
  }: { readonly token: string; readonly username: string | undefined; readonly password: string },
  origin: RequestOrigin,
): Promise<Enrolled> {
  return attemptToEnroll(needs, { method: 'updb', origin }, async (attempt) => {
    const open = await openEnrollment(needs, { token, method: 'updb' }, attempt);
    const { enrollment, identity, policy } = open;
    const username = enrollment.username ?? '';
    const key = usernameKey(username) ?? '';
    if (chosen.username !== undefined && usernameKey(chosen.username.trim()) !== key) {
      const why = {
        check: 'user name',
        reason: 'enrollment-password-refused',
        saw: `must be ${username}`,
      } as const;
      throw refusal(attempt, why, {
        code: 'could_not_validate',
        fields: [
          {
            field: 'username',
            reason: 'is not the user name of this enrollment',
            value: chosen.username.slice(0, 100),
          },
        ],
      });
    }
    const ownNames = [username, identity.name];
    const passwordHash = await hashNewPassword(needs, chosen.password, {
      policy: policy.primary.updb,
      ownNames,
      source: origin.ipAddress,
    }).catch((error) => {
      throw recordedRefusal(attempt, { check: 'password', reason: 'enrollment-password-refused' }, error);
    });
    attempt.passed('password', `rules of policy ${policy.name}`);
    const id = asId<AuthenticatorId>(needs.random.id());
    const password = { id, identityId: identity.id, username, usernameKey: key, passwordHash, tags: {} };
    const enrolled = await redeemEnrollment(
      needs,
      { open, authenticator: { method: 'updb', ...password }, certificateChain: null },
      attempt,
    );
    return { ...enrolled, username };
  });
}
