// Connections to PostgreSQL with their settings, and statements in the form that `pg` takes.

import pg from 'pg';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { readPostgresHosts } from '../../platform/network/postgres-hosts.ts';
import {
  PostgresPoolerError,
  readPostgresPooler,
  withoutPoolerParameters,
} from '../../platform/network/postgres-pooler.ts';
import { readPostgresTls, withoutTlsParameters } from '../../platform/network/postgres-tls.ts';
import type { SqlRow, SqlValue, Statement } from '../sql/intent.ts';
import { isLostConnection } from './errors.ts';
import { requireMessages } from './messages.ts';
import { type TlsForConnections, tlsForConnections } from './tls-files.ts';

export type PostgresClient = pg.PoolClient;
export type PostgresPool = pg.Pool;
export type PostgresQuery = pg.QueryConfig;

// pg warns users of PGPASSFILE that its next version will not read it: an operator can do nothing about that.
process.noDeprecation = true;

/** Connections for reads and writes together, unless the URL sets `pool_max_conns`. */
const defaultConnections = 24;

export interface PostgresSettings {
  readonly client: pg.ClientConfig;
  /** Applies to every connection: of the pools, of the listener, of commands. */
  readonly tls: TlsForConnections;
  readonly maxConnections: number;
  /** Which of several servers is connected to; they take turns until one is the primary. */
  readonly server: ReturnType<typeof serverChoice>;
  /** Whether it goes through a pooler in transaction mode, whose connections keep no session. */
  readonly isPooled: boolean;
  /** Whether nothing on it times out. */
  readonly isPatient?: boolean;
  /** For what needs a session, such as listening; null: no such connection. */
  readonly session: PostgresSettings | null;
}

function serverChoice(all: readonly string[]) {
  const [only] = all;
  let known = all.length === 1 ? only : undefined;
  let search: Promise<string> | undefined;
  async function searched(probe: (server: string) => Promise<void>): Promise<string> {
    const refusals: (Error & { code?: unknown })[] = [];
    for (const server of all) {
      try {
        await probe(server);
        known = server;
        return server;
      } catch (error) {
        refusals.push(error as Error);
      }
    }
    // A wrong password of the primary, rather than that the other server is a replica or away.
    const answers = refusals.filter(({ code }) => code !== readOnlyState);
    throw answers.find((error) => !isLostConnection(error)) ?? answers[0] ?? refusals.at(-1);
  }
  return {
    /** Connection strings. */
    all,
    /** The primary: where it was last, otherwise the first that says so. @throws what one of them says instead */
    async find(probe: (server: string) => Promise<void>): Promise<string> {
      if (known !== undefined) return known;
      // Connections that are opened at once share one search.
      search ??= searched(probe).finally(() => {
        search = undefined;
      });
      return search;
    },
    /** The primary was not reached there. */
    lost() {
      if (all.length > 1) known = undefined;
    },
  };
}

/**
 * Reads a database URL. Missing parts come from the environment, as for every PostgreSQL client (PGPASSWORD,
 * PGPASSFILE, PGSSLMODE and so on).
 * @throws TypeError        the URL cannot be parsed
 * @throws PostgresHostsError  it names several hosts in a way that is impossible
 * @throws PostgresPoolerError its settings for a pooler are impossible
 * @throws PostgresTlsError its TLS settings are not supported, or a file has the wrong content
 * @throws Error            from the file system: it names a file that cannot be read
 */
