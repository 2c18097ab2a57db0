import type { Millis } from '../platform/clock.ts';
import type { Tags } from './entities/entity.ts';
import type { AuthenticatorId, IdentityId } from './ids.ts';
import type { UserName } from './names.ts';

interface AuthenticatorBase {
  readonly id: AuthenticatorId;
  readonly identityId: IdentityId;
  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** Username and password (`updb`). One per identity. */
export interface PasswordAuthenticator extends AuthenticatorBase, UserName {
  readonly method: 'updb';
  /** When the password was set. */
  readonly passwordSetAt: Millis;
}

/** A client certificate. */
export interface CertificateAuthenticator extends AuthenticatorBase {
  readonly method: 'cert';
  /** PEM of the leaf. */
  readonly certPem: string;
  /** SHA-256 of the DER leaf, base64url. */
  readonly thumbprint: string;
  /** When it expires; null: an import brought what cannot be read. */
  readonly certExpiresAt: Millis | null;
  /** An administrator wants the client to replace it. */
  readonly isExtendRequested: boolean;
  /** Also with a new key. */
  readonly isKeyRollRequested: boolean;
}

/** A credential for a primary login. */
export type Authenticator = PasswordAuthenticator | CertificateAuthenticator;
