import type { Random } from '../platform/random.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import { deriveSecret } from '../platform/secrets/sealed-box.ts';
import type { KeyStore } from '../store/contracts/keys.ts';

/** Secrets that all nodes share and only this service uses. */
export interface ServerSecrets {
  /** Authenticates opaque tokens. */
  readonly tagKey: Buffer;
  /** Root of the keys that seal authorization requests. */
  readonly authRequestRoot: Buffer;
  /** Authenticates nonces for DPoP proofs. */
  readonly dpopNonceKey: Buffer;
  /** Hashes recovery codes. */
  readonly recoveryKey: Buffer;
  /** Keys the hash that stands for an unknown user name in decision records. */
  readonly unknownNameKey: Buffer;
  /** Makes up passkeys of names that have none. */
  readonly decoyKey: Buffer;
}

/**
 * Reads the server secrets, which the first node made. The store keeps them sealed under the key-encryption key, so
 * that replacing that key only seals them again and ends no session.
 */
export async function openServerSecrets(needs: {
  keys: KeyStore;
  vault: KeyVault;
  random: Random;
}): Promise<ServerSecrets> {
  const name = 'root';
  const label = serverSecretLabel(name);
  const sealed = await needs.keys.serverSecret(name, () => needs.vault.seal(needs.random.bytes(32), label));
  const root = needs.vault.open(sealed, label);
  return {
    tagKey: deriveSecret(root, 'opaque-token-tag v1'),
    authRequestRoot: deriveSecret(root, 'auth-request v1'),
    dpopNonceKey: deriveSecret(root, 'dpop-nonce v1'),
    recoveryKey: deriveSecret(root, 'recovery-code v1'),
    unknownNameKey: deriveSecret(root, 'unknown-user-name v1'),
    decoyKey: deriveSecret(root, 'passkey-decoy v1'),
  };
}

export function serverSecretLabel(name: string): string {
  return `server-secret/${name}`;
}
