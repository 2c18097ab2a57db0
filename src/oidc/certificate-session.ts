import { AuthError } from '../errors/auth-error.ts';
import { type CertificateLoginNeeds, verifyCertificate } from '../login/certificate/certificate.ts';
import type { ApiSession } from '../model/api-session.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { AttemptLog } from '../model/login-attempt.ts';

/** What the connection proved and brought; the chain is DER, the leaf first. */
export interface ClientCertificates {
  /** SHA-256 of the leaf, base64url. */
  readonly leafThumbprint: string;
  readonly chain: readonly Buffer[];
}

export interface CertificateSessionNeeds extends CertificateLoginNeeds {
  readonly attempts: AttemptLog;
  readonly audit: AuditTrail;
}

/**
 * Judges the certificate of a session that a certificate opened as at a new login: authorities, policy, identity and
 * validity as they are now. Nothing is used up. What else is wrong with a refresh, another certificate included, is
 * the store's to refuse.
 * @throws AuthError invalid_grant   the certificate would no longer log in the identity of the session
 */
export async function requireCertificateStillGood(
  needs: CertificateSessionNeeds,
  session: ApiSession,
  { leafThumbprint, chain }: ClientCertificates,
  origin: RequestOrigin,
): Promise<void> {
  if (session.certThumbprint !== leafThumbprint) return;
  const attempt = needs.attempts.begin('cert', session.mechanism, origin);
  const verdict = await verifyCertificate(needs, chain, attempt);
  if (verdict.verdict === 'passed') {
    if (verdict.account.identity.id === session.identityId) return;
    attempt.failed(
      'identity',
      'changed-meanwhile',
      'the certificate belongs to another identity than before',
    );
  }
  // Refreshes that pass leave no record: they are no logins.
  attempt.conclude();
  const { id: sessionId, clientId } = session;
  needs.audit.record({ event: 'refresh.refused', reason: 'certificate', sessionId, clientId }, origin);
  throw new AuthError('invalid_grant', { detail: 'the certificate of the session would no longer log in' });
}
