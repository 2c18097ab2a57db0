import type { Account } from '../../model/account.ts';
import type {
  Authenticator,
  CertificateAuthenticator,
  PasswordAuthenticator,
} from '../../model/authenticator.ts';
import type { AuthPolicy } from '../../model/entities/auth-policy.ts';
import type { Tags } from '../../model/entities/entity.ts';
import type { Identity } from '../../model/entities/identity.ts';
import type { ApiSessionId, AuthenticatorId, IdentityId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { UserName, UsernameKey } from '../../model/names.ts';
import type { Millis } from '../../platform/clock.ts';

export interface NewPassword extends UserName {
  readonly id: string;
  /** PHC string. */
  readonly passwordHash: string;
}

export interface NewPasswordAuthenticator extends NewPassword {
  readonly id: AuthenticatorId;
  readonly identityId: IdentityId;
  readonly tags: Tags;
}

/** Everything a password login needs, in one read. */
export interface PasswordLogin extends Account {
  readonly authenticator: PasswordAuthenticator;
  readonly passwordHash: string;
  /** When its lock ends or ended; null when there was none recently. */
  readonly lockedUntil: Millis | null;
}

export type NewCertificateAuthenticator = Pick<
  CertificateAuthenticator,
  'id' | 'identityId' | 'certPem' | 'thumbprint' | 'tags'
>;

export interface KeepSuccessor {
  readonly id: AuthenticatorId;
  /** The certificate whose key the client has proven. If it has been replaced since, nothing is stored. */
  readonly currentThumbprint: string;
  readonly certPem: string;
  readonly thumbprint: string;
  /** If false, nothing is stored once a new key was requested. */
  readonly hasNewKey: boolean;
}

/** Everything a certificate login needs, in one read. */
export interface CertificateLogin {
  readonly authenticator: CertificateAuthenticator;
  readonly identity: Identity;
  readonly policy: AuthPolicy;
}

export type LockableAuthenticator = Authenticator & {
  /** When the password's lock ends or ended; null when there was none recently. */
  readonly lockedUntil: Millis | null;
};

/** An authenticator as administrators see it. */
export type ListedAuthenticator = LockableAuthenticator & { readonly identityName: string };

export interface PromoteSuccessor {
  readonly id: AuthenticatorId;
  readonly thumbprint: string;
  readonly now: Millis;
  /** Continues all the same. */
  readonly exceptSession: ApiSessionId;
}

export interface WhenPasswordChanges {
  readonly now: Millis;
  /** Does not end with the former password. */
  readonly exceptSession?: string;
  /** Nothing changes unless the authenticator still has this hash. */
  readonly verifiedHash?: string;
}

export interface AuthenticatorStore {
  findPasswordLogin(usernameKey: UsernameKey): Promise<PasswordLogin | null>;
  /** @throws AlreadyTaken `username`, or `method` when the identity already has a password */
  createPassword(authenticator: NewPasswordAuthenticator, now: Millis): Promise<void>;
  /** @param thumbprint SHA-256 of the DER leaf, base64url */
  findCertificateLogin(thumbprint: string): Promise<CertificateLogin | null>;
  /** @throws AlreadyTaken `certPem` (of any identity) */
  createCertificate(authenticator: NewCertificateAuthenticator, now: Millis): Promise<void>;
  /**
   * Records that an administrator wants a certificate replaced.
   * @param rollKey withdraws a stored successor, which may have the key that has to go
   * @returns false when there is no such certificate
   */
  requestExtension(id: AuthenticatorId, rollKey: boolean, now: Millis): Promise<boolean>;
  /** Stores a successor beside the certificate, replacing an earlier one. It cannot be used for a login yet. */
  keepSuccessor(keep: KeepSuccessor): Promise<boolean>;
  /**
   * Replaces the certificate by the successor with this thumbprint; pending requests are fulfilled. If a new key was
   * requested, the sessions that the old certificate opened end.
   * @returns false when this is not the stored successor
   */
  promoteSuccessor(promote: PromoteSuccessor): Promise<boolean>;
  find(id: AuthenticatorId): Promise<Authenticator | null>;
  /** One as a list shows it. */
  findListed(id: string): Promise<ListedAuthenticator | null>;
  list(query: ListQuery): Promise<Page<ListedAuthenticator>>;
  /** The authenticators of these identities. */
  listOf(identityIds: readonly IdentityId[]): Promise<readonly LockableAuthenticator[]>;
  /**
   * Sets user name or password. In the same step, a new password ends the identity's sessions, except one if given, and
   * its logins in progress.
   * @returns false when there is no such authenticator
   * @throws AlreadyTaken `username`
   */
  updatePassword(
    id: AuthenticatorId,
    patch: Partial<UserName> & { readonly passwordHash?: string; readonly tags?: Tags },
    when: WhenPasswordChanges,
  ): Promise<boolean>;
  /** Stores the same password with newer hash parameters. Does nothing when the hash is no longer `oldHash`. */
  rehashPassword(id: AuthenticatorId, oldHash: string, newHash: string): Promise<void>;
  /**
   * Deletes an authenticator, ends the sessions it opened and the identity's logins in progress.
   * @returns false when there is none
   * @throws NoAdministratorLeft
   */
  delete(id: AuthenticatorId, now: Millis): Promise<boolean>;
}
