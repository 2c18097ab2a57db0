import { AuthError } from '../errors/auth-error.ts';
import { type CertificateLoginNeeds, verifyCertificate } from '../login/certificate.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { ApiSessionId } from '../model/ids.ts';
import type { AttemptLog } from '../model/login-attempt.ts';
import type { ApiSessionStore } from '../store/contracts/api-sessions.ts';

/** What the connection proved and brought; the chain is DER, the leaf first. */
export interface ClientCertificates {
  /** SHA-256 of the leaf, base64url. */
  readonly leafThumbprint: string;
  readonly chain: readonly Buffer[];
}

export interface CertificateSessionNeeds extends CertificateLoginNeeds {
  readonly store: CertificateLoginNeeds['store'] & { readonly apiSessions: ApiSessionStore };
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
  sessionId: ApiSessionId,
  { leafThumbprint, chain }: ClientCertificates,
  clientId: string,
  origin: RequestOrigin,
): Promise<void> {
  const session = await needs.store.apiSessions.find(sessionId);
  if (session === null || session.certThumbprint !== leafThumbprint) return;
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
  needs.audit.record({ event: 'refresh.refused', reason: 'certificate', sessionId, clientId }, origin);
  throw new AuthError('invalid_grant', { detail: 'the certificate of the session would no longer log in' });
}
