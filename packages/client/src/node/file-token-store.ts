// Tokens in a file that several programs share, such as two commands running at the same time.

import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tokens } from '../oidc/tokens.ts';
import type { TokenStore } from '../session/token-store.ts';

const retryAfter = 50;
/** How long another program may hold the lock: a renewal on a slow network. Milliseconds. */
const longestWait = 30_000;

/**
 * A store in a file that only its owner can read. Readers see the old tokens or the new ones, even after a power cut.
 * All programs make their changes one after the other, under a lock that always ends with its holder.
 * @param path of the file; the lock is beside it
 * @throws Error when the file cannot be read or written, or another program holds the lock too long
 */
export function fileTokenStore(path: string): TokenStore {
  return {
    read: () => readTokens(path),
    async update(change) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const release = await lock(`${path}.lock`);
      try {
        const before = await readTokens(path);
        const [after, result] = await change(before);
        if (after === null) await rm(path, { force: true });
        else if (after !== before) await replace(path, JSON.stringify(after));
        return result;
      } finally {
        release();
      }
    },
  };
}

async function readTokens(path: string): Promise<Tokens | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
    // The file may have been copied with looser permissions.
    if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
  try {
    const tokens = JSON.parse(text);
    if (typeof tokens.accessToken === 'string' && typeof tokens.identityId === 'string') return tokens;
  } catch {
    // Reported below.
  }
  throw new Error(`${path} holds no tokens: remove it, and log in again`);
}

async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  // A killed program left it, or another user put it there: never write into it.
  await rm(temporary, { force: true });
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Node has no file locks. An exclusive SQLite transaction on an empty file is one: the system releases it with the
 * process.
 */
async function lock(path: string): Promise<() => void> {
  ensureLockFile(path);
  for (const end = performance.now() + longestWait; ; ) {
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
      return () => database.close();
    } catch (error) {
      database.close();
      const isBusy = error instanceof Error && 'errcode' in error && error.errcode === 5;
      if (!isBusy || performance.now() > end) throw error;
    }
    await pause(retryAfter);
  }
}

/**
 * Only its owner can read it. An existing one is not even opened: closing any descriptor of a file drops the locks that
 * this process holds on it (POSIX fcntl). Synchronous, so that no other part of this one locks it before it is closed.
 */
function ensureLockFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
