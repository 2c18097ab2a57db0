import type { SigningKey } from '../../model/signing-key.ts';
import type { Millis } from '../../platform/clock.ts';

/** Where sealed secrets are. */
export const sealedKinds = [
  'signing-key',
  'server-secret',
  'enrollment',
  'totp',
  'pending-totp',
  'device-login',
  'signer',
  'event-subscription',
] as const;
export type SealedKind = (typeof sealedKinds)[number];

export interface SealedSecret {
  /** Its owner: kid, name, id of the enrollment or identity, flow. */
  readonly id: string;
  readonly sealed: string;
}

export interface ReplaceSealed {
  readonly kind: SealedKind;
  /** As it was read. */
  readonly secret: SealedSecret;
  /** The same secret, sealed again. */
  readonly sealed: string;
  readonly now: Millis;
}

export interface KeyStore {
  /** Every signing key that is not removed at `now`, oldest first. */
  listSigningKeys(now: Millis): Promise<readonly SigningKey[]>;
  /**
   * Adds a key and sets when the previous ones stop signing and are removed, in one step. Adds a change-feed entry. The
   * caller passes the kid of the newest key of that algorithm it knows, so that one of two nodes that rotate at once
   * wins. @returns false when another rotation came first
   */
  rotateSigningKey(rotation: {
    next: SigningKey;
    newestSeen: string | null;
    /** For every older key of the same algorithm that is not retired yet. */
    retireOldAt: Millis;
    removeOldAt: Millis;
  }): Promise<boolean>;
  /**
   * Everything sealed under the key-encryption key, by id, even if its owner has ended.
   * @param after the last id of the previous page; empty for the first page
   */
  listSealed(kind: SealedKind, after: string, limit: number): Promise<readonly SealedSecret[]>;
  /**
   * Replaces a sealed value by the same secret sealed anew. Adds a change-feed entry for a signing key.
   * @returns false when the value is gone or has changed
   */
  replaceSealed(replace: ReplaceSealed): Promise<boolean>;
  /** The named server secret (sealed text). The first call creates it from `make`. */
  serverSecret(name: string, make: () => string): Promise<string>;
}
