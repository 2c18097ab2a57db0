import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from './cli-error.ts';

const pauseMs = 50;
const mostAttempts = 600;
const SQLITE_BUSY = 5;

/**
 * Runs `action` while no other process runs one under the same lock. Waits up to half a minute.
 *
 * The lock is an exclusive SQLite transaction on an empty file: Node offers no file locks of its own, and
 * unlike a lock file this one is released by the system when its holder is killed.
 *
 * @throws CliError when the lock stays taken
 */
export async function withFileLock<T>(path: string, action: () => Promise<T>): Promise<T> {
  const file = await open(path, 'a', 0o600);
  await file.close();
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  try {
    for (let attempt = 1; !tryLock(() => database.exec('BEGIN EXCLUSIVE')); attempt += 1) {
      if (attempt === mostAttempts) {
        throw new CliError(`Another overlay-auth holds the lock ${path}.`, {
          code: 'locked',
          next: 'let the other command finish, then run this one again',
        });
      }
      // Not SQLite's own waiting, which would stop everything else in this process.
      await delay(pauseMs);
    }
    return await action();
  } finally {
    database.close();
  }
}

function tryLock(lock: () => void): boolean {
  try {
    lock();
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
