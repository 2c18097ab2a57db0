import type { ApiSessionId, SessionCertificateId } from '../../model/ids.ts';
import type { SessionCertificate } from '../../model/session-certificate.ts';
import type { Millis } from '../../platform/clock.ts';

export interface SessionCertificateStore {
  /**
   * Stores a certificate for a live session. Beyond `most` per session, the oldest are revoked.
   * @returns false when the session has ended; nothing is stored then
   */
  add(certificate: SessionCertificate, most: number): Promise<boolean>;
  /** The certificates of a session that have not expired, the oldest first. */
  listOf(sessionId: ApiSessionId, now: Millis): Promise<readonly SessionCertificate[]>;
  /** The certificate with this thumbprint; null also when its session has ended. */
  findByThumbprint(thumbprint: string): Promise<SessionCertificate | null>;
  /**
   * Revokes one certificate of a session from the next call on. Adds a change-feed entry.
   * @returns false when the session has none with this id
   */
  revoke(sessionId: ApiSessionId, id: SessionCertificateId, now: Millis): Promise<boolean>;
}
