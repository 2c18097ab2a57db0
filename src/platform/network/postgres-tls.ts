// The TLS parameters of a PostgreSQL URL, and otherwise of the environment. The words are those of libpq; their meaning
// is stricter: a configuration with TLS connects only to a server that has proved its name.

import { isAbsolute } from 'node:path';

export interface PostgresTls {
  /**
   * `verified`: the server's certificate must be valid and carry its name. `unverified`: encrypted, with any server.
   * `plain`: no TLS; `unasked` if that is only the default.
   */
  readonly protection: 'verified' | 'unverified' | 'plain' | 'unasked';
  /** Full paths of PEM files, or null. */
  readonly rootFile: string | null;
  readonly certFile: string | null;
  readonly keyFile: string | null;
  /** `direct`: TLS begins at once (PostgreSQL 17), instead of after a request in plain text. */
  readonly negotiation: 'postgres' | 'direct';
}

/** The URL or the environment asks for something unsupported. The message says what to write. */
export class PostgresTlsError extends Error {
  override readonly name = 'PostgresTlsError';
}

const protections: Readonly<Record<string, PostgresTls['protection']>> = {
  disable: 'plain',
  'no-verify': 'unverified',
  prefer: 'verified',
  require: 'verified',
  'verify-ca': 'verified',
  'verify-full': 'verified',
};
const known = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'ssl'];
/** libpq looks in this order: parameter, then variable. */
const variables: Readonly<Record<string, string>> = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslnegotiation: 'PGSSLNEGOTIATION',
  channel_binding: 'PGCHANNELBINDING',
};

/**
 * Reads the TLS parameters of a URL. Nothing that sounds like TLS is ignored: a misspelt parameter must not lead to a
 * connection in plain text.
 * @param env variables that apply where the URL says nothing, as with every client of PostgreSQL
 * @throws PostgresTlsError
 */
export function readPostgresTls(
  url: URL,
  env: Readonly<Record<string, string | undefined>> = {},
): PostgresTls {
  const { searchParams } = url;
  for (const name of searchParams.keys()) refuseUnknown(name);
  if (known.some((name) => searchParams.getAll(name).length > 1))
    throw new PostgresTlsError('the PostgreSQL URL says the same about TLS twice');
  if (isSocket(url)) {
    const named = known.find((name) => searchParams.has(name) && searchParams.get(name) !== 'disable');
    if (named === undefined) return { ...nothing, protection: 'plain' };
    throw new PostgresTlsError(
      `a socket of the machine has no TLS: leave ${named} out of the PostgreSQL URL`,
    );
  }

  const said = (name: string) => searchParams.get(name) ?? (env[variables[name] ?? ''] || null);
  const files = { rootFile: said('sslrootcert'), certFile: said('sslcert'), keyFile: said('sslkey') };
  for (const file of Object.values(files)) refuseRelative(file);
  if ((files.certFile === null) !== (files.keyFile === null))
    throw new PostgresTlsError('a client certificate for PostgreSQL needs both sslcert and sslkey');
  const negotiation = said('sslnegotiation') ?? 'postgres';
  if (negotiation !== 'postgres' && negotiation !== 'direct')
    throw new PostgresTlsError('sslnegotiation of PostgreSQL is postgres or direct');
  const isBound = requiresBinding(said('channel_binding'));
  const isNamed = isBound || negotiation === 'direct' || Object.values(files).some((file) => file !== null);
  const protection =
    protectionOf(said('sslmode'), searchParams.get('ssl')) ?? (isNamed ? 'verified' : 'unasked');
  if (isBound && protection !== 'verified')
    throw new PostgresTlsError(
      'channel_binding=require of PostgreSQL needs TLS with a server that proves who it is: sslmode=verify-full',
    );
  if (protection === 'plain' || protection === 'unasked') return { ...nothing, protection };
  return { protection, ...files, negotiation };
}

const nothing = { rootFile: null, certFile: null, keyFile: null, negotiation: 'postgres' } as const;

/** Whether the connection must prove that no other party stands between. A certificate that is checked proves that too. */
function requiresBinding(binding: string | null): boolean {
  if (['require', 'prefer', 'disable', null].includes(binding)) return binding === 'require';
  throw new PostgresTlsError('channel_binding of PostgreSQL is require, prefer or disable');
}

/** The URL without the parameters that `readPostgresTls` has read. */
export function withoutTlsParameters(url: URL): URL {
  const rest = new URL(url);
  for (const name of known) rest.searchParams.delete(name);
  return rest;
}

/** Whether traffic to it stays on this machine. */
export function staysOnMachine(url: URL): boolean {
  return isSocket(url) || /^(localhost|127\.[\d.]+|::1|\[::1\])$/.test(hostOf(url));
}

function hostOf(url: URL): string {
  return url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
}

function isSocket(url: URL): boolean {
  return hostOf(url).startsWith('/');
}

function protectionOf(mode: string | null, ssl: string | null): PostgresTls['protection'] | undefined {
  if (ssl !== null && (mode !== null || !['true', '1'].includes(ssl)))
    throw new PostgresTlsError(
      'instead of ssl the PostgreSQL URL says sslmode=verify-full or sslmode=disable',
    );
  if (mode === null) return ssl === null ? undefined : 'verified';
  const protection = Object.hasOwn(protections, mode) ? protections[mode] : undefined;
  if (protection !== undefined) return protection;
  const modes = Object.keys(protections).join(', ');
  throw new PostgresTlsError(
    `sslmode (or PGSSLMODE) of PostgreSQL is one of ${modes}; verify-full is advised`,
  );
}

function refuseUnknown(name: string): void {
  if (name === 'uselibpqcompat')
    throw new PostgresTlsError(
      'uselibpqcompat is not known: sslmode=verify-full checks the server, no-verify does not',
    );
  if (/^(schema|currentSchema|search_path)$/i.test(name))
    throw new PostgresTlsError(
      `${name} in the PostgreSQL URL has no effect: a schema is named by options=-c%20search_path%3DNAME`,
    );
  if (!/^(ssl|uselib|tls|gss|require)/i.test(name) || known.includes(name)) return;
  throw new PostgresTlsError(
    `the PostgreSQL URL has a parameter ${name} that is not known; about TLS it may say ${known.slice(0, -1).join(', ')}`,
  );
}

/** The controller may be started from any folder. */
function refuseRelative(file: string | null): void {
  if (file === null || isAbsolute(file)) return;
  throw new PostgresTlsError(`the PostgreSQL URL names the file ${file}: write its whole path, from /`);
}
