import { decodeBase64url } from '../platform/digest.ts';
import { deriveKey, open, SealBroken, sealText } from '../platform/sealed-box.ts';
import type { KeyVault } from './key-ring.ts';

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
