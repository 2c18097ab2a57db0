// The lowest version of the schema whose releases can work on this one: see `Schema.usableFrom` in migrate.ts.

export const usableFromSchema: readonly string[] = [
  'ALTER TABLE schema_version ADD COLUMN usable_from INTEGER NOT NULL DEFAULT 0',
];
