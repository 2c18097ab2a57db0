import { closeSync, openSync } from 'node:fs';

/**
 * Creates an empty file that only its owner can read; leaves one that exists alone. It must not even be opened:
 * closing any descriptor of a file drops the locks that this process holds on it (POSIX fcntl), those of SQLite too.
 * @throws Error of node:fs when it cannot be created
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
