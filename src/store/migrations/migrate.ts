import type { DatabaseSync } from 'node:sqlite';
import { type Dialect, sqliteDialect } from '../sql/engine.ts';
import { tablesOfApplications } from './tables-of-applications.ts';
import { tablesOfLogins } from './tables-of-logins.ts';
import { tablesOfPeople } from './tables-of-people.ts';
import { tablesOfService } from './tables-of-service.ts';
import { type Migration, to18, to19, to20, upgradeFrom16 } from './upgrade.ts';

/**
 * The version of a schema before any later migration. Versions older than the one before it were never used elsewhere.
 */
const initialVersion = 17;

/** What a release knows about the schema. */
export interface Schema {
  /** Creates the tables of an empty database. One text for all engines: see `Dialect.ddl`. */
  readonly initial: readonly string[];
  /** Brings a database of the version before `initial` to that version. */
  readonly upgrade: readonly string[];
  /** Later migrations, forward only: each brings the schema from its version to the next. */
  readonly migrations: readonly (readonly Migration[])[];
  /**
   * The lowest version whose releases can still work on this schema, beside this one or again after it. Raise it to the
   * number of a migration that does more than add; see "Add a column" in CONTRIBUTING.md.
   */
  readonly usableFrom: number;
}

export const ourSchema: Schema = {
  initial: [...tablesOfPeople, ...tablesOfLogins, ...tablesOfService, ...tablesOfApplications],
  upgrade: upgradeFrom16,
  migrations: [to18, to19, to20],
  usableFrom: initialVersion,
};

export function versionOfSchema({ migrations }: Schema): number {
  return initialVersion + migrations.length;
}

export const schemaVersion = versionOfSchema(ourSchema);

/** Holds the one row that `StoredVersion` is read from. */
export const versionTable =
  'CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL, usable_from INTEGER NOT NULL DEFAULT 0)';

/** What a database says about its schema. */
export interface StoredVersion {
  readonly version: number;
  readonly usableFrom: number;
}

/** The database cannot be used by this release; the message is a sentence for the operator. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/**
 * Running controllers of a release that could not work after the migration. The message is a sentence for the operator.
 * Nothing is changed.
 */
export class NodesInTheWay extends Error {
  override readonly name = 'NodesInTheWay';
  /** @param running how to describe them to people */
  constructor(running: readonly string[]) {
    super(
      `this release changes the database so that the previous release cannot use it, and controllers run on it: ${running.join(', ')}`,
    );
  }
}

/** Whether releases that work on the database now could no longer do so afterwards. */
export function endsReleaseBefore({ version }: StoredVersion, schema: Schema): boolean {
  return version > 0 && version < versionOfSchema(schema) && version < schema.usableFrom;
}

/**
 * What brings a database from its schema version (0 when empty) to another release's.
 * @throws SchemaError a version of this program that was never released made it
 */
export function migrationsFrom(version: number, dialect: Dialect, schema = ourSchema): readonly string[] {
  const { initial, upgrade, migrations } = schema;
  if (version > 0 && version < initialVersion - 1) {
    throw new SchemaError(
      `the database has schema version ${version}, which is older than any that this release can bring up to date: set up a new one`,
    );
  }
  const first = version === 0 ? initial : version < initialVersion ? upgrade : [];
  const later = migrations.slice(Math.max(0, version - initialVersion)).flat();
  return [...first, ...later].flatMap((migration) => {
    if (typeof migration === 'string') return dialect.ddl(migration);
    return migration.only === dialect.name ? migration.sql : [];
  });
}

/** Reads the row of the table schema_version. */
export function storedVersionOf(row: Readonly<Record<string, unknown>>): StoredVersion {
  return { version: Number(row.version), usableFrom: Number(row.usable_from) };
}

/**
 * Whether a newer release has migrated the database to a schema that this release can still use: while nodes are
 * upgraded one after the other, or after going back to this release.
 * @throws SchemaError the newer schema is not for this release
 */
export function isOfNewerRelease({ version, usableFrom }: StoredVersion, schema = ourSchema): boolean {
  const known = versionOfSchema(schema);
  if (version <= known) return false;
  if (usableFrom <= known) return true;
  throw newerSchema(version, known);
}

/** @throws SchemaError a newer release has migrated it; for callers that have to know every table */
export function refuseNewer({ version }: StoredVersion): void {
  if (version > schemaVersion) throw newerSchema(version, schemaVersion);
}

function newerSchema(version: number, known: number): SchemaError {
  return new SchemaError(
    `the database has schema version ${version}, this release knows ${known}: start a newer release, or restore a backup that fits this one`,
  );
}

/**
 * Brings a database to the schema of this release, under its write lock, so that several programs may try at once.
 * @param runsElsewhere whether another process runs a controller on it; asked when the migration would break that one
 * @returns the version before and after; the latter is newer than ours if an older release may use a newer schema
 * @throws SchemaError   the database was written by a newer release or by another program; nothing is changed
 * @throws NodesInTheWay
 */
export function migrateSqlite(
  database: DatabaseSync,
  schema = ourSchema,
  runsElsewhere: () => boolean = () => false,
): { readonly from: number; readonly to: number } {
  const to = versionOfSchema(schema);
  database.exec('BEGIN IMMEDIATE');
  try {
    if (isForeign(database)) {
      throw new SchemaError(
        'the database belongs to another program: it has tables but no schema version; name another file',
      );
    }
    database.exec(versionTable);
    const row = database.prepare('SELECT * FROM schema_version').get();
    const stored = row === undefined ? { version: 0, usableFrom: 0 } : storedVersionOf(row);
    if (isOfNewerRelease(stored, schema)) {
      database.exec('ROLLBACK');
      return { from: stored.version, to: stored.version };
    }
    if (endsReleaseBefore(stored, schema) && runsElsewhere())
      throw new NodesInTheWay(['the one of this machine']);
    // An ordinary start writes nothing, so it does not wait for the disk.
    if (stored.version !== to || stored.usableFrom !== schema.usableFrom) {
      for (const sql of migrationsFrom(stored.version, sqliteDialect, schema)) database.exec(sql);
      database.exec('DELETE FROM schema_version');
      database
        .prepare('INSERT INTO schema_version (version, usable_from) VALUES (?, ?)')
        .run(to, schema.usableFrom);
    }
    database.exec('COMMIT');
    return { from: stored.version, to };
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** For a database that has been migrated already. */
export function schemaVersionOfSqlite(database: DatabaseSync): StoredVersion {
  return storedVersionOf(database.prepare('SELECT * FROM schema_version').get() ?? {});
}

function isForeign(database: DatabaseSync): boolean {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  return tables.length > 0 && !tables.some(({ name }) => name === 'schema_version');
}
