// The key file, and the files beside it while one key-encryption key replaces another: see rekey-database.ts.

import { existsSync, statSync } from 'node:fs';
import { type KeyVault, keyVault, vaultKey } from './key-vault.ts';
import { keyPassphrase, readKeyFile } from './master-key.ts';
import type { SealingKey } from './sealed-box.ts';

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
 * @param env   holds the passphrase of the key files, if they have one
 * @param given the key of the first thread, whose other threads need not read the key file
 * @throws KeyFileError the key file cannot be used
 */
export function openVault(path: string, env: Environment, given?: SealingKey): KeyVault {
  const read = keyFileReader(env);
  const besides = (file: string) => (existsSync(file) ? [read(file)] : []);
  // The key file itself may contain the next key by now, if this process has not noticed the change yet.
  return keyVault(given ?? read(path), () => ({
    newer: [path, nextKeyFile(path)].flatMap(besides),
    older: besides(previousKeyFile(path)),
  }));
}

/** Reads a file again only if it has changed: a passphrase is expensive on purpose. */
function keyFileReader(env: Environment): (file: string) => SealingKey {
  const known = new Map<string, SealingKey>();
  return (file) => {
    const state = `${file} ${stateOf(file)}`;
    const key = known.get(state) ?? vaultKey(readKeyFile(file, { passphrase: keyPassphrase(env) }).bytes);
    known.set(state, key);
    return key;
  };
}

function stateOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? '-' : `${stats.ino}:${stats.mtimeMs}`;
}
