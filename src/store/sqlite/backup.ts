// Online backup and checks of an SQLite database, beside a running controller.

import { lstatSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { createWhole } from '../../platform/create-whole.ts';
import { isEmptied } from './open.ts';

/** More pages than a database can have. */
const allPages = 2 ** 31 - 1;

/** A backup never replaces a file, nor a link. */
export class BackupExists extends Error {
  override readonly name = 'BackupExists';
}

/**
 * Copies the database, as of one moment, into a new file that only the owner can read. The file gets its name only when
 * the copy is complete.
 * @throws BackupExists
 * @throws Error   the copy failed; nothing is left behind
 */
export async function backupSqlite(path: string, target: string): Promise<void> {
  const exists = () => new BackupExists(`${target} exists already; a backup never replaces a file`);
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw exists();
  using database = new DatabaseSync(path, { readOnly: true });
  // All pages in one step: a copy in several steps starts again whenever another connection commits, and beside a
  // busy controller never ends. Writers do not wait for readers of the write-ahead log.
  const isMade = await createWhole(target, async (partial) => {
    await backup(database, partial, { rate: allPages });
  });
  if (!isMade) throw exists();
}

/** Faults of the file, one sentence each; empty when it is sound. @throws Error the file is not a database */
export function checkSqlite(path: string): readonly string[] {
  // To SQLite this is a sound database without tables.
  if (isEmptied(path)) return ['the file is empty'];
  try {
    return findingsIn(path);
  } catch (error) {
    // Some damage stops the check itself.
    if (!isDamage(error)) throw error;
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** SQLITE_CORRUPT, in the last eight bits of the code. A file that is not a database at all has another code. */
function isDamage(error: unknown): boolean {
  const code = (error as { readonly errcode?: unknown }).errcode;
  return typeof code === 'number' && (code & 0xff) === 11;
}

function findingsIn(path: string): readonly string[] {
  using database = new DatabaseSync(path, { readOnly: true });
  const integrity = database
    .prepare('PRAGMA integrity_check')
    .all()
    .map((row) => String(row.integrity_check));
  const damages = integrity.filter((line) => line !== 'ok');
  // Reading rows of a damaged file fails.
  if (damages.length > 0) return damages;
  const references = database.prepare('PRAGMA foreign_key_check').all();
  return references.map(
    (row) => `a row of ${String(row.table)} refers to a missing row of ${String(row.parent)}`,
  );
}
