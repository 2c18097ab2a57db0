// Administrators list the newest first, of tables that grow with identities and sessions.

export const newestFirstSchema: readonly string[] = [
  'CREATE INDEX identities_by_creation ON identities (created_at)',
  'CREATE INDEX api_sessions_by_creation ON api_sessions (created_at)',
];
