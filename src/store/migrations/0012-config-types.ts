// Names and ids of configuration types, for what clients ask for at login.

export const configTypesSchema: readonly string[] = [
  `CREATE TABLE config_types (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    tags TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
];
