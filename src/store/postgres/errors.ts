import { AlreadyTaken, ReferenceGone, StoreUnavailable } from '../contracts/store.ts';
import { fieldOfUnique } from '../sql/unique-fields.ts';

/** An error of the server, or of the connection to it, as `pg` throws it. */
interface PostgresError extends Error {
  readonly code?: unknown;
  readonly table?: unknown;
  readonly detail?: unknown;
  /** The server function that refused. Unlike the message, it is the same in every language. */
  readonly routine?: unknown;
}

/** States (SQLSTATE) of a server that cannot do its part now; two characters name a whole class. */
const unavailableStates: ReadonlySet<string> = new Set([
  '08', // connection
  '28', // refused login: perhaps the password is being changed
  '53', // disk full, memory, too many connections
  '57', // shut down, starting up, statement timeout
  '58', // input and output, outside the database
  'XX', // internal, corrupted
  '25006', // a standby: only until the others notice which server leads
  '25P03', // idle in transaction for too long
  '25P04', // a transaction for too long, where the server limits that
  '3D000', // the database is being moved or restored
  '42P01', // a table is missing: the same, or search_path leads elsewhere
  '42501', // a grant was taken from the role: until it has that again
  '40001', // after all retries
  '40P01',
  '55P03', // lock timeout
]);

/** The client library's messages for a lost connection, without a state. */
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client was closed|Cannot use a pool after|The server does not support SSL|SASL:)/;

/** Codes of the system and of TLS, such as ECONNREFUSED or DEPTH_ZERO_SELF_SIGNED_CERT. */
const systemCode = /^(E[A-Z]{2,}|ERR_(TLS|SSL|SOCKET|STREAM)_[A-Z0-9_]+|[A-Z]+(_[A-Z]+){2,})$/;

function stateOf(error: unknown): string {
  if (error instanceof AggregateError) return stateOf(error.errors[0]);
  const code = error instanceof Error ? (error as PostgresError).code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Whether the connection was lost or never made, as opposed to a refused statement. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = stateOf(error);
  return (
    systemCode.test(state) ||
    state.startsWith('08') ||
    /^57P0[1-5]$/.test(state) ||
    lostConnection.test(error.message)
  );
}

/** Two transactions collided; one of them may be repeated. */
export function isCollision(error: unknown): boolean {
  return ['40001', '40P01'].includes(stateOf(error));
}

/** The server ended a statement, because its time was over or an administrator cancelled it. */
export function isCancelled(error: unknown): boolean {
  return stateOf(error) === '57014';
}

/** A transaction waited too long for another, or they deadlocked. It may be repeated later. */
export function isBlocked(error: unknown): boolean {
  return isCollision(error) || stateOf(error) === '55P03';
}

/** A statement was prepared before another node migrated the tables to a newer schema. */
export function isStalePlan(error: unknown): boolean {
  if (!(error instanceof Error) || stateOf(error) !== '0A000') return false;
  return (error as PostgresError).routine === 'RevalidateCachedQuery';
}

/** The error that a contract promises. */
export function postgresError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const state = stateOf(error);
  if (state === '23505') {
    const { table, detail } = error as PostgresError;
    // Key (name)=(ana) already exists. The words depend on the server's language; the names do not.
    const column = /\(([a-z_]+)(?:, [a-z_]+)*\)=\(/.exec(String(detail))?.[1];
    const field = fieldOfUnique(`${String(table)}.${column}`);
    return field === undefined ? error : new AlreadyTaken(field);
  }
  if (state === '23503') return new ReferenceGone();
  const isUnavailable =
    unavailableStates.has(state) || unavailableStates.has(state.slice(0, 2)) || isLostConnection(error);
  return isUnavailable ? new StoreUnavailable(messageOf(error), { cause: error }) : error;
}

/** The cause, with advice if TLS is the cause. If several addresses were tried, the error of the first. */
function messageOf(error: Error): string {
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  return tlsAdvice(first) ?? first.message;
}

/** Codes of a certificate path that does not end at a trusted root. */
const untrusted =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED)$/;

function tlsAdvice(error: Error): string | null {
  // OpenSSL ends its own with a line break.
  const message = error.message.trim();
  const state = stateOf(error);
  if (message === 'The server does not support SSL connections')
    return 'the database server speaks no TLS, which sslmode asks for: turn on ssl there';
  if (untrusted.test(state))
    return `the certificate of the database server is not of an authority that is trusted (${message}): name the file of its root in sslrootcert`;
  if (state === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const { reason } = error as { readonly reason?: unknown };
    return `the certificate of the database server is for other names (${String(reason ?? message)}): name the server as its certificate does, or give it one for this name`;
  }
  if (state === 'CERT_HAS_EXPIRED' || state === 'CERT_NOT_YET_VALID')
    return `the certificate of the database server is not valid at this time (${message}): renew it, or correct the clock of this machine`;
  if (/^ERR_SSL_(TLSV1|SSLV3|TLSV13)_ALERT_/.test(state))
    return `the database server refused the TLS connection (${message}): look at sslcert, and at the log of that server`;
  if (state !== '28000') return null;
  // From pg_hba.conf. The words depend on the server's language; in other languages there is no advice.
  if (/no encryption|SSL off/.test(message))
    return `${message}: the server wants TLS, or knows no such user; add sslmode=verify-full`;
  if (/valid client certificate/.test(message)) return `${message}: name it in sslcert and sslkey`;
  return null;
}
