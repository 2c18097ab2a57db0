import { asId } from '../../model/ids.ts';
import type { SessionCertificate } from '../../model/session-certificate.ts';
import type { Millis } from '../../platform/clock.ts';
import type { SessionCertificateStore } from '../contracts/session-certificates.ts';
import { recordChange } from './changes.ts';
import { type Database, integer, text } from './codec.ts';
import { all, first, type Intent, run, type SqlRow } from './intent.ts';

export const sessionCertificateIntents = { addSessionCertificate, revokeSessionCertificate } as const;

export function sessionCertificateStore({
  write,
  read,
  find,
}: Database<typeof sessionCertificateIntents>): SessionCertificateStore {
  return {
    add: (certificate, most) => write('addSessionCertificate', { certificate, most }),
    async listOf(sessionId, now) {
      return (await read(listSessionCertificatesSql, sessionId, now)).map(sessionCertificateOf);
    },
    findByThumbprint: (thumbprint) => find(sessionCertificateOf, findSessionCertificateSql, thumbprint),
    revoke: (sessionId, id, now) => write('revokeSessionCertificate', { sessionId, id, now }),
  };
}

const listSessionCertificatesSql =
  'SELECT * FROM session_certificates WHERE session_id = ? AND expires_at > ? ORDER BY id';

const findSessionCertificateSql = `SELECT session_certificates.* FROM session_certificates
  JOIN api_sessions ON api_sessions.id = session_certificates.session_id
  WHERE session_certificates.thumbprint = ? AND api_sessions.ended_at IS NULL`;

function sessionCertificateOf(row: SqlRow): SessionCertificate {
  return {
    id: asId(text(row, 'id')),
    sessionId: asId(text(row, 'session_id')),
    certPem: text(row, 'cert_pem'),
    thumbprint: text(row, 'thumbprint'),
    createdAt: integer(row, 'created_at'),
    expiresAt: integer(row, 'expires_at'),
  };
}

function* addSessionCertificate(args: {
  readonly certificate: SessionCertificate;
  readonly most: number;
}): Intent<boolean> {
  const { certificate, most } = args;
  const { sessionId, createdAt: now } = certificate;
  const session = yield* first('SELECT id FROM api_sessions WHERE id = ? AND ended_at IS NULL', sessionId);
  if (session === undefined) return false;
  yield* run(
    `INSERT INTO session_certificates (id, session_id, cert_pem, thumbprint, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    certificate.id,
    sessionId,
    certificate.certPem,
    certificate.thumbprint,
    now,
    certificate.expiresAt,
  );
  const rows = yield* all(
    'SELECT id FROM session_certificates WHERE session_id = ? ORDER BY id DESC',
    sessionId,
  );
  for (const row of rows.slice(most)) {
    yield* revokeSessionCertificate({ sessionId, id: text(row, 'id'), now });
  }
  return true;
}

function* revokeSessionCertificate(args: {
  readonly sessionId: string;
  readonly id: string;
  readonly now: Millis;
}): Intent<boolean> {
  const row = yield* first(
    'DELETE FROM session_certificates WHERE id = ? AND session_id = ? RETURNING thumbprint',
    args.id,
    args.sessionId,
  );
  if (row === undefined) return false;
  yield* recordChange('session-certificate', text(row, 'thumbprint'), args.now);
  return true;
}
