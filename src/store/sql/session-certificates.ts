import type { SessionCertificate } from '../../model/session-certificate.ts';
import type { Millis } from '../../platform/clock.ts';
import type { SessionCertificateStore } from '../contracts/session-certificates.ts';
import { recordChange } from './changes.ts';
import { insert, reader, text } from './codec.ts';
import { concern } from './concern.ts';
import { all, first, type Intent } from './intent.ts';

export const sessionCertificates = concern<SessionCertificateStore>()({
  writes: {
    *add(certificate, most) {
      const { sessionId, createdAt: now } = certificate;
      const session = yield* first(
        'SELECT id FROM api_sessions WHERE id = ? AND ended_at IS NULL',
        sessionId,
      );
      if (session === undefined) return false;
      yield* insert('session_certificates', certificate);
      const sql = 'SELECT id FROM session_certificates WHERE session_id = ? ORDER BY id DESC';
      const rows = yield* all(sql, sessionId);
      for (const row of rows.slice(most)) yield* revokeSessionCertificate(sessionId, text(row, 'id'), now);
      return true;
    },
    revoke: revokeSessionCertificate,
  },
  methods: ({ find, all }) => ({
    listOf: (sessionId, now) => all(sessionCertificateOf, listSessionCertificatesSql, sessionId, now),
    findByThumbprint: (thumbprint) => find(sessionCertificateOf, findSessionCertificateSql, thumbprint),
  }),
});

const listSessionCertificatesSql =
  'SELECT * FROM session_certificates WHERE session_id = ? AND expires_at > ? ORDER BY id';

const findSessionCertificateSql = `SELECT session_certificates.* FROM session_certificates
  JOIN api_sessions ON api_sessions.id = session_certificates.session_id
  WHERE session_certificates.thumbprint = ? AND api_sessions.ended_at IS NULL`;

const sessionCertificateOf = reader<SessionCertificate>()(
  'id sessionId certPem thumbprint createdAt expiresAt',
);

function* revokeSessionCertificate(sessionId: string, id: string, now: Millis): Intent<boolean> {
  const sql = 'DELETE FROM session_certificates WHERE id = ? AND session_id = ? RETURNING thumbprint';
  const row = yield* first(sql, id, sessionId);
  if (row === undefined) return false;
  yield* recordChange('session-certificate', text(row, 'thumbprint'), now);
  return true;
}
