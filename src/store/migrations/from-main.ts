// The way to version 1 from the last schema of the main branch before the first release. What such a database lacks follows
// from the tables as they are described; only what is gone, and what computes the values of new columns, is written here.

import { identityEntity } from '../../model/entities/identity.ts';
import { noteCertificateEnds } from '../sql/certificate-ends.ts';
import type { Dialect, Migration } from '../sql/engine.ts';
import { addPasskeyRules } from '../sql/entity-stores.ts';
import { lowerCaseEverything } from '../sql/entity-table.ts';
import { all, type Intent, run } from '../sql/intent.ts';
import { nameEverybody } from '../sql/names.ts';

/** @param tables of version 1 */
export function changesOfMain(tables: readonly string[]): readonly Migration[] {
  return [
    'DROP INDEX authenticators_one_certificate',
    'ALTER TABLE api_sessions DROP COLUMN primary_proof',
    'ALTER TABLE authenticators DROP COLUMN is_imported',
    // These are made again in another form.
    'DROP TABLE schema_version',
    'DROP INDEX identities_by_creation',
    'DROP INDEX api_sessions_by_creation',
    'DROP INDEX api_sessions_by_expiry',
    (dialect) => addMissing(dialect, tables),
    nameEverybody,
    () => lowerCaseEverything(identityEntity),
    `UPDATE identities SET auth_policy_from = 'identity' WHERE auth_policy_id <> 'default'`,
    addPasskeyRules,
    noteCertificateEnds,
  ];
}

/** Adds the tables, columns and indexes that a database lacks. */
function* addMissing(dialect: Dialect, tables: readonly string[]): Intent<void> {
  const parts = new Set((yield* all(dialect.parts)).map(({ part }) => String(part)));
  for (const statement of tables.flatMap((each) => missingOf(each, parts)))
    yield* run(dialect.ddl(statement));
}

/**
 * What adds the table or index of a statement to a database, or the columns that the table lacks. Nothing for a statement
 * that adds rows.
 * @param parts of the database, as `Dialect.parts` names them
 */
function missingOf(statement: string, parts: ReadonlySet<string>): readonly string[] {
  const [, index] = /^CREATE (?:UNIQUE )?INDEX (\w+)/.exec(statement) ?? [];
  if (index !== undefined) return parts.has(index) ? [] : [statement];
  const [, table = ''] = /^CREATE TABLE (\w+)/.exec(statement) ?? [];
  // A column stands in a line of its own.
  const columns = [...statement.matchAll(/^ +((\w+) (?:TEXT|INTEGER|BIGINT)\b.*?),?$/gm)];
  const lacking = columns.filter(([, , column]) => !parts.has(`${table}.${column}`));
  if (lacking.length === columns.length) return table === '' ? [] : [statement];
  return lacking.map(([, described]) => `ALTER TABLE ${table} ADD COLUMN ${described}`);
}
