import type { Millis } from '../platform/clock.ts';
import type { ApiSessionId, IdentityId, SessionCertificateId } from './ids.ts';

/**
 * A client certificate that this service issued for one API session. It proves only that session, as long as the
 * session lives; it cannot be used for a login.
 */
export interface SessionCertificate {
  readonly id: SessionCertificateId;
  readonly sessionId: ApiSessionId;
  readonly certPem: string;
  /** SHA-256 of the DER form, base64url. Unique. */
  readonly thumbprint: string;
  readonly createdAt: Millis;
  /** The end of the certificate. The row is deleted then, or with its session. */
  readonly expiresAt: Millis;
}

/**
 * The SPIFFE ids of a session certificate. The path says which session of which identity; several certificates of
 * one session differ in the last part.
 * @param trustDomain a host name in lower case
 */
export function sessionSpiffeId(of: {
  readonly trustDomain: string;
  readonly identityId: IdentityId;
  readonly sessionId: ApiSessionId;
  readonly certificateId: SessionCertificateId;
}): string {
  const { trustDomain, identityId, sessionId, certificateId } = of;
  return `spiffe://${trustDomain}/identity/${identityId}/apiSession/${sessionId}/apiSessionCertificate/${certificateId}`;
}
