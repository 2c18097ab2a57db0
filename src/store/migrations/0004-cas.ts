// Third-party authorities. An identity has at most one certificate, as it has at most one password.

export const casSchema: readonly string[] = [
  `CREATE TABLE cas (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    cert_pem TEXT NOT NULL,
    thumbprint TEXT NOT NULL UNIQUE,
    is_auth_enabled INTEGER NOT NULL,
    is_auto_ca_enrollment_enabled INTEGER NOT NULL,
    is_ott_ca_enrollment_enabled INTEGER NOT NULL,
    identity_roles TEXT NOT NULL,
    identity_name_format TEXT NOT NULL,
    external_id_claim TEXT,
    verified_at BIGINT,
    verification_token TEXT NOT NULL,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX authenticators_one_certificate ON authenticators (identity_id) WHERE method = 'cert'`,
];
