// The parameters of a PostgreSQL URL about a connection pooler in transaction mode, such as pgbouncer. Its connections
// keep no session: a later statement may run on another server connection, without earlier PREPARE, SET or LISTEN.

/** The URL, the server that it names, or the role behind a pooler cannot work. The message says what to write. */
export class PostgresPoolerError extends Error {
  override readonly name = 'PostgresPoolerError';
}

export interface PostgresPooler {
  /** The URL of the server itself, for what needs a session; null: everything goes through the pooler. */
  readonly directUrl: string | null;
}

const known = ['pooler', 'direct'];

/** @returns null when there is no pooler. @throws PostgresPoolerError */
export function readPostgresPooler(url: URL): PostgresPooler | null {
  if (known.some((name) => url.searchParams.getAll(name).length > 1))
    throw new PostgresPoolerError('the PostgreSQL URL says the same about its pooler twice');
  const mode = url.searchParams.get('pooler');
  const direct = url.searchParams.get('direct');
  if (mode === null) {
    if (direct === null) return null;
    throw new PostgresPoolerError('direct in a PostgreSQL URL goes with pooler=transaction');
  }
  if (mode !== 'transaction')
    throw new PostgresPoolerError(
      'pooler in a PostgreSQL URL is transaction; a pooler in session mode needs no mention',
    );
  return { directUrl: direct === null ? null : withAddress(url, direct) };
}

/** The URL without the parameters that `readPostgresPooler` has read. */
export function withoutPoolerParameters(url: URL): URL {
  const rest = new URL(url);
  for (const name of known) rest.searchParams.delete(name);
  return rest;
}

/** @param address `HOST`, `HOST:PORT`, or the folder of a socket, followed by `:PORT` if it is not 5432 */
function withAddress(url: URL, address: string): string {
  const rest = withoutPoolerParameters(url);
  const [, host, port] = /^(\/[^:]*|\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(address) ?? [];
  if (host === undefined || Number(port ?? 1) > 65_535)
    throw new PostgresPoolerError('direct in a PostgreSQL URL is HOST:PORT of the server behind the pooler');
  const isSocket = host.startsWith('/');
  rest.searchParams.delete('host');
  rest.searchParams.delete('port');
  if (isSocket) rest.searchParams.set('host', host);
  rest.hostname = isSocket ? 'localhost' : host;
  rest.port = port ?? '5432';
  return rest.href;
}
