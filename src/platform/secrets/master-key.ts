// The key-encryption key: 32 random bytes in a small text file outside the database. Everything else sealed at rest is
// sealed with keys derived from it.

import { rmSync, type Stats } from 'node:fs';
import { fileErrorReason } from '../file-error-reason.ts';
import { shellWord } from '../formats/shell-word.ts';
import { MalformedInput, textOfFile } from '../formats/strict-input.ts';
import { systemRandom } from '../random.ts';
import { readBytes } from '../read-file.ts';
import { createSynced, giveName, ownerOnly, partialOf } from '../whole-file.ts';
import { encodeKeyFile, KeyFileError, type MasterKey, masterKey, parseKeyFile } from './key-file-format.ts';

const keyBytes = 32;
const largestKeyFile = 16 * 1024;

/**
 * Makes a new key and writes it, readable by its owner only. Never replaces an existing file: without the old key,
 * everything sealed with it is lost.
 * @param options.passphrase wraps the key; the file is useless without the same passphrase
 * @throws KeyFileError exists, unwritable, passphrase unusable
 */
export function createKeyFile(path: string, options: { passphrase?: string | undefined } = {}): MasterKey {
  const key = masterKey(systemRandom.bytes(keyBytes), options.passphrase !== undefined);
  const text = encodeKeyFile(key, options.passphrase);
  try {
    createSynced(path, text, ownerOnly);
  } catch (error) {
    if (errorCode(error) === 'EEXIST')
      throw new KeyFileError(
        'exists',
        `${path} exists already and was not changed: a key is never overwritten.`,
      );
    throw new KeyFileError(
      'unwritable',
      `The key file ${path} cannot be written: ${fileErrorReason(error)}.`,
    );
  }
  return key;
}

/** Makes a key-encryption key in a file, completely or not at all. */
export function writeKeyFile(path: string, passphrase: string | undefined): MasterKey {
  const partial = partialOf(path);
  rmSync(partial, { force: true });
  const made = createKeyFile(partial, { passphrase });
  giveName(partial, path);
  return made;
}

/**
 * Reads the key from its file.
 * @throws KeyFileError missing, unreadable, too open, malformed, passphrase missing, passphrase wrong;
 * its message is one sentence for the operator and contains nothing of the key
 */
export function readKeyFile(path: string, options: { passphrase?: string | undefined } = {}): MasterKey {
  let text: string;
  try {
    text = readBytes(path, (stats) => refuseUnsuitable(path, stats)).toString('utf8');
  } catch (error) {
    if (error instanceof KeyFileError) throw error;
    if (errorCode(error) === 'ENOENT') throw new KeyFileError('missing', `There is no key file at ${path}.`);
    throw new KeyFileError('unreadable', `The key file ${path} cannot be read: ${fileErrorReason(error)}.`);
  }
  return parseKeyFile(text, path, options.passphrase);
}

/**
 * The passphrase in OVERLAY_AUTH_KEY_PASSPHRASE, or in the file that OVERLAY_AUTH_KEY_PASSPHRASE_FILE names (without
 * one line break at its end), or undefined.
 * @throws KeyFileError passphrase unusable: both are set, one is empty, or the file cannot be read
 */
export function keyPassphrase(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const direct = env.OVERLAY_AUTH_KEY_PASSPHRASE;
  const path = env.OVERLAY_AUTH_KEY_PASSPHRASE_FILE;
  if (direct !== undefined && path !== undefined)
    throw unusable('Set OVERLAY_AUTH_KEY_PASSPHRASE or OVERLAY_AUTH_KEY_PASSPHRASE_FILE, not both.');
  if (direct === '') throw unusable('OVERLAY_AUTH_KEY_PASSPHRASE is set but empty.');
  if (path === undefined) return direct;
  let text: string;
  try {
    text = textOfFile(readBytes(path)).replace(/\r?\n$/, '');
  } catch (error) {
    const reason = error instanceof MalformedInput ? error.reason : fileErrorReason(error);
    throw unusable(`The file ${path}, named by OVERLAY_AUTH_KEY_PASSPHRASE_FILE, cannot be read: ${reason}.`);
  }
  if (text === '') throw unusable(`The file ${path}, named by OVERLAY_AUTH_KEY_PASSPHRASE_FILE, is empty.`);
  return text;
}

function refuseUnsuitable(path: string, stats: Stats): void {
  if (stats.size > largestKeyFile)
    throw new KeyFileError('malformed', `${path} is too large to be a key file.`);
  if (process.platform === 'win32') return;
  // Secrets mounted by an orchestrator belong to root and are readable by a group. That much is accepted.
  const allowed = stats.uid === 0 ? 0o640 : 0o600;
  const mode = stats.mode & 0o777;
  if ((mode & 0o077 & ~allowed) === 0) return;
  const shown = mode.toString(8).padStart(4, '0');
  throw new KeyFileError(
    'too open',
    `The key file ${path} is open to other users (mode ${shown}); run: chmod 600 ${shellWord(path)}`,
  );
}

function unusable(message: string): KeyFileError {
  return new KeyFileError('passphrase unusable', message);
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
