// A lock between processes that the system releases however its holder ends. Node offers none, so it is an exclusive
// SQLite transaction on an otherwise empty file.

import { accessSync, constants } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ensurePrivateFile } from './whole-file.ts';

export interface FileLock extends Disposable {
  release(): void;
}

const sqliteBusy = 5;

/**
 * Takes the lock if it is free; does not wait. Creates the file for its owner only, and leaves it there.
 * @returns null when another process, or another part of this one, holds it
 * @throws Error of node:fs when the file cannot be written
 */
export function tryFileLock(path: string): FileLock | null {
  ensurePrivateFile(path);
  // SQLite does not say why it cannot open a file, and a lock on one that it may only read keeps no other process out.
  accessSync(path, constants.R_OK | constants.W_OK);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return null;
    throw error;
  }
  const release = () => database.close();
  return { release, [Symbol.dispose]: release };
}
