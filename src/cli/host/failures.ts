import { ConfigError, fromVariable } from '../../config/config-error.ts';
import { renderProblems } from '../../config/explain.ts';
import { Refusal } from '../../config/refusal.ts';
import {
  AlreadyRunning,
  BackupExists,
  EmptiedDatabase,
  NoDatabase,
  NodesInTheWay,
  SchemaError,
  StoreUnavailable,
  UnsupportedDatabase,
} from '../../controller/database.ts';
import { PkiFileError } from '../../controller/overlay-pki.ts';
import { BackupUnusable, NodesRunning } from '../../controller/restore-database.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { ListenError } from '../../http/server/listen-error.ts';
import { shellWord } from '../../platform/formats/shell-word.ts';
import { PostgresPoolerError } from '../../platform/network/postgres-pooler.ts';
import { PostgresTlsError } from '../../platform/network/postgres-tls.ts';
import { KeyFileError, type KeyFileFailure } from '../../platform/secrets/key-file-format.ts';
import { SealBroken } from '../../platform/secrets/sealed-box.ts';
import { CliError, exitCodes } from '../terminal/output.ts';

type As = (message: string, code: string, next?: string) => CliError;

/** A failure of a command on the host, as one sentence with what to do next; other errors unchanged. */
export function hostFailure(error: unknown): unknown {
  const as: As = (message, code, next) => new CliError(message, { code, next, cause: error });
  if (error instanceof ConfigError)
    return as(renderProblems(error.problems).trimEnd(), 'config', afterConfigFailure(error));
  if (error instanceof KeyFileError) return as(error.message, 'key_file', afterKeyFailure[error.reason]);
  if (error instanceof SealBroken)
    return as(
      'This database was sealed with another key-encryption key.',
      'wrong_key',
      'put back the key file that belongs to the database, or name it in secrets.keyFile',
    );
  if (error instanceof AuthError) return as(`${error.description}.`, error.code);
  if (error instanceof Refusal) return new CliError(`${error.message}.`, { exitCode: 2, code: 'usage' });
  const [, code, next] = ownWords.find(([type]) => error instanceof type) ?? [];
  if (error instanceof Error && code !== undefined) return as(sentence(error.message), code, next);
  return engineFailure(error, as) ?? error;
}

type Failure = abstract new (...args: never[]) => Error;

/** Failures with their own message: about files, the state of the database, or another controller on it. */
const ownWords: readonly (readonly [type: Failure, code: string, next?: string])[] = [
  [PkiFileError, 'pki_file'],
  [ListenError, 'listen', 'after the change, run the command again'],
  [AlreadyRunning, 'already_running', 'stop the other controller, then run the command again'],
  [SchemaError, 'schema', 'do what it says, or name another database; then run the command again'],
  [
    EmptiedDatabase,
    'emptied_database',
    'overlay-auth ops db restore BACKUP   (without a backup: remove the file and start from nothing)',
  ],
  [
    NodesInTheWay,
    'already_running',
    'stop all of them, then run the command again; one that crashed or was killed counts as running for thirty seconds',
  ],
  [BackupExists, 'exists', 'choose another name'],
  [BackupUnusable, 'backup_unusable', 'name another backup; nothing was changed'],
  [NodesRunning, 'already_running', 'stop them, then run the command again'],
  [
    PostgresTlsError,
    'database',
    'correct db in the configuration, OVERLAY_AUTH_DB, or a variable such as PGSSLMODE',
  ],
  [
    PostgresPoolerError,
    'database',
    'correct the role, or db in the configuration or OVERLAY_AUTH_DB, as it says',
  ],
  [
    NoDatabase,
    'no_database',
    'correct db in the configuration; starting a controller creates a new database there',
  ],
];

/** Failures from SQLite or the PostgreSQL server. */
function engineFailure(error: unknown, as: As): CliError | undefined {
  if (isSqliteError(error))
    return as(`The database cannot be used: ${error.message}.`, 'database', afterSqlite(error));
  if (isWithoutPassword(error))
    return as(
      'The PostgreSQL server asks for a password, and none was given.',
      'database',
      'set PGPASSWORD, or PGPASSFILE to a file with a line HOST:PORT:DATABASE:USER:PASSWORD',
    );
  if (error instanceof StoreUnavailable)
    return new CliError(`The database cannot be used: ${error.message}.`, {
      exitCode: exitCodes.unreachable,
      code: 'database',
      next: isSqliteError(error.cause)
        ? afterSqlite(error.cause)
        : (afterPostgresFailure[codeOf(error.cause)] ??
          'check that its server runs, and that its address (db in the configuration, OVERLAY_AUTH_DB or --to) is right'),
      cause: error,
    });
  if (isPostgresError(error)) {
    const usual = 'check the permissions of its user, which must create tables, read and write';
    return as(
      `The database refused: ${error.message}.`,
      'database',
      afterPostgresFailure[error.code] ?? usual,
    );
  }
  return error instanceof UnsupportedDatabase
    ? as(error.message, 'unsupported_database', error.next)
    : undefined;
}

