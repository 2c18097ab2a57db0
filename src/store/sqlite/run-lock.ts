import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type FileLock, tryFileLock } from '../../platform/file-lock.ts';

/** Another controller runs on this database. The message is a sentence for the operator. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

/**
 * Ensures that only one controller at a time runs on an SQLite database. It uses a lock of the operating system on a
 * separate file beside the database, so that it always ends with the process, and offline commands can still open the
 * database.
 * @param address the address for clients, `host:port`; shown to a controller that is refused
 * @throws AlreadyRunning
 * @throws Error           the lock file cannot be written
 */
export function acquireRunLock(databasePath: string, address = ''): FileLock {
  const path = lockPath(databasePath);
  const lock = tryFileLock(path);
  if (lock === null)
    throw new AlreadyRunning(
      `another controller is running on ${databasePath}${nameOfHolder(path)}: stop it first, or use PostgreSQL to run several`,
    );
  held.set(path, lock);
  nameHolder(path, address);
  const release = () => {
    held.delete(path);
    rmSync(holderPath(path), { force: true });
    lock.release();
  };
  return { release, [Symbol.dispose]: release };
}

/** A full disk must not prevent a start only because of this note. */
function nameHolder(path: string, address: string): void {
  try {
    writeFileSync(holderPath(path), JSON.stringify({ pid: process.pid, address }), { mode: 0o600 });
  } catch {
    rmSync(holderPath(path), { force: true });
  }
}

/** ` (process 4711, localhost:1280)`; empty when it left no note. The note is read only while the lock is held. */
function nameOfHolder(path: string): string {
  try {
    const { pid, address } = JSON.parse(readFileSync(holderPath(path), 'utf8'));
    if (!Number.isSafeInteger(pid) || typeof address !== 'string') return '';
    return address === '' ? ` (process ${pid})` : ` (process ${pid}, ${address})`;
  } catch {
    return '';
  }
}

// A separate file, because other processes cannot read the locked one.
function holderPath(path: string): string {
  return `${path}.holder`;
}

/**
 * Held by this process. The map also keeps them alive: garbage collection would release a lock that nothing refers to.
 */
const held = new Map<string, FileLock>();

/** Whether another process runs a controller on the database. @throws Error the lock file cannot be used */
export function runsElsewhere(databasePath: string): boolean {
  const path = lockPath(databasePath);
  if (held.has(path) || !existsSync(path)) return false;
  const lock = tryFileLock(path);
  lock?.release();
  return lock === null;
}

/** The same for every path of the database: a symbolic link leads to the same lock. */
function lockPath(databasePath: string): string {
  const path = existsSync(databasePath)
    ? realpathSync(databasePath)
    : join(realpathSync(dirname(databasePath)), basename(databasePath));
  return `${path}.lock`;
}
