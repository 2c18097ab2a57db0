// TOTP in a login: a code, the enrollment that the policy asks for, and a new app in place of one that was lost.

import { AuthError } from '../../errors/auth-error.ts';
import { mayAddFactor } from '../../login/outstanding-factors.ts';
import { readRecoveryCode, verifyTotp } from '../../login/totp/totp.ts';
import {
  pendingTotpEnrollment,
  startTotpEnrollment,
  type TotpProvisioning,
  verifyTotpEnrollment,
} from '../../login/totp/totp-enrollment.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { Factor } from '../../model/login.ts';
import type { TotpProof } from '../../store/contracts/totp.ts';
import type { OidcServices } from '../services.ts';
import { anotherFirst, factorPassed, loginInProgress } from './login-flow.ts';
import { isNewAppOffered, type LoginStep, outstandingFor, requireStillAllowed } from './next-step.ts';
import { authRequestMaxLifetime } from './open-auth-request.ts';

/**
 * Takes a TOTP or recovery code.
 * @param sent.wantsNewApp the person wants to set up the app anew, which a recovery code makes possible
 * @throws AuthError auth_request_unknown   no primary login on this request
 * @throws AuthError invalid_totp_code, rate_limited
 */
export async function submitTotp(
  needs: OidcServices,
  authRequest: AuthRequest,
  { wantsNewApp, ...sent }: SentCode & { wantsNewApp: boolean },
): Promise<LoginStep> {
  const login = await loginInProgress(needs, authRequest);
  const { identityId } = login.progress;
  const { code, origin } = sent;
  await verifyTotp(needs, { ...sent, identityId, mechanism });
  needs.audit.record({ event: 'login.passed', method: 'totp', identityId }, origin);
  const offersNewApp = wantsNewApp && readRecoveryCode(code) !== undefined;
  return factorPassed(needs, login, { factors: ['totp'], origin, offersNewApp });
}

const mechanism = 'oidc';

interface SentCode {
  readonly code: string;
  readonly origin: RequestOrigin;
}

/**
 * Starts a TOTP enrollment during the login, which stays open meanwhile. To replace an app, it takes another code than
 * the one that opened the login, as it does on the account page: a thief of one code must not keep the account.
 * @param sent.code only for a new app in place of another one
 * @throws AuthError auth_request_unknown, mfa_exists
 * @throws AuthError invalid_totp_code, rate_limited   as verifyTotp
 * @throws AuthError invalid_auth   the login is no longer allowed
 * @throws AuthError conflict       this identity is not asked for TOTP, or not before another factor
 */
export async function enrollTotp(
  needs: OidcServices,
  authRequest: AuthRequest,
  sent: SentCode,
): Promise<TotpProvisioning> {
  const { key } = authRequest;
  const { progress } = await loginInProgress(needs, authRequest);
  const { identity, ...account } = await requireStillAllowed(needs, progress, sent.origin);
  const outstanding = outstandingFor(needs, { identity, ...account }, progress);
  let replaces: TotpProof | undefined;
  if (isNewAppOffered(progress, outstanding)) {
    // Before the code is used up, which a reload would send again.
    if ((await pendingTotpEnrollment(needs, key, identity)) !== null) throw new AuthError('mfa_exists');
    replaces = await verifyTotp(needs, { ...sent, identityId: identity.id, mechanism });
  } else requireAskedFor(outstanding);
  const expiresAt = authRequest.createdAt + authRequestMaxLifetime;
  const provisioning = await startTotpEnrollment(needs, key, { identity, expiresAt, replaces });
  await needs.store.authRequests.extend(key, expiresAt);
  return provisioning;
}

/** @throws AuthError mfa_exists, conflict */
function requireAskedFor(outstanding: readonly Factor[]): void {
  const totp = outstanding.find((factor) => factor.type === 'totp');
  if (totp?.isEnrolled) throw new AuthError('mfa_exists');
  if (totp === undefined)
    throw new AuthError('conflict', { description: 'No policy asks for a TOTP enrollment in this login' });
  if (!mayAddFactor('totp', outstanding)) throw anotherFirst();
}

/**
 * The new app that was begun in place of another one, which may be shown again: everything is proven in this login.
 * @returns null when none was begun
 * @throws AuthError auth_request_unknown
 */
export async function begunReplacement(
  needs: OidcServices,
  authRequest: AuthRequest,
): Promise<TotpProvisioning | null> {
  const { progress } = await loginInProgress(needs, authRequest);
  const account = await needs.store.identities.findAccount(progress.identityId);
  if (account === null || !isNewAppOffered(progress, outstandingFor(needs, account, progress))) return null;
  return pendingTotpEnrollment(needs, authRequest.key, account.identity);
}

/**
 * Completes the enrollment with the first code, which counts as this login's TOTP. An enrollment outlives the login, so
 * a person who may no longer log in must not complete one.
 * @throws AuthError auth_request_unknown, not_found, invalid_totp_code
 * @throws AuthError invalid_auth   the login is no longer allowed
 * @throws AuthError conflict       another factor has to be given first
 */
export async function verifyEnrolledTotp(
  needs: OidcServices,
  authRequest: AuthRequest,
  { code, origin }: SentCode,
): Promise<LoginStep> {
  const login = await loginInProgress(needs, authRequest);
  const { identityId } = login.progress;
  const account = await requireStillAllowed(needs, login.progress, origin);
  const outstanding = outstandingFor(needs, account, login.progress);
  const replaces = isNewAppOffered(login.progress, outstanding);
  if (!mayAddFactor('totp', outstanding)) throw anotherFirst();
  const flow = authRequest.key;
  await verifyTotpEnrollment(needs, { flow, identityId, code, mechanism, origin, replaces });
  if (replaces) needs.audit.record({ event: 'totp.removed', identityId }, origin);
  needs.audit.record({ event: 'totp.enrolled', identityId }, origin);
  return factorPassed(needs, login, { factors: ['totp'], origin, offersNewApp: false });
}

/**
 * Abandons the enrollment that this login started.
 * @returns the next step when it was to replace another app, whether it was started or not; otherwise null
 * @throws AuthError auth_request_unknown, not_found
 */
export async function abandonTotpEnrollment(
  needs: OidcServices,
  authRequest: AuthRequest,
  origin: RequestOrigin,
): Promise<LoginStep | null> {
  const login = await loginInProgress(needs, authRequest);
  const wasStarted = await needs.store.totp.abandon(authRequest.key);
  if (login.progress.offersNewApp) return factorPassed(needs, login, { origin, offersNewApp: false });
  if (!wasStarted) throw new AuthError('not_found');
  return null;
}
