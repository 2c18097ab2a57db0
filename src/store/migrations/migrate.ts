import type { DatabaseSync } from 'node:sqlite';
import { type Dialect, type Migration, type OfEngine, sqliteDialect } from '../sql/engine.ts';
import { all, first, type Intent, run, type SqlRow } from '../sql/intent.ts';
import { changesOfMain } from './from-main.ts';
import { tablesOfLogins } from './tables-of-logins.ts';
import { indexesOfSearch, tablesOfApplications, tablesOfPeople } from './tables-of-people.ts';
import { tablesOfService } from './tables-of-service.ts';

/** The schema version of the databases that `fromMain` opens: the last one before releases count, from 1. */
export const lastOfMain = 20;

/** The schema of a release, and the ways to it. */
export interface Schema {
  /** Makes version 1 in an empty database. */
  readonly tables: readonly (string | OfEngine)[];
  /** Makes version 1 of version 0, which is the last schema of the main branch before the first release. */
  readonly fromMain: readonly (Migration | OfEngine)[];
  /** Forward only: the first one makes version 2. */
  readonly migrations: readonly (readonly (Migration | OfEngine)[])[];
  /**
   * The lowest version whose releases can still work on this schema, beside this one or again after it. Raise it to the
   * number of a migration that does more than add; see "Add a column" in CONTRIBUTING.md.
   */
  readonly usableBy: number;
}

const tables = [...tablesOfPeople, ...tablesOfLogins, ...tablesOfService, ...tablesOfApplications];

export const ourSchema: Schema = {
  tables: [...tables, ...indexesOfSearch],
  fromMain: [...changesOfMain(tables), ...indexesOfSearch],
  migrations: [],
  usableBy: 1,
};

export function versionOfSchema({ migrations }: Schema): number {
  return 1 + migrations.length;
}

export const schemaVersion = versionOfSchema(ourSchema);

/** The schema version that a database names. */
export interface StoredVersion {
  /** 0: that of the main branch before the first release. */
  readonly version: number;
  readonly usableBy: number;
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
function endsReleaseBefore({ version }: StoredVersion, schema: Schema): boolean {
  return version < versionOfSchema(schema) && version < schema.usableBy;
}

/** The migrations from a schema version (null when the database is empty) to another release's. */
function migrationsFrom(version: number | null, dialect: Dialect, schema = ourSchema): readonly Migration[] {
  const first = version === null ? schema.tables : version === 0 ? schema.fromMain : [];
  const later = schema.migrations.slice(Math.max(0, (version ?? 0) - 1)).flat();
  return [...first, ...later].flatMap((step): readonly Migration[] => {
    if (typeof step === 'string') return [dialect.ddl(step)];
    if (typeof step === 'function') return [step];
    return step.engine === dialect.name ? [step.sql] : [];
  });
}

/**
 * Reads the row of the table schema_version.
 * @throws SchemaError a commit before the one whose databases this release opens made the database
 */
function storedVersionOf(row: Readonly<Record<string, unknown>>): StoredVersion {
  const version = Number(row.version);
  if (row.usable_by !== undefined) return { version, usableBy: Number(row.usable_by) };
  if (version === lastOfMain) return { version: 0, usableBy: 0 };
  throw new SchemaError(
    `the database has schema version ${version} of the main branch, from before the first release, and this release opens only the last one, ${lastOfMain}: start commit 3f219d8f on a copy of it once, which opens most databases of versions 16 to ${lastOfMain}, or set up a new database`,
  );
}

/**
 * Whether a newer release has migrated the database to a schema that this release can still use: while nodes are
 * upgraded one after the other, or after going back to this release.
 * @throws SchemaError the newer schema is not for this release
 */
function isOfNewerRelease({ version, usableBy }: StoredVersion, schema = ourSchema): boolean {
  const known = versionOfSchema(schema);
  if (version <= known) return false;
  if (usableBy <= known) return true;
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

/** The name and version in a database. `version`: null where it has none. */
export function* storedVersion({ tables }: Dialect): Intent<{
  readonly isEmpty: boolean;
  readonly version: StoredVersion | null;
}> {
  const names = (yield* all(tables)).map(({ name }) => name);
  const row = names.includes('schema_version') ? yield* first('SELECT * FROM schema_version') : undefined;
  return { isEmpty: names.length === 0, version: row === undefined ? null : storedVersionOf(row) };
}

export function isUpToDate(stored: StoredVersion, schema: Schema): boolean {
  return stored.version === versionOfSchema(schema) || isOfNewerRelease(stored, schema);
}

/**
 * Brings a database to the schema of this release, in a transaction that excludes every other migration. An ordinary
 * start writes nothing, so it does not wait for the disk.
 * @param running describes the controllers at work on it; asked when the migration would break them
 * @returns the version afterwards, which is newer than ours if an older release may use a newer schema
 * @throws SchemaError   another program, a newer release or an old commit made the database; nothing is changed
 * @throws NodesInTheWay
 */
export function* upToDate(
  dialect: Dialect,
  schema: Schema,
  running: () => Intent<readonly string[]> | readonly string[],
): Intent<number> {
  const { isEmpty, version: stored } = yield* storedVersion(dialect);
  if (stored === null && !isEmpty) throw ofAnotherProgram(dialect);
  if (stored !== null) {
    if (isUpToDate(stored, schema)) return stored.version;
    const asked = endsReleaseBefore(stored, schema) ? running() : [];
    const inTheWay = 'next' in asked ? yield* asked : asked;
    if (inTheWay.length > 0) throw new NodesInTheWay(inTheWay);
  }
  for (const step of migrationsFrom(stored?.version ?? null, dialect, schema))
    yield* typeof step === 'string' ? run(step) : step(dialect);
  const to = versionOfSchema(schema);
  yield* run('DELETE FROM schema_version');
  yield* run('INSERT INTO schema_version (version, usable_by) VALUES (?, ?)', to, schema.usableBy);
  return to;
}

function ofAnotherProgram({ name }: Dialect): SchemaError {
  return new SchemaError(
    `the database belongs to another program: it has tables but no schema version; name another ${name === 'sqlite' ? 'file' : 'database'}`,
  );
}

/** As `upToDate`, under the write lock. @param runsElsewhere whether another process runs a controller on it */
export function migrateSqlite(
  database: DatabaseSync,
  schema = ourSchema,
  runsElsewhere: () => boolean = () => false,
): number {
  database.exec('BEGIN IMMEDIATE');
  try {
    const running = () => (runsElsewhere() ? ['the one of this machine'] : []);
    const version = runOn(database, upToDate(sqliteDialect, schema, running));
    database.exec('COMMIT');
    return version;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Runs an intent on a connection of its own. */
export function runOn<T>(database: DatabaseSync, intent: Intent<T>): T {
  let step = intent.next();
  while (!step.done) {
    const { sql, params } = step.value;
    step = intent.next(database.prepare(sql).all(...params) as readonly SqlRow[]);
  }
  return step.value;
}

/** For a database with tables. @throws SchemaError as `storedVersionOf`, or they are not ours */
export function schemaVersionOfSqlite(database: DatabaseSync): StoredVersion {
  const { version } = runOn(database, storedVersion(sqliteDialect));
  if (version !== null) return version;
  throw ofAnotherProgram(sqliteDialect);
}
