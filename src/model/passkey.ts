import type { Millis } from '../platform/clock.ts';
import type { CheckedAttestation } from '../platform/webauthn.ts';
import type { AuthenticatorId, IdentityId } from './ids.ts';

/** How many passkeys one identity may have. */
export const mostPasskeys = 20;

/** The passkeys that all auth policies together allow. */
export interface PasskeyRules {
  /** Some policy lets a passkey open a login. */
  readonly mayOpen: boolean;
  /** Some such policy does not require user verification. */
  readonly mayBeUnverified: boolean;
}

/** A passkey: a WebAuthn credential of an identity. The private key never leaves the authenticators of its owner. */
export interface Passkey extends Omit<CheckedAttestation, 'isUserVerified'> {
  readonly id: AuthenticatorId;
  readonly identityId: IdentityId;
  /** As its owner calls it. */
  readonly name: string;
  /** The domain it belongs to. Elsewhere no browser offers it. */
  readonly rpId: string;
  /** How its authenticator can be reached (WebAuthn level 3, section 5.8.4), a hint for the browser. */
  readonly transports: readonly string[];
  /** Whether it says itself whose it is. For others the user name is typed first. */
  readonly isDiscoverable: boolean;
  /** When its counter was last seen to go back, a sign that the key was copied; null: never. */
  readonly clonedAt: Millis | null;
  readonly createdAt: Millis;
  /** Null: never. */
  readonly lastUsedAt: Millis | null;
}
