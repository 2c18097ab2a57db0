import { decodeBase64url } from '../digest.ts';
import { deriveKey, open, SealBroken, sealText } from './sealed-box.ts';

/** Seals and opens secrets under the key-encryption key; the label is authenticated with them. */
export interface KeyVault {
  seal(secret: Uint8Array, label: string): string;
  /** @throws when the text was not sealed under this key and label */
  open(sealed: string, label: string): Buffer;
}

/**
 * Seals what the store keeps of secrets.
 * @param masterKey the key-encryption key, 32 bytes; never in the database
 */
export function keyVault(masterKey: Buffer): KeyVault {
  const key = deriveKey(masterKey, 'key-vault v1');
  return {
    seal: (secret, label) => sealText(key, secret, label),
    open(sealed, label) {
      const box = decodeBase64url(sealed);
      if (box === undefined) throw new SealBroken('malformed');
      return open(key, box, label);
    },
  };
}
