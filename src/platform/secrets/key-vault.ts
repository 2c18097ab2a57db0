import { decodeBase64url } from '../digest.ts';
import { deriveKey, open, SealBroken, type SealingKey, sealedWith, sealText } from './sealed-box.ts';

/** Seals and opens secrets under the key-encryption key; the label is authenticated with them. */
export type KeyVault = ReturnType<typeof keyVault>;

/** Keys of further key-encryption keys, while one replaces another (`keys rekey`). */
export interface OtherKeys {
  readonly newer: readonly SealingKey[];
  readonly older: readonly SealingKey[];
}

/**
 * Seals the secrets in the store.
 * @param ownKey of `vaultKey`; never in the database
 * @param others asked when something was sealed under a key that is not known yet. The first text that opens with a
 * newer key shows that every node has that key, which seals from then on
 */
export function keyVault(ownKey: SealingKey, others: () => OtherKeys = () => ({ newer: [], older: [] })) {
  let sealing = ownKey;
  let known: readonly SealingKey[] = [sealing];
  let newer: ReadonlySet<string> = new Set();
  /** Keys that have sealed here: none of them becomes the newest again. */
  const used = new Set([sealing.id]);

  function readOtherKeys(): void {
    const beside = others();
    const all = [...known, ...beside.newer, ...beside.older];
    known = [...new Map(all.map((key) => [key.id, key])).values()];
    newer = new Set([...newer, ...beside.newer.map((key) => key.id)]);
  }

  function keyOf(box: Buffer): SealingKey {
    const id = sealedWith(box);
    const named = () => known.find((key) => key.id === id);
    const found = named();
    if (found !== undefined) return found;
    readOtherKeys();
    const now = named();
    if (now === undefined) throw new SealBroken(id === undefined ? 'malformed' : 'unknown key', id);
    return now;
  }

  return {
    /** Reads the keys beside it again. @throws KeyFileError one cannot be used */
    readOtherKeys,
    seal: (secret: Uint8Array, label: string) => sealText(sealing, secret, label),
    /** @throws SealBroken   the text was not sealed under a known key with this label */
    open(sealed: string, label: string): Buffer {
      const box = boxOf(sealed);
      const key = keyOf(box);
      const secret = open([key], box, label);
      if (newer.has(key.id) && !used.has(key.id)) {
        used.add(key.id);
        sealing = key;
      }
      return secret;
    },
    /** Whether the text is sealed under the key that seals now. */
    isCurrent: (sealed: string) => sealedWith(boxOf(sealed)) === sealing.id,
    /** The public ids of all keys that open here, the sealing key first, including readable ones beside the key file. */
    keyIds(): readonly string[] {
      try {
        readOtherKeys();
      } catch {
        // A file that cannot be read provides no key.
      }
      return [sealing, ...known.filter((key) => key !== sealing)].map(({ id }) => id);
    },
    /** The key that seals now, for the vault of another thread. The key-encryption key cannot be found from it. */
    sealingKey: (): SealingKey => sealing,
  };
}

/** The key with which a key-encryption key seals. @param masterKey 32 bytes */
export function vaultKey(masterKey: Uint8Array): SealingKey {
  return deriveKey(masterKey, 'key-vault v1');
}

function boxOf(sealed: string): Buffer {
  const box = decodeBase64url(sealed);
  if (box === undefined) throw new SealBroken('malformed');
  return box;
}
