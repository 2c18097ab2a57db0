import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder for its owner only, and the missing ones above it. Unlike `mkdirSync` with `recursive`, it ends below a
 * folder like /proc, which says that a new one in it does not exist.
 * @throws Error from the file system
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return;
    const above = dirname(folder);
    if (code !== 'ENOENT' || existsSync(above)) throw error;
    makeFolder(above);
    makeFolder(folder);
  }
}
