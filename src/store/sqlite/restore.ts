// Replaces an SQLite database by a copy of another one. Only while no controller runs. Offline commands that still have
// the old one open continue in the file that is kept.

import { existsSync, linkSync, realpathSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Millis, SECOND } from '../../platform/clock.ts';
import { removeAbandoned, workingFile } from '../../platform/create-whole.ts';
import { copyPrivately, giveName, syncToDisk } from '../../platform/whole-file.ts';

const logSuffixes = ['-wal', '-shm'] as const;
const busy = 5; // SQLITE_BUSY
const patience: Millis = SECOND;

/**
 * Copies a backup to a private working file beside the database. A write-ahead log beside the backup, which exists if
 * the files of a running controller were copied, is copied too: SQLite makes its content part of the database.
 * @returns the working file, which goes when it is disposed, or at the next start if this process is killed
 * @throws LogOfAnother, Error of node:fs; there is no working file then
 */
export function copySqliteBackup(backup: string, path: string): ReturnType<typeof workingFile> {
  // Beside the file itself if the path is a link, because it will be renamed to it.
  const target = realFile(path);
  removeAbandoned(dirname(target));
  const working = workingFile(target);
  try {
    const owner = copyPrivately(backup, working.partial);
    const log = `${backup}-wal`;
    if (existsSync(log) && copyPrivately(log, `${working.partial}-wal`) !== owner)
      throw new LogOfAnother(`${log} belongs to another user than ${backup}`);
  } catch (error) {
    working[Symbol.dispose]();
    throw error;
  }
  return working;
}

/** In a folder for all, such as /tmp, any user of the machine can put a log beside another user's backup. */
export class LogOfAnother extends Error {
  override readonly name = 'LogOfAnother';
}

/**
 * Replaces the database by `working`, which no process has open, in one step: whenever this is interrupted, one of them
 * is there as a whole. The old database is kept.
 * @param aside where to keep the old one; must not exist
 * @returns whether there was one
 * @throws Error of node:fs; with the `errcode` of SQLite: another process reads or writes the old one
 */
export function replaceSqlite(working: string, path: string, aside: string): boolean {
  const target = realFile(path);
  // Pages untouched since they were copied may be in the system's memory only.
  syncToDisk(working);
  const isReplacing = existsSync(target);
  if (isReplacing) {
    moveLogInto(target);
    linkSync(target, aside);
    // A log left behind because the database is damaged belongs to the old database, and an emptied one to a process
    // that has it open. SQLite would take it for the log of the new one.
    for (const suffix of logSuffixes)
      if (existsSync(`${target}${suffix}`)) renameSync(`${target}${suffix}`, `${aside}${suffix}`);
  }
  giveName(working, target);
  return isReplacing;
}

/**
 * The last connection that closes moves the write-ahead log into the database and removes it.
 * @throws Error with the `errcode` of SQLite: a program that reads or writes there keeps the log in use. Without it the
 *         database would lack its last changes if this is interrupted
 */
function moveLogInto(path: string): void {
  try {
    const database = new DatabaseSync(path, { timeout: patience });
    const left = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    // Only after the checkpoint: closing a damaged database removes its log.
    database.close();
    if (left?.busy === 1) throw Object.assign(new Error(`${path} is in use`), { errcode: busy });
  } catch (error) {
    if ((error as { readonly errcode?: unknown }).errcode === busy) throw error;
    // The old database may be damaged, which may be why it is replaced. Keep it as it is.
  }
}

function realFile(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
