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
] as const;
export type SealedKind = (typeof sealedKinds)[number];

export interface SealedSecret {
  /** What it belongs to: kid, name, id of the enrollment or identity, flow. */
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
  /** Every signing key that is not yet removed at `now`, oldest first. */
  listSigningKeys(now: Millis): Promise<readonly SigningKey[]>;
  /**
   * Adds a key and sets when the ones before it stop signing and leave, in one step; leaves a change-feed entry.
   * Guarded by the kid of the newest key of that algorithm that the caller saw, so that of two nodes rotating at
   * once one wins. @returns false when another rotation came first
   */
  rotateSigningKey(rotation: {
    next: SigningKey;
    newestSeen: string | null;
    /** For every older key of the same algorithm that is not yet retired. */
    retireOldAt: Millis;
    removeOldAt: Millis;
  }): Promise<boolean>;
  /**
   * What is sealed under the key-encryption key, by id, whatever has become of what it belongs to.
   * @param after the last id of the page before; empty for the first page
   */
  listSealed(kind: SealedKind, after: string, limit: number): Promise<readonly SealedSecret[]>;
  /**
   * Puts the same secret, sealed again, in the place of what was read; leaves a change-feed entry for a signing key.
   * @returns false when it is no longer there, or another one
   */
  replaceSealed(replace: ReplaceSealed): Promise<boolean>;
  /** The named server secret (sealed text), created from `make` by whoever comes first. */
  serverSecret(name: string, make: () => string): Promise<string>;
}
