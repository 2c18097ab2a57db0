import { AuthError } from '../errors/auth-error.ts';
import type { Account } from '../model/account.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { Credentials, LoginProgress } from '../model/login.ts';
import type { AttemptLog, AttemptRecorder, LoginAttempt } from '../model/login-attempt.ts';
import type { LoginAccount } from './account.ts';
import { type CertificateLoginNeeds, verifyCertificate } from './certificate/certificate.ts';
import { type ExternalJwtLoginNeeds, verifyPrimaryJwt } from './external-jwt/external-jwt.ts';
import { type PasswordLoginNeeds, verifyPassword } from './password/password.ts';
import type { PrimaryVerdict } from './primary-verdict.ts';
import type { ReservedGuess } from './reserved-guess.ts';
import { countRefusal, requireOpenSource } from './throttle.ts';

export interface PrimaryResult {
  readonly account: LoginAccount;
  readonly progress: LoginProgress;
  /** See `PrimaryVerdict.current`. */
  readonly current: Account | null;
  /** See `PrimaryVerdict.verifiedHash`. */
  readonly verifiedHash: string | null;
  /** Whoever records the login gives it back, and whoever gives the login up. */
  readonly reserved: ReservedGuess;
}

export interface PrimaryNeeds extends PasswordLoginNeeds, CertificateLoginNeeds, ExternalJwtLoginNeeds {
  readonly store: PasswordLoginNeeds['store'] &
    CertificateLoginNeeds['store'] &
    ExternalJwtLoginNeeds['store'];
  readonly audit: AuditTrail;
  readonly attempts: AttemptLog;
}

/**
 * Verifies primary credentials and says who it is. The progress is a fresh one: nothing that was proven before
 * is carried into it.
 * @throws AuthError invalid_auth   for every cause alike; the decision record has the reason
 * @throws AuthError rate_limited, busy
 */
export async function authenticatePrimary(
  needs: PrimaryNeeds,
  credentials: Credentials,
  origin: RequestOrigin,
  mechanism: LoginAttempt['mechanism'],
): Promise<PrimaryResult> {
  // Passwords reserve their guess instead.
  if (credentials.method !== 'password') await requireOpenSource(needs, origin.ipAddress);
  const attempt = needs.attempts.begin(credentials.method, mechanism, origin);
  const verdict = await verify(needs, credentials, attempt, origin);
  attempt.conclude();
  if (verdict.verdict === 'refused') {
    if (isPresentedProof(credentials)) await countRefusal(needs, origin.ipAddress);
    needs.audit.record({ event: 'login.refused', method: credentials.method }, origin);
    throw new AuthError('invalid_auth', { challenges: verdict.challenges ?? [] });
  }
  const { account, current, authenticatorId, certThumbprint, caId, usedToken, verifiedHash, reserved } =
    verdict;
  needs.audit.record(
    { event: 'login.passed', method: credentials.method, identityId: account.identity.id },
    origin,
  );
  return {
    account,
    current,
    verifiedHash,
    reserved,
    progress: {
      identityId: account.identity.id,
      authenticatorId,
      signerId: usedToken?.signerId ?? null,
      caId,
      passed: [credentials.method],
      authTime: needs.clock.now(),
      certThumbprint,
      ...(usedToken === null ? {} : { primaryProof: usedToken.proof }),
    },
  };
}

/** A certificate or token that had to be judged; without one there was nothing to do. */
function isPresentedProof(credentials: Credentials): boolean {
  switch (credentials.method) {
    case 'password':
      return false;
    case 'cert':
      return credentials.chain !== null;
    case 'ext-jwt':
      return credentials.tokens.length > 0;
  }
}

function verify(
  needs: PrimaryNeeds,
  credentials: Credentials,
  attempt: AttemptRecorder,
  origin: RequestOrigin,
): Promise<PrimaryVerdict> {
  switch (credentials.method) {
    case 'password':
      return verifyPassword(needs, credentials.username, credentials.password, attempt, origin.ipAddress);
    case 'cert':
      return verifyCertificate(needs, credentials.chain, attempt);
    case 'ext-jwt':
      return verifyPrimaryJwt(needs, credentials.tokens, attempt);
  }
}
