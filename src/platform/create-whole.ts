// New files that get their name only when they are complete. What a killed process left is removed by the next one.

import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type FileLock, tryFileLock } from './file-lock.ts';
import { createPrivateFile, isTaken, syncFolderOf, syncToDisk } from './whole-file.ts';

/** In each working folder, held by the process that works there. */
const lockName = 'overlay-auth.lock';

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
  removeAbandoned(dirname(path));
  using working = workingFile(path);
  const { partial } = working;
  createPrivateFile(partial);
  await write(partial);
  return takesFreeName(partial, path);
}

/**
 * Makes a folder beside `path` to prepare a file in, which no other process takes for an abandoned one.
 * @returns where to make the file. Disposing removes the folder
 */
export function workingFile(path: string): Disposable & { readonly partial: string } {
  for (;;) {
    const folder = mkdtempSync(`${path}.partial-`);
    try {
      const lock = tryFileLock(join(folder, lockName));
      // Another process that came before the lock was held has removed the folder.
      if (lock !== null && existsSync(folder)) return inFolder(folder, lock, basename(path));
      lock?.release();
    } catch (error) {
      if (!existsSync(folder)) continue;
      rmSync(folder, { recursive: true });
      throw error;
    }
  }
}

function inFolder(folder: string, lock: FileLock, name: string): ReturnType<typeof workingFile> {
  return {
    partial: join(folder, name),
    [Symbol.dispose]() {
      lock.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Removes the working folders that killed processes of this user have left. @param beside the folder of the files */
export function removeAbandoned(beside: string): void {
  for (const name of namesIn(beside)) {
    if (!/\.partial-\w{6,}$/.test(name)) continue;
    try {
      removeIfAbandoned(join(beside, name));
    } catch {
      // Another process was first, or it is not ours.
    }
  }
}

/** Empty for a folder that may be written to, but not listed. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeIfAbandoned(folder: string): void {
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== (process.geteuid?.() ?? found.uid)) return;
  const lockFile = join(folder, lockName);
  // Its process ended before it had the lock, or is there now. Only an empty folder goes.
  if (!existsSync(lockFile)) {
    rmdirSync(folder);
    return;
  }
  const lock = tryFileLock(lockFile);
  if (lock === null) return;
  // Its owner may have opened the lock without holding it yet, and finds out by the name.
  const condemned = `${folder}0`;
  renameSync(folder, condemned);
  lock.release();
  rmSync(condemned, { recursive: true, force: true });
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