export function postgresSettings(
  url: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): PostgresSettings {
  // Read only here: pg gives some modes another meaning, and treats an unknown one as no TLS.
  const tls = readPostgresTls(new URL(url), env);
  const pooler = readPostgresPooler(new URL(url));
  const server = serverChoice(readPostgresHosts(new URL(url)).map(plainUrl));
  const wanted = Number(new URL(url).searchParams.get(poolSize) ?? defaultConnections);
  const settings = {
    isPooled: pooler !== null,
    maxConnections: Number.isSafeInteger(wanted) && wanted >= 2 ? wanted : defaultConnections,
    tls: tlsForConnections(tls),
    server,
    client: {
      connectionString: server.all[0],
      sslnegotiation: tls.negotiation,
      application_name: 'overlay-auth',
      connectionTimeoutMillis: (server.all.length > 1 ? 2 : 5) * SECOND,
      // A pooler in transaction mode cannot set them per client. There the role has them.
      ...(pooler === null && limits),
      query_timeout: 20 * SECOND,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10 * SECOND,
      types: { getTypeParser },
      // Statements that do not depend on each other's answers share a round trip.
      pipeline: true,
    } as pg.ClientConfig,
  };
  if (pooler === null) return { ...settings, session: { ...settings, session: null } };
  const { directUrl } = pooler;
  return { ...settings, session: directUrl === null ? null : postgresSettings(directUrl, env) };
}

const poolSize = 'pool_max_conns';

/** With what PostgreSQL itself understands. */
function plainUrl(url: URL): string {
  const plain = withoutPoolerParameters(withoutTlsParameters(url));
  plain.searchParams.delete(poolSize);
  return plain.href;
}

const limits = {
  statement_timeout: 15 * SECOND,
  lock_timeout: 10 * SECOND,
  // A node that freezes in the middle of an intent holds its locks for so long. Those who wait for them wait longer.
  idle_in_transaction_session_timeout: 5 * SECOND,
};

/**
 * Behind a pooler the role must have the limits that our own connections set.
 * @throws PostgresPoolerError it does not; the message is the statement to run
 */
export async function requireLimitsOfRole(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `SELECT name, current_user AS role FROM pg_settings WHERE setting = '0' AND name IN (${Object.keys(limits)
      .map((name) => `'${name}'`)
      .join(', ')}) ORDER BY name`,
  );
  if (rows.length === 0) return;
  const missing = rows.map(({ name }) => [name, limits[name as keyof typeof limits]] as const);
  const statements = missing.map(
    ([name, wanted]) => `ALTER ROLE "${rows[0].role}" SET ${name} = '${wanted / SECOND}s';`,
  );
  throw new PostgresPoolerError(
    `behind a pooler in transaction mode the role sets the limits of statements; it lacks some: ${statements.join(' ')}`,
  );
}

/** For work that may take any time, such as a migration: no statement times out. */
export function withoutTimeouts(settings: PostgresSettings): PostgresSettings {
  const server = serverChoice(
    settings.server.all.map((connectionString) => {
      const url = new URL(connectionString);
      url.searchParams.delete('query_timeout');
      return url.href;
    }),
  );
  const client = { ...settings.client, query_timeout: 0, connectionString: server.all[0] };
  return { ...settings, client, server, isPatient: !settings.isPooled };
}

