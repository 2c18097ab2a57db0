import type { Millis } from '../platform/clock.ts';

/** A device without a browser that waits for a person to sign in elsewhere (RFC 8628). */
export interface DeviceLogin {
  readonly id: string;
  /** S256 of the device code, base64url: the device code is the PKCE verifier of the login. */
  readonly codeChallenge: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Some of those that it asked for and the client does not have. */
  readonly droppedScopes: readonly string[];
  /** Issuer of the bind point at which the device asked. */
  readonly issuer: string;
  /** Where the device asked from. */
  readonly ipAddress: string;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
  readonly state: 'waiting' | 'approved' | 'denied';
  /** The authorization code of the finished login, sealed; null until then. */
  readonly sealedCode: string | null;
}
