// Real PostgreSQL servers for tests, with programs from the package registry. All tests that only need a database share
// one. It starts on first use and ends with the run, or with the process of a test file that runs alone. A test that
// stops or kills its server starts its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { systemRandom } from '../../src/platform/random.ts';
import type { KeeperOptions, RunningPostgres } from './postgres-keeper.ts';

/** A server that others use at the same time. */
export interface SharedPostgres {
  /** Of a database on the server. */
  urlOf(database: string): string;
  readonly password: string;
  /** The file of its socket, for proxies. */
  readonly socket: string;
  /** Where it listens on 127.0.0.1, if it speaks TLS. */
  readonly port: number;
  /** Makes an empty database. @returns its URL */
  createDatabase(): Promise<string>;
}

export interface PostgresServer extends SharedPostgres {
  /** Ends every connection and stops the server. */
  stop(): Promise<void>;
  /** Ends all its processes with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** A server that begins as a copy of this one and follows it. */
  startStandby(): Promise<PostgresServer>;
  /** Stops the server for good and removes its files. */
  close(): Promise<void>;
}

let running: Promise<SharedPostgres> | undefined;

/** The shared server. Its commits are not synced. Async for the reason of testPki. */
export async function postgresServer(): Promise<SharedPostgres> {
  running ??= process.send === undefined ? startPostgres({ unsynced: true }) : serverOfRun();
  return running;
}

/** Asks the process that runs the tests. */
async function serverOfRun(): Promise<SharedPostgres> {
  const answer = once(process, 'message');
  process.send?.({ need: 'postgres' });
  const [{ postgres }] = (await answer) as [{ readonly postgres: RunningPostgres }];
  return shared(postgres);
}

function shared({ host, port, user, password, poolerPort }: RunningPostgres): SharedPostgres {
  const at = (database: string, where: number) =>
    `postgres://${user}:${password}@localhost:${where}/${database}?host=${encodeURIComponent(host)}`;
  const urlOf = (database: string) => at(database, port);
  return {
    password,
    socket: join(host, `.s.PGSQL.${port}`),
    port,
    urlOf,
    async createDatabase() {
      const name = `t_${systemRandom.bytes(8).toString('hex')}`;
      await query(urlOf('postgres'), `CREATE DATABASE ${name}`);
      if (poolerPort === null) return urlOf(name);
      return `${at(name, poolerPort)}&pooler=transaction&direct=${encodeURIComponent(`${host}:${port}`)}`;
    },
  };
}

/** A server of its own. */
export async function startPostgres(options: KeeperOptions = {}): Promise<PostgresServer> {
  const keeper = spawn(
    process.execPath,
    [fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url)), JSON.stringify(options)],
    // In a process group of its own: an interrupt of the tests must not interrupt the cleanup.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  );
  const lines = createInterface({ input: keeper.stdout });
  const [said] = await Promise.race([
    once(lines, 'line'),
    once(keeper, 'exit').then(() => {
      throw new Error('the PostgreSQL server of the tests could not be started; its reason stands above');
    }),
  ]);
  const self = JSON.parse(String(said)) as RunningPostgres;
  // The process may end although the server runs.
  keeper.unref();
  (keeper.stdin as unknown as { unref(): void }).unref();
  (keeper.stdout as unknown as { unref(): void }).unref();

  async function tell(command: 'stop' | 'kill' | 'start'): Promise<void> {
    const done = once(lines, 'line');
    (keeper.stdout as unknown as { ref(): void }).ref();
    keeper.stdin.write(`${command}\n`);
    await done;
    (keeper.stdout as unknown as { unref(): void }).unref();
  }

  return {
    ...shared(self),
    stop: () => tell('stop'),
    kill: () => tell('kill'),
    start: () => tell('start'),
    startStandby: () => startPostgres({ ...options, standbyOf: self }),
    async close() {
      keeper.ref();
      const ended = once(keeper, 'exit');
      keeper.stdin.end();
      await ended;
    },
  };
}

/** Runs one statement on a connection of its own. */
export async function query(
  url: string,
  sql: string,
  limits: Pick<pg.ClientConfig, 'connectionTimeoutMillis' | 'query_timeout'> = {},
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, ...limits });
  // A lost connection fails at the statement.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