function afterConfigFailure({ problems: [first] }: ConfigError): string {
  const isAboutTheWhole = first?.line === null && first.path === '';
  if (first?.file.startsWith(fromVariable))
    return 'correct the variable, or unset it so that the file decides; then run the command again';
  return first === undefined || isAboutTheWhole
    ? 'name a file that this user may read; without --config it is controller.yml in OVERLAY_AUTH_HOME or ./.overlay. To make one: overlay-auth init --home DIR --address HOST:PORT'
    : `correct what is named, then run: overlay-auth config validate ${shellWord(first.file)}`;
}

const afterKeyFailure: Readonly<Partial<Record<KeyFileFailure, string>>> = {
  missing: 'put the key file back, or correct secrets.keyFile; without the key the database cannot be read',
  unreadable: 'let this user read it, or correct secrets.keyFile',
  unwritable: 'let this user write there, or free space on the disk; then run the command again',
  'too open': 'close the file to other users as it says, then run the command again',
  malformed: 'put the key file back from its backup',
  'passphrase wrong':
    'correct OVERLAY_AUTH_KEY_PASSPHRASE or the file OVERLAY_AUTH_KEY_PASSPHRASE_FILE names',
};

/** By the primary result code of SQLite. */
const afterSqliteFailure: Readonly<Record<number, string>> = {
  5: 'another program holds the file; run the command again when it has ended',
  8: 'make the file and its folder writable for this user',
  // Also when a full disk has no room for the file beside the database that readers and writers share.
  10: 'free space on the disk if it is full; otherwise check the disk: the message of the system is in its log',
  11: 'overlay-auth ops db restore BACKUP   (keep a copy of the damaged file)',
  13: 'free space on the disk, then run the command again; nothing that was confirmed is lost',
  14: 'check that the file that db names exists, and that this user may open it and its folder',
  26: 'correct db in the configuration: the file it names is not a database',
};

function afterSqlite({ errcode }: { readonly errcode: number }): string {
  return afterSqliteFailure[errcode & 0xff] ?? 'check the file that db names in the configuration';
}

/** By SQLSTATE. */
const afterPostgresFailure: Readonly<Record<string, string>> = {
  '08P01':
    'if it is a pooler, let it ignore what it does not take (ignore_startup_parameters), and give the role these limits',
  '25006':
    'name the primary in db, and let its user make changes (ALTER ROLE USER RESET default_transaction_read_only)',
  '28P01': 'put the right password into PGPASSWORD, into the file that PGPASSFILE names, or into db',
  '28000': 'let the user in from this host in pg_hba.conf of the server, or correct db',
  '3D000': 'create the database, owned by its user, or correct its name',
  '42501': 'give its user back what was taken from it: it must create tables, read and write',
  '53100': 'free space on the disk of the server, then run the command again',
  '53300': 'raise max_connections of the server, or end other programs that use it',
};

/** Whether the server answers, and refuses us until the configuration, a password or a grant is corrected. */
export function isNotAllowed(error: StoreUnavailable): boolean {
  const states = ['08P01', '25006', '28000', '28P01', '3D000', '42501'];
  return states.includes(codeOf(error.cause)) || isWithoutPassword(error);
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** The driver has its own messages for this. Their beginnings have not changed for years. */
function isWithoutPassword(error: unknown): boolean {
  return (
    error instanceof Error && /client password must be a string|no password supplied/.test(fullMessage(error))
  );
}

function fullMessage(error: Error): string {
  return error.cause instanceof Error ? `${error.message} ${fullMessage(error.cause)}` : error.message;
}

/** A text that ends with a full stop is one, and may begin with the name of a file. */
function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Also of the thread that writes. */
function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

/** Whether it is an error message of the PostgreSQL server. */
function isPostgresError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'severity' in error && 'code' in error;
}
