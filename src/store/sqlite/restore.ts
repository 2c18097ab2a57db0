// Puts a copy of an SQLite database in the place of another one. Only while no controller runs; offline commands
// that still have the old one open continue in the file that is kept aside.

import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPrivateFile } from '../../platform/private-file.ts';

const logSuffixes = ['-wal', '-shm'] as const;

/**
 * Copies a backup to a working file beside the database, private from the start. A write-ahead log beside the backup,
 * as it lies there when somebody copied the files of a running controller, comes along.
 * @returns the working file; `discardSqliteCopy` removes it
 * @throws Error of node:fs
 */
export function copySqliteBackup(backup: string, path: string): string {
  // Beside the file itself where the path is a link: in the end it is renamed.
  const working = `${realFile(path)}.restoring`;
  discardSqliteCopy(working);
  for (const suffix of ['', '-wal']) {
    if (!existsSync(`${backup}${suffix}`)) continue;
    createPrivateFile(`${working}${suffix}`);
    copyFileSync(`${backup}${suffix}`, `${working}${suffix}`);
  }
  return working;
}

/** Removes a working file, if there is one. */
export function discardSqliteCopy(working: string): void {
  for (const suffix of ['', ...logSuffixes]) rmSync(`${working}${suffix}`, { force: true });
}

/**
 * Puts `working`, which nobody has open, in the place of the database, in one step: whenever this ends, one of them
 * is there as a whole. The database that was there is kept.
 * @param aside where the old one goes; must not exist
 * @returns whether there was one
 * @throws Error of node:fs
 */
export function replaceSqlite(working: string, path: string, aside: string): boolean {
  const target = realFile(path);
  // Pages that nothing has touched since they were copied may be in the memory of the system only.
  syncToDisk(working);
  const isReplacing = existsSync(target);
  if (isReplacing) {
    moveLogInto(target);
    // A log that stays, because the database is damaged or somebody has it open, belongs to the old one only: SQLite
    // would take it for the log of the new one.
    for (const suffix of logSuffixes) {
      if (existsSync(`${target}${suffix}`)) renameSync(`${target}${suffix}`, `${aside}${suffix}`);
    }
    linkSync(target, aside);
  }
  renameSync(working, target);
  syncToDisk(dirname(target));
  return isReplacing;
}

/** The last connection that closes moves the write-ahead log into the database and removes it. */
function moveLogInto(path: string): void {
  try {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  } catch {
    // It is replaced because it is damaged, perhaps; it is kept as it is.
  }
}

function realFile(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
