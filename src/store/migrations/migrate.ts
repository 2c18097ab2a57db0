import type { DatabaseSync } from 'node:sqlite';
import { type Dialect, sqliteDialect } from '../sql/engine.ts';
import { changesByTime, changesTable, initialSchema } from './0001-initial.ts';
import { factorsSchema } from './0002-factors.ts';
import { externalJwtSignersSchema } from './0003-external-jwt-signers.ts';
import { casSchema } from './0004-cas.ts';
import { sessionSignerSchema } from './0005-session-signer.ts';
import { enrollmentsSchema } from './0006-enrollments.ts';
import { sessionCertificatesSchema } from './0007-session-certificates.ts';
import { certificateExtensionSchema } from './0008-certificate-extension.ts';
import { nodesSchema } from './0009-nodes.ts';
import { restoresSchema } from './0010-restores.ts';
import { permissionsSchema } from './0011-permissions.ts';
import { configTypesSchema } from './0012-config-types.ts';
import { usableFromSchema } from './0013-usable-from.ts';
import { revocationsSchema } from './0014-revocations.ts';
import { clientInfoSchema } from './0015-client-info.ts';
import { newestFirstSchema } from './0016-newest-first.ts';
import { loginBindingsSchema } from './0017-login-bindings.ts';
import { seedDefaultPolicy } from './seed.ts';

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
  usableFromSchema,
  revocationsSchema,
  clientInfoSchema,
  newestFirstSchema,
  loginBindingsSchema,
];

/** What a release knows of the schema. */
export interface Schema {
  readonly migrations: readonly (readonly string[])[];
  /**
   * The lowest version of which releases can still work on this schema, beside this one or again after it. Raised
   * to the number of a migration that is not additive only; see "Add a method of the store" in CONTRIBUTING.md.
   */
  readonly usableFrom: number;
}

export const ourSchema: Schema = {
  migrations,
  usableFrom: 1 + migrations.indexOf(usableFromSchema),
};

export const schemaVersion = migrations.length;

/** What a database says of its schema. */
export interface StoredVersion {
  readonly version: number;
  readonly usableFrom: number;
}

/** The database cannot be used by this release; the message is a sentence for the operator. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/**
 * Controllers of a release that cannot live with what a migration does run on the database; the message is a sentence
 * for the operator. Nothing is changed.
 */
export class NodesInTheWay extends Error {
  override readonly name = 'NodesInTheWay';
  /** @param running how they are called in front of people */
  constructor(running: readonly string[]) {
    super(
      `this release changes the database so that the release before cannot go on, and controllers run on it: ${running.join(', ')}`,
    );
  }
}

/** Whether the releases that work on the database now could not work on it afterwards. */
export function endsReleaseBefore({ version }: StoredVersion, schema: Schema): boolean {
  return version > 0 && version < schema.migrations.length && version < schema.usableFrom;
}

/** What brings a database from one version of the schema to another release's. */
export function migrationsFrom(
  version: number,
  dialect: Dialect,
  { migrations } = ourSchema,
): readonly string[] {
  return migrations.slice(version).flatMap((statements) => statements.map((sql) => dialect.ddl(sql)));
}

/** Reads the row of the table schema_version, of whatever version it is. */
export function storedVersionOf(row: Readonly<Record<string, unknown>>): StoredVersion {
  const version = Number(row.version);
  return { version, usableFrom: Number(row.usable_from ?? version) };
}

/**
 * Whether a newer release has brought the database to a schema on which this release can work all the same: while
 * nodes are upgraded one after the other, or when the newer release was taken back.
 * @throws SchemaError the newer schema is not for this release
 */
export function isOfNewerRelease({ version, usableFrom }: StoredVersion, schema = ourSchema): boolean {
  const known = schema.migrations.length;
  if (version <= known) return false;
  if (usableFrom <= known) return true;
  throw newerSchema(version, known);
}

/** @throws SchemaError a newer release has been at work; for what has to know every table */
export function refuseNewer({ version }: StoredVersion): void {
  if (version > schemaVersion) throw newerSchema(version, schemaVersion);
}

function newerSchema(version: number, known: number): SchemaError {
  return new SchemaError(
    `the database has schema version ${version}, this release knows ${known}: start a newer release, or restore a backup that fits this one`,
  );
}

/**
 * Brings a database to the schema of this release, under its write lock, so that several programs may try.
 * @param runsElsewhere whether another process runs a controller on it; asked when the migration would be its end
 * @returns the version before and after; after is more than ours where an older release may work on a newer schema
 * @throws SchemaError   the database was written by a newer release or by another program; nothing is changed
 * @throws NodesInTheWay
 */
export function migrateSqlite(
  database: DatabaseSync,
  schema = ourSchema,
  runsElsewhere: () => boolean = () => false,
): { readonly from: number; readonly to: number } {
  const to = schema.migrations.length;
  database.exec('BEGIN IMMEDIATE');
  try {
    if (isForeign(database)) {
      throw new SchemaError(
        'the database belongs to another program: it has tables but no schema version; name another file',
      );
    }
    database.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)');
    const row = database.prepare('SELECT * FROM schema_version').get();
    const stored = row === undefined ? { version: 0, usableFrom: 0 } : storedVersionOf(row);
    if (isOfNewerRelease(stored, schema)) {
      database.exec('ROLLBACK');
      return { from: stored.version, to: stored.version };
    }
    if (endsReleaseBefore(stored, schema) && runsElsewhere())
      throw new NodesInTheWay(['the one of this machine']);
    for (const sql of migrationsFrom(stored.version, sqliteDialect, schema)) database.exec(sql);
    database.exec('DELETE FROM schema_version');
    database
      .prepare('INSERT INTO schema_version (version, usable_from) VALUES (?, ?)')
      .run(to, schema.usableFrom);
    database.exec('COMMIT');
    return { from: stored.version, to };
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Of a database that was migrated once. */
export function schemaVersionOfSqlite(database: DatabaseSync): StoredVersion {
  return storedVersionOf(database.prepare('SELECT * FROM schema_version').get() ?? {});
}

function isForeign(database: DatabaseSync): boolean {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  return tables.length > 0 && !tables.some(({ name }) => name === 'schema_version');
}
