// Tables of the service itself: keys, the running nodes, the feed that tells them about changes, and the audit trail.

import { currentTransaction } from '../sql/engine.ts';

export const tablesOfService: readonly string[] = [
  // One row: `StoredVersion`. Before version 1 the second column had the name `usable_from`.
  'CREATE TABLE schema_version (version INTEGER NOT NULL, usable_by INTEGER NOT NULL)',
  `CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY,
    alg TEXT NOT NULL,
    public_jwk TEXT NOT NULL,
    sealed_private_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    active_from BIGINT NOT NULL,
    retired_at BIGINT,
    removed_at BIGINT
  )`,
  `CREATE TABLE server_secrets (
    name TEXT PRIMARY KEY,
    sealed TEXT NOT NULL
  )`,
  `CREATE TABLE setup_links (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
  )`,
  // The controllers on this database, as they announce themselves.
  `CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    address TEXT NOT NULL,
    api_addresses TEXT NOT NULL,
    version TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    left_at BIGINT,
    key_ids TEXT,
    authorities TEXT
  )`,
  'CREATE INDEX nodes_by_last_seen ON nodes (last_seen_at)',
  // At most one row: the last time that this database was restored from a backup. A controller that started before that
  // stops serving.
  `CREATE TABLE restores (
    id TEXT PRIMARY KEY,
    restored_at BIGINT NOT NULL
  )`,
  // Imported entities of another controller, and their state at that time.
  `CREATE TABLE imports (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    digest TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
  )`,
  `CREATE TABLE audit_events (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    event TEXT NOT NULL,
    action TEXT,
    entity TEXT,
    entity_id TEXT,
    identity_id TEXT,
    by_identity_id TEXT,
    request_id TEXT,
    ip_address TEXT,
    issuer TEXT,
    details TEXT NOT NULL
  )`,
  'CREATE INDEX audit_events_by_identity ON audit_events (identity_id, at)',
  'CREATE INDEX audit_events_by_time ON audit_events (at)',
  // The change feed. The engine numbers `seq`.
  `CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    transaction_id INTEGER NOT NULL ${currentTransaction}
  )`,
  // For deleting old entries.
  'CREATE INDEX changes_by_time ON changes (at)',
  'CREATE INDEX changes_by_transaction ON changes (transaction_id)',
  // Deliveries to other services, and their queues.
  `CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    id TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_attempt_at BIGINT,
    result TEXT,
    UNIQUE (queue, id)
  )`,
  'CREATE INDEX deliveries_by_queue ON deliveries (queue, state, seq)',
  `CREATE INDEX deliveries_by_attempts ON deliveries (queue, attempts, seq) WHERE state = 'waiting'`,
  'CREATE INDEX deliveries_by_time ON deliveries (created_at)',
  // `holder`: the process that delivers it now.
  `CREATE TABLE delivery_queues (
    queue TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    paused_until BIGINT NOT NULL,
    holder TEXT,
    held_until BIGINT NOT NULL
  )`,
  // Changes of any number of identities, made a piece at a time.
  `CREATE TABLE bulk_jobs (
    id TEXT PRIMARY KEY,
    reference TEXT NOT NULL,
    made_by TEXT NOT NULL,
    selection TEXT,
    work TEXT NOT NULL,
    state TEXT NOT NULL,
    matched BIGINT NOT NULL,
    done BIGINT NOT NULL,
    reached TEXT,
    found TEXT NOT NULL,
    step BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE TABLE bulk_job_pieces (
    job_id TEXT NOT NULL REFERENCES bulk_jobs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    items TEXT NOT NULL,
    PRIMARY KEY (job_id, number)
  )`,
  // To whom events are sent. Its queues are in the table of deliveries.
  `CREATE TABLE event_subscriptions (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    url TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    events TEXT NOT NULL,
    filter TEXT,
    trusted_roots TEXT,
    client_cert_pem TEXT,
    sealed_secrets TEXT,
    secret_created_at BIGINT,
    former_secret_until BIGINT,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  // At most one row: the last backup of this database.
  `CREATE TABLE backups (
    id TEXT PRIMARY KEY,
    made_at BIGINT NOT NULL
  )`,
];
