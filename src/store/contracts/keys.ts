import type { SigningKey } from '../../model/signing-key.ts';
import type { Millis } from '../../platform/clock.ts';

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
  /** The named server secret (sealed text), created from `make` by whoever comes first. */
  serverSecret(name: string, make: () => string): Promise<string>;
}
