// A PostgreSQL URL that names several servers, of which one is the primary: `postgres://USER@a:5432,b:5432/NAME`, as
// libpq reads it. A URL has one host, so inside the service the others stand in the parameter `hosts`.

/** The hosts cannot be used; the message says what to write. */
export class PostgresHostsError extends Error {
  override readonly name = 'PostgresHostsError';
}

const parameter = 'hosts';
const oneHost = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** The same address with one host in its authority and the others in `hosts`. Unchanged if it has only one. */
export function withHostsApart(given: string): string {
  const [, before = '', hosts = '', after = ''] =
    /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(given) ?? [];
  const [first, ...others] = hosts.split(',');
  if (others.length === 0) return given;
  const separator = after.includes('?') ? '&' : '?';
  return `${before}${first}${after}${separator}${parameter}=${others.join(',')}`;
}

/** The address as an operator writes it, of one that `withHostsApart` has changed. */
export function withHostsTogether(url: URL): string {
  const [, before, after, others] = /^(\w+:\/\/[^/?#]*)(.*)[?&]hosts=([^&#]*)$/s.exec(url.href) ?? [];
  return others === undefined ? url.href : `${before},${decodeURIComponent(others)}${after}`;
}

/**
 * The addresses of all servers, each with one host.
 * @throws PostgresHostsError a name is malformed, or there are several beside a socket or a pooler
 */
export function readPostgresHosts(url: URL): readonly [URL, ...URL[]] {
  const named = url.searchParams.getAll(parameter).join(',');
  const only = new URL(url);
  only.searchParams.delete(parameter);
  if (named === '') return [only];
  for (const other of ['host', 'pooler'])
    if (url.searchParams.has(other))
      throw new PostgresHostsError(`a PostgreSQL URL with several hosts cannot have ${other}`);
  const others = named.split(',').map((host) => {
    if (!oneHost.test(host) || Number(/:(\d+)$/.exec(host)?.[1] ?? 5432) > 65_535)
      throw new PostgresHostsError('each host of a PostgreSQL URL is HOST or HOST:PORT, with commas between');
    const there = new URL(only);
    there.port = '';
    there.host = host;
    return there;
  });
  return [only, ...others];
}
