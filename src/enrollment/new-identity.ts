import {
  acceptableEmail,
  acceptableExternalId,
  acceptableRoleAttributes,
} from '../admin/acceptable-values.ts';
import { AuthError } from '../errors/auth-error.ts';
import { selectClaim } from '../login/external-jwt/claims-selector.ts';
import type { ValidExternalJwt } from '../login/external-jwt/external-jwt-verdict.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { Voucher } from '../model/login.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import { typedName } from '../model/names.ts';
import type { AttemptLimit } from '../store/contracts/attempts.ts';
import type { NewCertificateAuthenticator } from '../store/contracts/authenticators.ts';
import type { NewIdentity } from '../store/contracts/identities.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { byRule, type EnrollmentServices, refusal } from './enroll-attempt.ts';

/**
 * An external id from a client. It must follow the same rules as one that an administrator sets.
 * @throws AuthError could_not_validate
 */
export function requireExternalId(externalId: string, attempt: AttemptRecorder): string {
  const why = { check: 'external id', reason: 'enrollment-external-id-refused' } as const;
  byRule(attempt, why, () => acceptableExternalId(externalId));
  return externalId;
}

/**
 * Creates the identity of a person who enrolls without a token.
 * @throws AuthError already_enrolled         the certificate or external id belongs to an identity
 * @throws AuthError enrollment_not_allowed   the name is taken, or passes for one that is
 * @throws AuthError invalid_auth             the signer or authority was changed meanwhile
 * @throws AuthError rate_limited             the limit was reached before
 */
export async function enrollNewIdentity(
  needs: EnrollmentServices,
  {
    identity,
    ...more
  }: {
    identity: NewIdentity;
    voucher: Voucher;
    certificate: NewCertificateAuthenticator | null;
    limit?: AttemptLimit;
  },
  attempt: AttemptRecorder,
): Promise<void> {
  try {
    const outcome = await needs.store.enrollments.enroll(identity, more, needs.clock.now());
    if (outcome === 'changed')
      throw refusal(attempt, { check: 'unchanged', reason: 'changed-meanwhile', code: 'invalid_auth' });
    if (outcome === 'full')
      throw refusal(attempt, { check: 'new identity', reason: 'too-many-newcomers', code: 'rate_limited' });
  } catch (error) {
    if (!(error instanceof AlreadyTaken)) throw error;
    if (error.field === 'name') {
      const saw = `${identity.name} ${error.passesFor === null ? 'is taken' : `passes for ${error.passesFor}`}`;
      const why = { check: 'name', reason: 'enrollment-name-refused', saw } as const;
      const description = `The name ${JSON.stringify(identity.name)} is already taken; ask the operator`;
      throw refusal(attempt, { ...why, code: 'enrollment_not_allowed', description });
    }
    const why = { check: 'not enrolled yet', reason: 'already-enrolled', saw: error.message } as const;
    throw refusal(attempt, { ...why, code: 'already_enrolled' });
  }
  attempt.about({ subject: identity.name });
  attempt.passed('identity created', identity.name);
}

/**
 * The role attributes of a person, from the value of a claim: of its texts those that the signer lets people have.
 * @throws AuthError could_not_validate
 */
export function roleAttributesSaidBy(
  { createIdentities }: ValidExternalJwt['signer'],
  value: unknown,
): Identity['roleAttributes'] {
  const allowed = createIdentities?.allowedRoleAttributes;
  const texts = [value].flat().filter((each) => typeof each === 'string');
  const kept = texts.filter((each) => allowed?.includes(typedName(each)) ?? true);
  return acceptableRoleAttributes(kept, 'roleAttributes');
}

/**
 * The email address of a person, from a claim of their token. A value that is no address, or that the provider does not
 * vouch for, is left out: a login does not need one.
 * @param selector null: there is no such claim
 */
export function emailSaidBy(
  { signer, claims }: Pick<ValidExternalJwt, 'signer' | 'claims'>,
  selector: string | null,
): Pick<Identity, 'email' | 'emailVerified'> {
  const none = { email: null, emailVerified: false };
  const { value, isVouchedFor, emailVerified } = selectClaim(claims, selector ?? '', signer);
  if (typeof value !== 'string' || !isVouchedFor) return none;
  try {
    const email = acceptableEmail(value);
    return { email, emailVerified: email !== null && String(emailVerified) === 'true' };
  } catch (error) {
    if (error instanceof AuthError) return none;
    throw error;
  }
}
