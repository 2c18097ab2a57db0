import { schemaVersion } from '../migrations/migrate.ts';
import { sequencesBehind } from './migrate.ts';
import { withPostgres } from './open.ts';

/**
 * Faults of the database, or settings that could lose acknowledged changes: one sentence each, empty when all is well.
 * @throws StoreUnavailable
 */
export function checkPostgres({
  url,
  version,
}: {
  readonly url: string;
  /** Of the schema. */
  readonly version: number;
}): Promise<readonly string[]> {
  return withPostgres(url, async (client) => {
    const findings: string[] = [];
    if (version !== schemaVersion)
      findings.push(`its schema version is ${version}, that of this release ${schemaVersion}`);
    const settings = await client.query(
      `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')
         AND setting = 'off' ORDER BY name`,
    );
    for (const { name } of settings.rows)
      findings.push(`${name} is off: a power loss can lose acknowledged changes`);
    const indexes = await client.query(
      `SELECT pg_class.relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = pg_index.indexrelid
       JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
       WHERE nspname = current_schema() AND NOT (indisvalid AND indisready) ORDER BY 1`,
    );
    for (const { name } of indexes.rows) findings.push(`the index ${name} is not valid: REINDEX it`);
    const constraints = await client.query(
      `SELECT conname AS name FROM pg_constraint JOIN pg_namespace ON pg_namespace.oid = connamespace
       WHERE nspname = current_schema() AND NOT convalidated ORDER BY 1`,
    );
    for (const { name } of constraints.rows) findings.push(`the constraint ${name} was never validated`);
    for (const { table, sequence, highest } of await sequencesBehind(client))
      findings.push(
        `the sequence of ${table} is behind its rows, and changes fail: start a controller, or run SELECT setval('${sequence}', ${highest})`,
      );
    return findings;
  });
}
