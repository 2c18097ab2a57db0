// At most one row: the last time that this database was put back from a backup. A controller that started before
// that stops serving.

export const restoresSchema: readonly string[] = [
  `CREATE TABLE restores (
    id TEXT PRIMARY KEY,
    restored_at BIGINT NOT NULL
  )`,
];
