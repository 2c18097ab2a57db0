// The running controllers on this database, as they have announced themselves.

export const nodesSchema: readonly string[] = [
  `CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    address TEXT NOT NULL,
    api_addresses TEXT NOT NULL,
    version TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    left_at BIGINT
  )`,
  'CREATE INDEX nodes_by_last_seen ON nodes (last_seen_at)',
];
