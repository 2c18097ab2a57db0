import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type FileLock, tryFileLock } from '../../platform/file-lock.ts';

/** Another controller runs on the same database; the message is a sentence for the operator. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

/**
 * Makes sure that one controller at a time runs on an SQLite database. The lock is the operating system's, on a
 * file of its own beside the database, so that it ends with the process however that ends, and so that the
 * offline commands can still open the database.
 * @param address what clients dial, `host:port`; told to whoever is refused
 * @throws AlreadyRunning
 * @throws Error           the lock file cannot be written
 */
export function acquireRunLock(databasePath: string, address = ''): FileLock {
  const path = lockPath(databasePath);
  const lock = tryFileLock(path);
  if (lock === null) {
    throw new AlreadyRunning(
      `another controller is running on ${databasePath}${nameOfHolder(path)}: stop it first, or use PostgreSQL to run several`,
    );
  }
  held.set(path, lock);
  nameHolder(path, address);
  return {
    release() {
      held.delete(path);
      rmSync(holderPath(path), { force: true });
      lock.release();
    },
  };
}

/** A full disk must not keep a controller from starting for the sake of this. */
function nameHolder(path: string, address: string): void {
  try {
    writeFileSync(holderPath(path), JSON.stringify({ pid: process.pid, address }), { mode: 0o600 });
  } catch {
    rmSync(holderPath(path), { force: true });
  }
}

/** ` (process 4711, localhost:1280)`; empty when it did not say. What it says is read only while the lock is held. */
function nameOfHolder(path: string): string {
  try {
    const { pid, address } = JSON.parse(readFileSync(holderPath(path), 'utf8'));
    if (!Number.isSafeInteger(pid) || typeof address !== 'string') return '';
    return address === '' ? ` (process ${pid})` : ` (process ${pid}, ${address})`;
  } catch {
    return '';
  }
}

// A file of its own: nobody else can read the one that is locked.
function holderPath(path: string): string {
  return `${path}.holder`;
}

/** By this process. Also keeps them: a lock that nothing refers to would end when memory is tidied up. */
const held = new Map<string, FileLock>();

/** Whether another process runs a controller on the database. @throws Error the lock file cannot be used */
export function runsElsewhere(databasePath: string): boolean {
  const path = lockPath(databasePath);
  if (held.has(path) || !existsSync(path)) return false;
  const lock = tryFileLock(path);
  lock?.release();
  return lock === null;
}

/** The same for every way to name the database, so that a symbolic link leads to the same lock. */
function lockPath(databasePath: string): string {
  const path = existsSync(databasePath)
    ? realpathSync(databasePath)
    : join(realpathSync(dirname(databasePath)), basename(databasePath));
  return `${path}.lock`;
}
