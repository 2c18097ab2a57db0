// What administrators revoked. A `jti` is refused for as long as it stands here; an identity's or a session's entry
// records that sessions were ended.

export const revocationsSchema: readonly string[] = [
  `CREATE TABLE revocations (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    issued_before BIGINT,
    expires_at BIGINT NOT NULL,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE INDEX revocations_by_expiry ON revocations (expires_at)',
];
