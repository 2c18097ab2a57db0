import { acceptableExternalId } from '../admin/acceptable-values.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import type { NewCertificateAuthenticator } from '../store/contracts/authenticators.ts';
import type { NewIdentity } from '../store/contracts/identities.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { type EnrollmentServices, recordedRefusal, refusal } from './enroll-attempt.ts';

/**
 * An external id that somebody sent. It must follow the same rules as one that an administrator sets.
 * @throws AuthError could_not_validate
 */
export function requireExternalId(externalId: string, attempt: AttemptRecorder): string {
  try {
    acceptableExternalId(externalId);
    return externalId;
  } catch (error) {
    throw recordedRefusal(attempt, { check: 'external id', reason: 'enrollment-external-id-refused' }, error);
  }
}

/**
 * Creates the identity of somebody who enrolls without a token.
 * @throws AuthError already_enrolled         the certificate or external id belongs to an identity
 * @throws AuthError enrollment_not_allowed   the name is taken, or passes for one that is
 */
export async function enrollNewIdentity(
  needs: EnrollmentServices,
  {
    identity,
    certificate,
  }: { readonly identity: NewIdentity; readonly certificate: NewCertificateAuthenticator | null },
  attempt: AttemptRecorder,
): Promise<void> {
  try {
    await needs.store.enrollments.enroll(identity, certificate, needs.clock.now());
  } catch (error) {
    if (!(error instanceof AlreadyTaken)) throw error;
    if (error.field === 'name') {
      const saw = `${identity.name} ${error.passesFor === null ? 'is taken' : `passes for ${error.passesFor}`}`;
      const why = { check: 'name', reason: 'enrollment-name-refused', saw } as const;
      throw refusal(attempt, why, {
        code: 'enrollment_not_allowed',
        description: `The name ${JSON.stringify(identity.name)} is already taken; ask the operator`,
      });
    }
    const why = { check: 'not enrolled yet', reason: 'already-enrolled', saw: error.message } as const;
    throw refusal(attempt, why, { code: 'already_enrolled' });
  }
  attempt.about({ subject: identity.name });
  attempt.passed('identity created', identity.name);
}
