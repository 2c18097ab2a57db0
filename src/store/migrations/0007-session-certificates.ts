// Certificates that were issued for an API session. What opened a session: the third-party authority of its
// certificate, because it ends with that, and its external JWT, because that is no second proof.

export const sessionCertificatesSchema: readonly string[] = [
  'ALTER TABLE api_sessions ADD COLUMN ca_id TEXT',
  'ALTER TABLE api_sessions ADD COLUMN primary_proof TEXT',
  `CREATE TABLE session_certificates (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES api_sessions (id) ON DELETE CASCADE,
    cert_pem TEXT NOT NULL,
    thumbprint TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX session_certificates_by_session ON session_certificates (session_id)',
  'CREATE INDEX session_certificates_by_expiry ON session_certificates (expires_at)',
];
