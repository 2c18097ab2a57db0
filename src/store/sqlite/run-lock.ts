import { existsSync, realpathSync } from 'node:fs';
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
 * @throws AlreadyRunning
 * @throws Error           the lock file cannot be written
 */
export function acquireRunLock(databasePath: string): FileLock {
  const path = lockPath(databasePath);
  const lock = tryFileLock(path);
  if (lock !== null) {
    held.set(path, lock);
    return {
      release() {
        held.delete(path);
        lock.release();
      },
    };
  }
  throw new AlreadyRunning(
    `another controller is running on ${databasePath}: stop it first, or use PostgreSQL to run several`,
  );
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
