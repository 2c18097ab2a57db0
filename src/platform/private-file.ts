import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { giveOwner, syncFolderOf, syncToDisk } from './whole-file.ts';

/**
 * Creates an empty file that only its owner can read.
 * @throws Error of node:fs when it cannot be created: EEXIST when it exists, even if we created it
 */
function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}

/**
 * Copies into a new file that only its owner can read, even if others can read the original: `copyFile` would copy its
 * mode.
 * @returns the user id of the original's owner
 */
export function copyPrivately(from: string, to: string): number {
  const source = openSync(from, 'r');
  try {
    const target = openSync(to, 'wx', 0o600);
    try {
      const chunk = Buffer.alloc(1024 * 1024);
      for (let read = readSync(source, chunk); read > 0; read = readSync(source, chunk))
        for (let at = 0; at < read; ) at += writeSync(target, chunk, at, read - at);
      return fstatSync(source).uid;
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

/**
 * Like createPrivateFile, for the owner of the folder, but leaves an existing file alone. It must not even be opened: closing any descriptor of a
 * file drops the locks that this process holds on it (POSIX fcntl), including SQLite's.
 */
export function ensurePrivateFile(path: string): void {
  try {
    createPrivateFile(path);
    giveOwner(path, dirname(path));
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
}

/**
 * Creates a file that gets its name only when it is complete, and that only its owner can read.
 * @param write gets the empty file in a new folder, where no other user can have put a file or a link before
 * @returns false if another process has created a file of that name by now; nothing is left then
 * @throws Error of node:fs, or what `write` throws; nothing is left then
 */
export async function createWhole(
  path: string,
  write: (partial: string) => Promise<void> | void,
): Promise<boolean> {
  // A missing folder is named here, not by the temporary name.
  accessSync(dirname(path), constants.W_OK);
  const folder = mkdtempSync(`${path}.partial-`);
  try {
    const partial = join(folder, basename(path));
    createPrivateFile(partial);
    await write(partial);
    return takesFreeName(partial, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function takesFreeName(partial: string, path: string): boolean {
  try {
    linkSync(partial, path);
  } catch (error) {
    if (isTaken(error)) return false;
    // For file systems without hard links, such as those of memory sticks.
    copyFileSync(partial, path, constants.COPYFILE_EXCL);
  }
  syncToDisk(path);
  syncFolderOf(path);
  return true;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
