// Files that are written completely or not at all, and are there after a power failure.

import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { readText } from './read-file.ts';

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
    return readText(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Creates an empty file that only its owner can read.
 * @throws Error of node:fs when it cannot be created: EEXIST when it exists, even if we created it
 */
export function createPrivateFile(path: string): void {
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

export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
