import type { Millis } from '../../platform/clock.ts';
import type { NewPassword } from './authenticators.ts';
import type { NewIdentity } from './identities.ts';

export interface RedeemSetupLink {
  readonly tokenHash: string;
  readonly admin: NewIdentity;
  readonly password: NewPassword;
  readonly now: Millis;
}

export interface SetupLinkStore {
  /** Stores a one-time link for setting up an administrator. Earlier unused links stop working. */
  create(link: { id: string; tokenHash: string; expiresAt: Millis; now: Millis }): Promise<void>;
  /** `usable`, or why it is not. Does not use the link up. */
  check(tokenHash: string, now: Millis): Promise<'usable' | 'used' | 'expired' | 'unknown'>;
  /**
   * Uses the link up and creates the administrator with a password in the same step.
   * Exactly one of any number of concurrent calls creates one.
   * @throws AlreadyTaken `name` or `username`; the link stays usable
   */
  redeem(redeem: RedeemSetupLink): Promise<'created' | 'used' | 'expired' | 'unknown'>;
}
