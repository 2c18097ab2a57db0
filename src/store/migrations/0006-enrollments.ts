// Leave to enrol, at most one of each method for an identity. A row is gone when it was used.

export const enrollmentsSchema: readonly string[] = [
  `CREATE TABLE enrollments (
    id TEXT PRIMARY KEY,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    method TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    sealed_token TEXT NOT NULL,
    ca_id TEXT REFERENCES cas (id) ON DELETE CASCADE,
    username TEXT,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (identity_id, method)
  )`,
  'CREATE INDEX enrollments_by_expiry ON enrollments (expires_at)',
  'CREATE INDEX enrollments_by_ca ON enrollments (ca_id)',
];