/** Also those that only the role or the database has, and that older servers do not know. */
const setNoLimits = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN
  ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`;

/** How long an idle connection stays open. */
const idleTimeout: Millis = 300 * SECOND;

export function openPool(settings: PostgresSettings, connections: number): PostgresPool {
  const pool = new pg.Pool({
    ...settings.client,
    Client: clientWith(settings),
    max: connections,
    idleTimeoutMillis: idleTimeout,
  });
  // The next use replaces a lost idle connection, and notices if there is no server.
  pool.on('error', () => {});
  return pool;
}

/** The SQLSTATE of a server that only lets us read. */
export const readOnlyState = '25006';

/**
 * A replica may lack commits of its primary: reading from it would let people in whose sessions have ended.
 * A server that becomes a replica closes its connections, so checking new ones is enough.
 * Also lets warnings through, whatever role and database say: only a warning tells that a commit did not wait for its
 * standby.
 */
async function requirePrimary(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `SELECT pg_is_in_recovery() AS is_replica, set_config('client_min_messages', 'warning', false)`,
  );
  if (rows[0]?.is_replica === 0) return;
  throw Object.assign(new Error('the server is a replica: it can only be read, and may be behind'), {
    code: readOnlyState,
  });
}

/** One connection outside of a pool. */
export function openClient(settings: PostgresSettings): pg.Client {
  return new (clientWith(settings))(settings.client);
}

/**
 * The pool makes its connections itself. Each should use the current files, and the primary: a connection to a replica
 * counts as failed, and after a failure the servers of the URL are asked which of them is the primary now.
 */
function clientWith({ client, tls, server, isPatient }: PostgresSettings): typeof pg.Client {
  async function probe(connectionString: string): Promise<void> {
    const asked = new pg.Client({ ...client, connectionString, ssl: tls() });
    asked.on('error', () => {});
    requireMessages(asked);
    try {
      await asked.connect();
      await requirePrimary(asked);
    } finally {
      await asked.end().catch(() => {});
    }
  }
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, ssl: tls() });
      // It may break at any time, also before the pool listens, and what nothing listens to ends the process. Its next
      // statement fails; an idle one is replaced.
      this.on('error', () => {});
      requireMessages(this);
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error | null, client?: this) => void): void;
    override connect(callback?: (error: Error | null, client?: this) => void): Promise<this> | undefined {
      const connected = this.#connectToPrimary();
      if (callback === undefined) return connected;
      connected.then((client) => callback(null, client), callback);
      return undefined;
    }

    async #connectToPrimary(): Promise<this> {
      const found = await server.find(probe);
      // The servers differ in their address only.
      if (found !== server.all[0]) Object.assign(this, addressOf(found));
      try {
        await super.connect();
        await requirePrimary(this);
        if (isPatient) await this.query(setNoLimits);
        return this;
      } catch (error) {
        server.lost();
        this.connection.stream.destroy();
        throw error;
      }
    }
  };
}

function addressOf(server: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(server);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) };
}

/** Integers as numbers, booleans as 0 and 1, everything else as text, as SQLite returns them. */
function getTypeParser(oid: number): (text: string) => SqlValue {
  if (oid === 20 || oid === 21 || oid === 23) return Number;
  if (oid === 16) return (text) => (text === 't' ? 1 : 0);
  return (text) => text;
}

/** How many texts stay prepared: a few hundred are fixed, and updates of several fields have many forms. */
const maxPrepared = 500;
const named = new Map<string, { readonly name: string; readonly text: string }>();
let lastNumber = 0;

/** How to send a statement of ours. */
export type Asking = (statement: Statement) => PostgresQuery;

/** A statement prepared under a name would be on one of the pooler's connections and used on another. */
export function askingOf({ isPooled }: PostgresSettings): Asking {
  return isPooled ? unprepared : prepared;
}

/** A statement that stays prepared on each connection. */
export function prepared({ sql, params }: Statement): PostgresQuery {
  let known = named.get(sql);
  if (known === undefined) {
    if (named.size >= maxPrepared) return unprepared({ sql, params });
    lastNumber += 1;
    known = { name: `s${lastNumber}`, text: withNumbers(sql) };
    named.set(sql, known);
  }
  return { ...known, values: params.map(storable) };
}

/**
 * From now on every statement is prepared under a new name. After the tables change, all connections hold outdated
 * plans, and each would fail in turn.
 */
export function prepareAnew(): void {
  named.clear();
}

export function unprepared({ sql, params }: Statement): PostgresQuery {
  return { text: withNumbers(sql), values: params.map(storable) };
}

/**
 * Sends a query. Queries that are sent in one turn share a write to the socket: each write is a call of the system, and
 * those cost more than all else of a query.
 */
export function send(client: PostgresClient, query: PostgresQuery | string): Promise<pg.QueryResult> {
  const { stream } = client.connection;
  if (stream.writableCorked === 0) {
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
  return client.query(query as PostgresQuery);
}

export function rowsOf(result: pg.QueryResult): readonly SqlRow[] {
  return result.rows as readonly SqlRow[];
}

/** Replaces `?` by `$1`, `$2`, … Our texts contain question marks as placeholders only. */
function withNumbers(sql: string): string {
  let last = 0;
  return sql.replaceAll('?', () => {
    last += 1;
    return `$${last}`;
  });
}

/** PostgreSQL has no NUL in texts. It is replaced like everything that UTF-8 cannot encode. */
export function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
