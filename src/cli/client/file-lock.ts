import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';

const pauseMs = 50;
const mostAttempts = 600;

/**
 * Runs `action` while no other process runs one under the same lock. Waits up to half a minute.
 * @throws CliError when the lock stays taken
 */
export async function withFileLock<T>(path: string, action: () => Promise<T>): Promise<T> {
  // Loaded only by the commands that need it.
  const { tryFileLock } = await import('../../platform/file-lock.ts');
  let lock = tryFileLock(path);
  for (let attempt = 1; lock === null; attempt += 1) {
    if (attempt === mostAttempts) {
      throw new CliError(`Another overlay-auth holds the lock ${path}.`, {
        code: 'locked',
        next: 'let the other command finish, then run this one again',
      });
    }
    await delay(pauseMs);
    lock = tryFileLock(path);
  }
  try {
    return await action();
  } finally {
    lock.release();
  }
}
