import { hkdfSync } from 'node:crypto';
import type { Random } from '../platform/random.ts';
import type { KeyStore } from '../store/contracts/keys.ts';
import type { KeyVault } from './key-ring.ts';

/** Secrets that all nodes share and that only this service ever uses. */
export interface ServerSecrets {
  /** Authenticates opaque tokens. */
  readonly tagKey: Buffer;
  /** Root of the keys that seal authorization requests. */
  readonly authRequestRoot: Buffer;
}

/**
 * Reads the server secrets, made by whichever node came first. They are kept in the store, sealed under the
 * key-encryption key, so that replacing that key needs a rewrap and ends nobody's session.
 */
export async function openServerSecrets(needs: {
  readonly keys: KeyStore;
  readonly vault: KeyVault;
  readonly random: Random;
}): Promise<ServerSecrets> {
  const name = 'root';
  const sealed = await needs.keys.serverSecret(name, () =>
    needs.vault.seal(needs.random.bytes(32), `server-secret/${name}`),
  );
  const root = needs.vault.open(sealed, `server-secret/${name}`);
  return {
    tagKey: deriveSecret(root, 'opaque-token-tag'),
    authRequestRoot: deriveSecret(root, 'auth-request'),
  };
}

/** 32 bytes for one purpose (RFC 5869). Different labels give independent keys. */
export function deriveSecret(root: Buffer, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), `overlay-auth/${label}`, 32));
}
