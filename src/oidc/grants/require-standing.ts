// A session is judged again at each refresh and exchange, and with it the certificate that opened it.

import { AuthError } from '../../errors/auth-error.ts';
import { type CertificateLoginNeeds, verifyCertificate } from '../../login/certificate/certificate.ts';
import { standingObjection } from '../../login/standing.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type { AuditTrail } from '../../model/audit-event.ts';
import type { AttemptLog } from '../../model/login-attempt.ts';
import type { SessionView } from '../../sessions/session-view.ts';
import { clientObjection } from '../clients.ts';
import type { GrantRequest } from './token-endpoint.ts';

export interface StandingNeeds extends CertificateLoginNeeds {
  readonly view: Pick<SessionView, 'accounts' | 'signers' | 'authorities'>;
  readonly attempts: AttemptLog;
  readonly audit: AuditTrail;
}

/**
 * Refuses to go on with a session that would not be opened today. Reads memory, and the store for a certificate; nothing
 * is used up. Whether the identity is enabled is the store's to decide, in the statement that rotates.
 * @throws AuthError invalid_grant
 */
export async function requireStanding(
  needs: StandingNeeds,
  session: ApiSession,
  request: Pick<GrantRequest, 'client' | 'clientCertificates' | 'origin'>,
): Promise<void> {
  const reason =
    (await certificateObjection(needs, session, request)) ?? (await objectionOf(needs, session, request));
  if (reason === null) return;
  const { id: sessionId, clientId } = session;
  needs.audit.record({ event: 'refresh.refused', reason, sessionId, clientId }, request.origin);
  throw new AuthError('invalid_grant', { detail: `refresh refused: ${reason}` });
}

async function objectionOf(
  needs: StandingNeeds,
  session: ApiSession,
  { client }: Pick<GrantRequest, 'client'>,
): Promise<string | null> {
  const account = await needs.view.accounts.find(session.identityId, needs.clock.now());
  if (account === null) return null;
  return clientObjection(client, account.identity) ?? standingObjection(needs.view, account, session);
}

/**
 * Judges the certificate of a session that a certificate opened as at a new login: authorities, policy, identity and
 * validity as they are now. What else is wrong with a refresh, another certificate included, is the store's to refuse.
 */
async function certificateObjection(
  needs: StandingNeeds,
  session: ApiSession,
  { clientCertificates, origin }: Pick<GrantRequest, 'clientCertificates' | 'origin'>,
): Promise<'certificate' | null> {
  if (clientCertificates === null || session.certThumbprint !== clientCertificates.leafThumbprint)
    return null;
  const attempt = needs.attempts.begin('cert', session.mechanism, origin);
  const verdict = await verifyCertificate(needs, clientCertificates.chain, attempt);
  if (verdict.verdict === 'passed') {
    if (verdict.account.identity.id === session.identityId) return null;
    const saw = 'the certificate belongs to another identity than before';
    attempt.failed('identity', 'changed-meanwhile', saw);
  }
  // Refreshes that pass leave no record: they are no logins.
  attempt.conclude();
  return 'certificate';
}
