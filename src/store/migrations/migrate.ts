import type { DatabaseSync } from 'node:sqlite';
import { identityEntity } from '../../model/entities/identity.ts';
import { addPasskeyRules } from '../sql/auth-policies.ts';
import { noteCertificateEnds } from '../sql/certificate-ends.ts';
import { type Dialect, type OfEngine, sqliteDialect } from '../sql/engine.ts';
import { lowerCaseEverything } from '../sql/entity-table.ts';
import { all, first, type Intent, run, type SqlRow } from '../sql/intent.ts';
import { nameEverybody } from '../sql/names.ts';
import {
  loginAttemptsBySource,
  sessionsByCreation,
  sessionsByDeletion,
  tablesOfLastLogins,
  tablesOfLogins,
} from './tables-of-logins.ts';
import {
  certificatesByEnd,
  certificatesInOrder,
  identitiesByCreation,
  identitiesInOrder,
  indexesOfSearch,
  revocationColumn,
  tablesOfApplications,
  tablesOfNames,
  tablesOfPasskeys,
  tablesOfPeople,
  tablesOfRevocationLists,
} from './tables-of-people.ts';
import {
  changesByTransaction,
  tableOfBackups,
  tableOfEventSubscriptions,
  tablesOfBulkJobs,
  tablesOfDeliveries,
  tablesOfService,
  transactionColumn,
  versionTable,
} from './tables-of-service.ts';

/** The schema version of the databases that `fromMain` opens: the last one before releases count, from 1. */
export const lastOfMain = 20;

/**
 * Brings a database of the main branch, from before the first release, to version 1 as the tables of this folder
 * describe it. A change of the tables before that release is made there and here.
 */
const fromMain: readonly (Migration | OfEngine)[] = [
  'DROP TABLE schema_version',
  versionTable,
  ...tablesOfNames,
  nameEverybody,
  `ALTER TABLE login_attempts ADD COLUMN source TEXT NOT NULL DEFAULT ''`,
  loginAttemptsBySource,
  'ALTER TABLE identities ADD COLUMN name_lower TEXT',
  'ALTER TABLE identities ADD COLUMN external_id_lower TEXT',
  'ALTER TABLE identities ADD COLUMN email TEXT',
  'ALTER TABLE identities ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE identities ADD COLUMN email_lower TEXT',
  'ALTER TABLE identities ADD COLUMN last_login_at BIGINT',
  () => lowerCaseEverything(identityEntity),
  'CREATE INDEX identities_by_verified_email ON identities (email_lower) WHERE email_verified = 1',
  'ALTER TABLE invitations ADD COLUMN mailed_to TEXT',
  'ALTER TABLE invitations ADD COLUMN is_shown INTEGER NOT NULL DEFAULT 1',
  'ALTER TABLE api_sessions ADD COLUMN opened_by_program INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE api_sessions DROP COLUMN primary_proof',
  `ALTER TABLE external_jwt_signers ADD COLUMN client_auth_method TEXT NOT NULL DEFAULT 'none'`,
  'ALTER TABLE api_sessions ADD COLUMN key_thumbprint TEXT',
  'ALTER TABLE auth_requests ADD COLUMN key_thumbprint TEXT',
  'ALTER TABLE external_jwt_signers ADD COLUMN sealed_client_secret TEXT',
  'ALTER TABLE oidc_clients ADD COLUMN require_pushed_authorization_requests INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE external_jwt_signers ADD COLUMN create_identities TEXT',
  'ALTER TABLE oidc_clients ADD COLUMN require_dpop INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE auth_policies ADD COLUMN require_dpop INTEGER NOT NULL DEFAULT 0',
  `ALTER TABLE auth_policies ADD COLUMN assign_to TEXT NOT NULL DEFAULT '[]'`,
  `ALTER TABLE identities ADD COLUMN auth_policy_from TEXT NOT NULL DEFAULT 'default'`,
  `UPDATE identities SET auth_policy_from = 'identity' WHERE auth_policy_id <> 'default'`,
  'ALTER TABLE external_jwt_signers ADD COLUMN discovery INTEGER NOT NULL DEFAULT 0',
  ...tablesOfPasskeys,
  addPasskeyRules,
  'ALTER TABLE oidc_clients ADD COLUMN backchannel_logout_uri TEXT',
  'ALTER TABLE oidc_clients ADD COLUMN client_uri TEXT',
  'ALTER TABLE oidc_clients ADD COLUMN initiate_login_uri TEXT',
  'ALTER TABLE oidc_clients ADD COLUMN logo_uri TEXT',
  'ALTER TABLE oidc_clients ADD COLUMN backchannel_logout_session_required INTEGER NOT NULL DEFAULT 0',
  `ALTER TABLE oidc_clients ADD COLUMN dropped_scopes TEXT NOT NULL DEFAULT '[]'`,
  `ALTER TABLE device_logins ADD COLUMN dropped_scopes TEXT NOT NULL DEFAULT '[]'`,
  'ALTER TABLE api_sessions ADD COLUMN told_until BIGINT',
  'DROP INDEX api_sessions_by_expiry',
  sessionsByDeletion,
  ...tablesOfDeliveries,
  tableOfEventSubscriptions,
  'DROP INDEX authenticators_one_certificate',
  'ALTER TABLE authenticators DROP COLUMN is_imported',
  'ALTER TABLE authenticators ADD COLUMN cert_expires_at BIGINT',
  noteCertificateEnds,
  certificatesByEnd,
  'ALTER TABLE nodes ADD COLUMN authorities TEXT',
  `ALTER TABLE cas ADD COLUMN ${revocationColumn}`,
  ...tablesOfRevocationLists,
  tableOfBackups,
  `ALTER TABLE changes ADD COLUMN ${transactionColumn}`,
  changesByTransaction,
  ...tablesOfBulkJobs,
  ...indexesOfSearch,
  'DROP INDEX identities_by_creation',
  identitiesByCreation,
  'DROP INDEX api_sessions_by_creation',
  sessionsByCreation,
  certificatesInOrder,
  ...identitiesInOrder,
  ...tablesOfLastLogins,
];

/** A statement, one text for all engines (see `Dialect.ddl`), or an intent that computes what SQL cannot. */
export type Migration = string | (() => Intent<void>);

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

export const ourSchema: Schema = {
  tables: [
    ...tablesOfPeople,
    ...tablesOfLogins,
    ...tablesOfService,
    ...tablesOfApplications,
    ...tablesOfDeliveries,
    tableOfEventSubscriptions,
    tableOfBackups,
    ...tablesOfBulkJobs,
    ...indexesOfSearch,
  ],
  fromMain,
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
    yield* typeof step === 'string' ? run(step) : step();
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
