import type { Random } from '../platform/random.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import { deriveSecret } from '../platform/secrets/sealed-box.ts';
import type { KeyStore } from '../store/contracts/keys.ts';

/**
 * Reads the secrets that all nodes share and only this service uses, which the first node made. The store keeps them
 * sealed under the key-encryption key, so that replacing that key only seals them again and ends no session.
 */
export async function openServerSecrets(needs: { keys: KeyStore; vault: KeyVault; random: Random }) {
  const name = 'root';
  const label = serverSecretLabel(name);
  const sealed = await needs.keys.serverSecret(name, () => needs.vault.seal(needs.random.bytes(32), label));
  const root = needs.vault.open(sealed, label);
  return {
    /** Authenticates opaque tokens. */
    tagKey: deriveSecret(root, 'opaque-token-tag v1'),
    /** Root of the keys that seal authorization requests. */
    authRequestRoot: deriveSecret(root, 'auth-request v1'),
    /** Authenticates nonces for DPoP proofs. */
    dpopNonceKey: deriveSecret(root, 'dpop-nonce v1'),
    /** Hashes recovery codes. */
    recoveryKey: deriveSecret(root, 'recovery-code v1'),
    /** Keys the hash that stands for an unknown user name in decision records. */
    unknownNameKey: deriveSecret(root, 'unknown-user-name v1'),
    /** Makes up passkeys of names that have none. */
    decoyKey: deriveSecret(root, 'passkey-decoy v1'),
  };
}

export function serverSecretLabel(name: string): string {
  return `server-secret/${name}`;
}
