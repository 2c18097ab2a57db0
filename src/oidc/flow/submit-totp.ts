// TOTP in a login: a code, and the enrollment that the policy asks for.

import { AuthError } from '../../errors/auth-error.ts';
import { recordedAttempt } from '../../login/noted-record.ts';
import { mayAddFactor } from '../../login/outstanding-factors.ts';
import { verifyTotp } from '../../login/totp/totp.ts';
import {
  startTotpEnrollment,
  type TotpProvisioning,
  verifyTotpEnrollment,
} from '../../login/totp/totp-enrollment.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { OidcServices } from '../services.ts';
import { anotherFirst, factorPassed, loginInProgress } from './login-flow.ts';
import { type LoginStep, outstandingFor, requireStillAllowed } from './next-step.ts';
import { authRequestMaxLifetime } from './open-auth-request.ts';

/**
 * Takes a TOTP or recovery code.
 * @throws AuthError auth_request_unknown   no primary login on this request
 * @throws AuthError invalid_totp_code, rate_limited
 */
export async function submitTotp(
  needs: OidcServices,
  authRequest: AuthRequest,
  { code, origin }: { code: string; origin: RequestOrigin },
): Promise<LoginStep> {
  const login = await loginInProgress(needs, authRequest);
  const { identityId } = login.progress;
  await recordedAttempt(needs, { step: 'totp', mechanism: 'oidc', origin }, (attempt) =>
    verifyTotp(needs, { identityId, code, ipAddress: origin.ipAddress }, attempt),
  );
  needs.audit.record({ event: 'login.passed', method: 'totp', identityId }, origin);
  return factorPassed(needs, login, { factor: 'totp', origin });
}

/**
 * Starts a TOTP enrollment during the login, which stays open meanwhile.
 * @throws AuthError auth_request_unknown, mfa_exists
 * @throws AuthError invalid_auth   the login is no longer allowed
 * @throws AuthError conflict       this identity is not asked for TOTP, or not before another factor
 */
export async function enrollTotp(
  needs: OidcServices,
  authRequest: AuthRequest,
  origin: RequestOrigin,
): Promise<TotpProvisioning> {
  const { progress } = await loginInProgress(needs, authRequest);
  const account = await requireStillAllowed(needs, progress, origin);
  const outstanding = outstandingFor(needs, account, progress);
  const totp = outstanding.find((factor) => factor.type === 'totp');
  if (totp?.isEnrolled) throw new AuthError('mfa_exists');
  if (totp === undefined)
    throw new AuthError('conflict', { description: 'No policy asks for a TOTP enrollment in this login' });
  if (!mayAddFactor('totp', outstanding)) throw anotherFirst();
  const expiresAt = authRequest.createdAt + authRequestMaxLifetime;
  const provisioning = await startTotpEnrollment(needs, authRequest.key, {
    identity: account.identity,
    expiresAt,
  });
  await needs.store.authRequests.extend(authRequest.key, expiresAt);
  return provisioning;
}

/**
 * Completes the enrollment with the first code, which counts as this login's TOTP. An enrollment outlives the login, so
 * somebody who may no longer log in must not complete one.
 * @throws AuthError auth_request_unknown, not_found, invalid_totp_code
 * @throws AuthError invalid_auth   the login is no longer allowed
 * @throws AuthError conflict       another factor has to be given first
 */
export async function verifyEnrolledTotp(
  needs: OidcServices,
  authRequest: AuthRequest,
  { code, origin }: { code: string; origin: RequestOrigin },
): Promise<LoginStep> {
  const login = await loginInProgress(needs, authRequest);
  const { identityId } = login.progress;
  const account = await requireStillAllowed(needs, login.progress, origin);
  if (!mayAddFactor('totp', outstandingFor(needs, account, login.progress))) throw anotherFirst();
  await recordedAttempt(needs, { step: 'totp', mechanism: 'oidc', origin }, (attempt) =>
    verifyTotpEnrollment(
      needs,
      { flow: authRequest.key, identityId, code, ipAddress: origin.ipAddress },
      attempt,
    ),
  );
  needs.audit.record({ event: 'totp.enrolled', identityId }, origin);
  return factorPassed(needs, login, { factor: 'totp', origin });
}

/** Abandons the enrollment that this login started. @throws AuthError auth_request_unknown, not_found */
export async function abandonTotpEnrollment(needs: OidcServices, authRequest: AuthRequest): Promise<void> {
  await loginInProgress(needs, authRequest);
  if (!(await needs.store.totp.abandon(authRequest.key))) throw new AuthError('not_found');
}
