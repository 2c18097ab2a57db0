import { NotAsSeen } from '../contracts/gathered.ts';
import {
  AlreadyTaken,
  CallerRefused,
  NoAdministratorLeft,
  ReferenceGone,
  StoreUnavailable,
} from '../contracts/store.ts';
import { OutOfTime } from '../sql/engine.ts';
import { fieldOfUnique } from '../sql/unique-fields.ts';

/** A failure of a statement or an intent, in a form that crosses threads. */
export type Failure =
  | { readonly kind: 'taken'; readonly field: string; readonly passesFor: string | null }
  | { readonly kind: 'no-administrator' }
  | { readonly kind: 'caller-refused'; readonly lacks: CallerRefused['lacks'] }
  | { readonly kind: 'not-as-seen'; readonly why: NotAsSeen['why'] }
  | { readonly kind: 'reference-gone' }
  | { readonly kind: 'out-of-time' }
  | { readonly kind: 'unavailable'; readonly message: string; readonly errcode: number }
  | { readonly kind: 'defect'; readonly message: string; readonly stack: string | undefined };

// Extended result codes of SQLite.
const foreignKey = 787; // SQLITE_CONSTRAINT_FOREIGNKEY
const uniqueCodes: ReadonlySet<number | null> = new Set([
  1555, // SQLITE_CONSTRAINT_PRIMARYKEY
  2067, // SQLITE_CONSTRAINT_UNIQUE
]);

// Primary result codes: the last eight bits of an extended one.
const unavailableCodes: ReadonlySet<number> = new Set([
  5, // SQLITE_BUSY
  6, // SQLITE_LOCKED
  7, // SQLITE_NOMEM
  8, // SQLITE_READONLY
  10, // SQLITE_IOERR
  11, // SQLITE_CORRUPT
  13, // SQLITE_FULL
  14, // SQLITE_CANTOPEN
  15, // SQLITE_PROTOCOL
  26, // SQLITE_NOTADB
]);

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { kind: 'defect', message: String(error), stack: undefined };
  if (error instanceof NoAdministratorLeft) return { kind: 'no-administrator' };
  if (error instanceof CallerRefused) return { kind: 'caller-refused', lacks: error.lacks };
  if (error instanceof AlreadyTaken) return { kind: 'taken', field: error.field, passesFor: error.passesFor };
  if (error instanceof NotAsSeen) return { kind: 'not-as-seen', why: error.why };
  if (error instanceof OutOfTime) return { kind: 'out-of-time' };
  if (error instanceof ReferenceGone) return { kind: 'reference-gone' };
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
  if (code === foreignKey) return { kind: 'reference-gone' };
  const field = uniqueCodes.has(code) ? takenField(error.message) : undefined;
  if (field !== undefined) return { kind: 'taken', field, passesFor: null };
  if (code !== null && unavailableCodes.has(code & 0xff))
    return { kind: 'unavailable', message: error.message, errcode: code };
  return { kind: 'defect', message: error.message, stack: error.stack };
}

/** The code says that a value is taken; only the message names its column: `UNIQUE constraint failed: TABLE.COLUMN`. */
function takenField(message: string): string | undefined {
  const column = /: ([a-z_]+\.[a-z_]+)/.exec(message)?.[1];
  return column === undefined ? undefined : fieldOfUnique(column);
}

/** The error that a contract promises for a failure. */
export function errorOf(failure: Failure): Error {
  if (failure.kind === 'taken') return new AlreadyTaken(failure.field, failure.passesFor);
  if (failure.kind === 'no-administrator') return new NoAdministratorLeft();
  if (failure.kind === 'caller-refused') return new CallerRefused(failure.lacks);
  if (failure.kind === 'not-as-seen') return new NotAsSeen(failure.why);
  if (failure.kind === 'reference-gone') return new ReferenceGone();
  if (failure.kind === 'out-of-time') return new OutOfTime();
  if (failure.kind === 'unavailable') {
    const { message, errcode } = failure;
    return new StoreUnavailable(message, { cause: Object.assign(new Error(message), { errcode }) });
  }
  const error = new Error(failure.message);
  if (failure.stack !== undefined) error.stack = failure.stack;
  return error;
}
