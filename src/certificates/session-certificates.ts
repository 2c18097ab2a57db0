// Certificates that stand for one API session: with one of them a client proves over TLS that a call belongs to the
// session, on connections without the certificate that opened the session.

import { AuthError } from '../errors/auth-error.ts';
import type { ApiSession } from '../model/api-session.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import { type ApiSessionId, asId, type SessionCertificateId } from '../model/ids.ts';
import type { OwnCall } from '../model/principal.ts';
import { type SessionCertificate, sessionSpiffeId } from '../model/session-certificate.ts';
import { type Clock, HOUR, type Millis } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { SessionCertificateStore } from '../store/contracts/session-certificates.ts';
import type { ClientCertificateIssuer, RequestedKey } from './client-certificate-issuer.ts';

export interface SessionCertificateNeeds {
  readonly store: { readonly sessionCertificates: SessionCertificateStore };
  readonly certificateIssuer: ClientCertificateIssuer;
  /** Of the SPIFFE ids in the certificates; a host name. */
  readonly trustDomain: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditTrail;
}

export interface IssuedSessionCertificate extends SessionCertificate {
  /** PEM, the certificate first, then its intermediates. */
  readonly chainPem: string;
}

/** Of one that a session asks for without a refresh. It ends with the session all the same. */
export const sessionCertificateLifetime: Millis = 12 * HOUR;

/** A client that asks with every refresh has a few overlapping ones; beyond that the oldest go. */
const mostOfOneSession = 8;

/**
 * Issues a certificate for a session.
 * @throws AuthError unauthorized   the session has ended
 * @throws AuthError csr_not_acceptable, unavailable   as the issuer
 */
export async function certifySession(
  needs: SessionCertificateNeeds,
  { identityId, id: sessionId }: Pick<ApiSession, 'id' | 'identityId'>,
  wanted: { readonly key: RequestedKey; readonly lifetime: Millis; readonly origin: RequestOrigin },
): Promise<IssuedSessionCertificate> {
  const { key, lifetime, origin } = wanted;
  const id = asId<SessionCertificateId>(needs.random.id());
  const { trustDomain } = needs;
  const uris = [sessionSpiffeId({ trustDomain, identityId, sessionId, certificateId: id })];
  const issued = await needs.certificateIssuer.issue({ key, identityId, uris, lifetime });
  const { certPem, chainPem, thumbprint, notAfter: expiresAt } = issued;
  const certificate = { id, sessionId, certPem, thumbprint, createdAt: needs.clock.now(), expiresAt };
  if (!(await needs.store.sessionCertificates.add(certificate, mostOfOneSession)))
    throw new AuthError('unauthorized', { detail: `session ${sessionId} has ended` });
  needs.audit.record({ event: 'session.certified', identityId, sessionId, thumbprint }, origin);
  return { ...certificate, chainPem };
}

/** A certificate that is still valid. @throws AuthError not_found   also for one of another session */
export async function getSessionCertificate(
  needs: Pick<SessionCertificateNeeds, 'store' | 'clock'>,
  sessionId: ApiSessionId,
  id: string,
): Promise<SessionCertificate> {
  const certificates = await needs.store.sessionCertificates.listOf(sessionId, needs.clock.now());
  const certificate = certificates.find((each) => each.id === id);
  if (certificate === undefined) throw new AuthError('not_found');
  return certificate;
}

/** From the next call on, it grants no access. @throws AuthError not_found   also for one of another session */
export async function revokeSessionCertificate(
  needs: Pick<SessionCertificateNeeds, 'store' | 'clock' | 'audit'>,
  id: string,
  { caller: { apiSessionId: sessionId, identityId }, origin }: OwnCall,
): Promise<void> {
  const certificateId = asId<SessionCertificateId>(id);
  if (!(await needs.store.sessionCertificates.revoke(sessionId, certificateId, needs.clock.now())))
    throw new AuthError('not_found');
  const event = { event: 'session.certificate-revoked', identityId, sessionId, certificateId } as const;
  needs.audit.record(event, origin);
}
