// The key file, and the files beside it while one key-encryption key replaces another: see rekey-database.ts.

import { existsSync, statSync } from 'node:fs';
import { type KeyVault, keyVault, type OtherKeys } from './key-vault.ts';
import { keyPassphrase, readKeyFile } from './master-key.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The key that will replace the one in the key file. */
export function nextKeyFile(path: string): string {
  return `${path}.next`;
}

/** The key that was replaced last, which older backups need. */
export function previousKeyFile(path: string): string {
  return `${path}.previous`;
}

/**
 * The vault of a controller or a command. It also opens secrets that were sealed under the keys beside the key file,
 * including those added later.
 * @param env holds the passphrase of the key files, if they have one
 * @throws KeyFileError the key file cannot be used
 */
export function openVault(path: string, env: Environment): KeyVault {
  return keyVault(readKeyFile(path, { passphrase: keyPassphrase(env) }).bytes, otherKeysNear(path, env));
}

/** Reads the files again only if one has changed: a passphrase is expensive on purpose. */
function otherKeysNear(path: string, env: Environment): () => OtherKeys {
  let state = '';
  let keys: OtherKeys = { newer: [], older: [] };
  const read = (file: string): readonly Buffer[] =>
    existsSync(file) ? [readKeyFile(file, { passphrase: keyPassphrase(env) }).bytes] : [];
  return () => {
    const [next, previous] = [nextKeyFile(path), previousKeyFile(path)];
    const found = [path, next, previous].map(stateOf).join(' ');
    if (found !== state) {
      // The key file itself may contain the next key by now, if this process has not noticed the change yet.
      keys = { newer: [...read(path), ...read(next)], older: read(previous) };
      state = found;
    }
    return keys;
  };
}

function stateOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? '-' : `${stats.ino}:${stats.mtimeMs}`;
}
