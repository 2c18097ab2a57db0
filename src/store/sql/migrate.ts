import type { DatabaseSync } from 'node:sqlite';
import { type Dialect, sqliteDialect } from './engine.ts';
import { changesByTime, changesTable, initialSchema } from './migrations/0001-initial.ts';
import { factorsSchema } from './migrations/0002-factors.ts';
import { externalJwtSignersSchema } from './migrations/0003-external-jwt-signers.ts';
import { casSchema } from './migrations/0004-cas.ts';
import { sessionSignerSchema } from './migrations/0005-session-signer.ts';
import { enrollmentsSchema } from './migrations/0006-enrollments.ts';
import { sessionCertificatesSchema } from './migrations/0007-session-certificates.ts';
import { permissionsSchema } from './migrations/0010-permissions.ts';
import { certificateExtensionSchema } from './migrations/0012-certificate-extension.ts';
import { configTypesSchema } from './migrations/0013-config-types.ts';
import { nodesSchema } from './migrations/0014-nodes.ts';
import { restoresSchema } from './migrations/0015-restores.ts';
import { revocationsSchema } from './migrations/0016-revocations.ts';
import { clientInfoSchema } from './migrations/0017-client-info.ts';
import { seedDefaultPolicy } from './migrations/seed.ts';

/** Forward only; entry n brings the schema from version n to n + 1. One text for all engines: see `Dialect.ddl`. */
const migrations: readonly (readonly string[])[] = [
  [...initialSchema, changesTable, changesByTime, seedDefaultPolicy],
  factorsSchema,
  externalJwtSignersSchema,
  casSchema,
  sessionSignerSchema,
  enrollmentsSchema,
  sessionCertificatesSchema,
  certificateExtensionSchema,
  nodesSchema,
  restoresSchema,
  permissionsSchema,
  configTypesSchema,
  revocationsSchema,
  clientInfoSchema,
];

export const schemaVersion = migrations.length;

/** The database cannot be used by this release; the message is a sentence for the operator. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** What brings a database from one version of the schema to that of this release. */
export function migrationsFrom(version: number, dialect: Dialect): readonly string[] {
  return migrations.slice(version).flatMap((statements) => statements.map((sql) => dialect.ddl(sql)));
}

/** @throws SchemaError the version is of a newer release */
export function refuseNewer(version: number): void {
  if (version <= schemaVersion) return;
  throw new SchemaError(
    `the database has schema version ${version}, this release knows ${schemaVersion}: start a newer release, or restore a backup that fits this one`,
  );
}

/**
 * Brings a database to the schema of this release, under its write lock, so that several programs may try.
 * @returns the version before and after
 * @throws SchemaError   the database was written by a newer release or by another program; nothing is changed
 */
export function migrateSqlite(database: DatabaseSync): { readonly from: number; readonly to: number } {
  database.exec('BEGIN IMMEDIATE');
  try {
    if (isForeign(database)) {
      throw new SchemaError(
        'the database belongs to another program: it has tables but no schema version; name another file',
      );
    }
    database.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)');
    const row = database.prepare('SELECT version FROM schema_version').get();
    const from = row === undefined ? 0 : Number(row.version);
    refuseNewer(from);
    for (const sql of migrationsFrom(from, sqliteDialect)) database.exec(sql);
    if (row === undefined) database.exec(`INSERT INTO schema_version (version) VALUES (${schemaVersion})`);
    else database.exec(`UPDATE schema_version SET version = ${schemaVersion}`);
    database.exec('COMMIT');
    return { from, to: schemaVersion };
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function isForeign(database: DatabaseSync): boolean {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  return tables.length > 0 && !tables.some(({ name }) => name === 'schema_version');
}
