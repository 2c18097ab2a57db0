import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { MasterKey } from '../../../platform/secrets/key-file-format.ts';
import { createKeyFile } from '../../../platform/secrets/master-key.ts';

/** For files that contain a secret. */
export const ownerOnly = 0o600;
export const readable = 0o644;

/** The temporary name of `path` while it is written. A leftover of an interrupted run is replaced. */
export function partialOf(path: string): string {
  return `${path}.partial`;
}

/**
 * Writes a file completely or not at all, whenever the machine stops. Replaces an existing file; the caller holds the
 * run lock of the home.
 */
export function writeWhole(path: string, text: string, mode: number): void {
  const partial = partialOf(path);
  rmSync(partial, { force: true });
  const file = openSync(partial, 'wx', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  giveName(partial, path);
}

/** Renames, and makes the new name durable. */
export function giveName(partial: string, path: string): void {
  renameSync(partial, path);
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Makes a key-encryption key in a file, completely or not at all. */
export function writeKeyFile(path: string, passphrase: string | undefined): MasterKey {
  const partial = partialOf(path);
  rmSync(partial, { force: true });
  const made = createKeyFile(partial, { passphrase });
  giveName(partial, path);
  return made;
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
