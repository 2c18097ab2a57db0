// Files that are written completely or not at all, and are there after a power failure.

import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** For files that contain a secret. */
export const ownerOnly = 0o600;
export const readable = 0o644;

/** The temporary name of `path` while it is written. A leftover of an interrupted run is replaced. */
export function partialOf(path: string): string {
  return `${path}.partial`;
}

/**
 * Writes a file completely or not at all, whenever the machine stops. Replaces an existing file; the caller holds a lock,
 * such as the run lock of the home.
 * @throws Error of node:fs
 */
export function writeWhole(path: string, text: string, mode: number): void {
  const partial = partialOf(path);
  rmSync(partial, { force: true });
  createSynced(partial, text, mode);
  giveName(partial, path);
}

/**
 * Writes a new file to the disk.
 * @throws Error of node:fs: EEXIST when there is one; after any other, such as on a full disk, there is none
 */
export function createSynced(path: string, text: string, mode: number): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Renames, and makes the new name durable. The owner is that of a file which is replaced, or of the folder. */
export function giveName(partial: string, path: string): void {
  giveOwner(partial, existsSync(path) ? path : dirname(path));
  renameSync(partial, path);
  syncFolderOf(path);
}

/**
 * Gives a file that root has just made the owner of another one. The controller of a home runs as the user to whom it
 * belongs, and could not use a file of root. Does nothing for other users, or where the file system has no owners.
 */
export function giveOwner(made: string, like: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(like);
  const file = openSync(made, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    // That user may have put a second name of another file in its place.
    if (uid !== 0 && fstatSync(file).nlink === 1) fchownSync(file, uid, gid);
  } catch {
    // It stays root's, as on a file system of the network that knows no root.
  } finally {
    closeSync(file);
  }
}

/** Makes the name of a file durable. */
export function syncFolderOf(path: string): void {
  if (process.platform !== 'win32') syncToDisk(dirname(path));
}

export function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The text, or undefined when there is no such file. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
