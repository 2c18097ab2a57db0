import type { Account } from '../../model/account.ts';
import type { AuthPolicy } from '../../model/auth-policy.ts';
import type {
  Authenticator,
  CertificateAuthenticator,
  PasswordAuthenticator,
} from '../../model/authenticator.ts';
import type { Identity, Tags } from '../../model/identity.ts';
import type { ApiSessionId, AuthenticatorId, IdentityId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

export interface NewPasswordAuthenticator {
  readonly id: AuthenticatorId;
  readonly identityId: IdentityId;
  readonly username: string;
  /** The one form under which a user name is looked up; unique (see usernameKey in login/password/password.ts). */
  readonly usernameKey: string;
  /** PHC string. */
  readonly passwordHash: string;
  readonly tags: Tags;
}

/** Everything that a password login needs, in one read. */
export interface PasswordLogin extends Account {
  readonly authenticator: PasswordAuthenticator;
  readonly passwordHash: string;
}

export type NewCertificateAuthenticator = Pick<
  CertificateAuthenticator,
  'id' | 'identityId' | 'certPem' | 'thumbprint' | 'tags'
>;

export interface KeepSuccessor {
  readonly id: AuthenticatorId;
  /** That of the certificate whose key the client has proven; another one by now keeps nothing. */
  readonly currentThumbprint: string;
  readonly certPem: string;
  readonly thumbprint: string;
  /** Without one, nothing is kept once a new key was asked for. */
  readonly hasNewKey: boolean;
}

/** Everything that a certificate login needs, in one read. */
export interface CertificateLogin {
  readonly authenticator: CertificateAuthenticator;
  readonly identity: Identity;
  readonly policy: AuthPolicy;
}

export type LockableAuthenticator = Authenticator & {
  /** When the lock of a password ends or ended; null when there was none recently. */
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
  findPasswordLogin(usernameKey: string): Promise<PasswordLogin | null>;
  /** @throws AlreadyTaken `username`, or `method` when the identity already has a password */
  createPassword(authenticator: NewPasswordAuthenticator, now: Millis): Promise<void>;
  /** @param thumbprint SHA-256 of the DER leaf, base64url */
  findCertificateLogin(thumbprint: string): Promise<CertificateLogin | null>;
  /** @throws AlreadyTaken `certPem` (of any identity), or `method` when the identity already has a certificate */
  createCertificate(authenticator: NewCertificateAuthenticator, now: Millis): Promise<void>;
  /**
   * Notes that an administrator wants a certificate replaced.
   * @param rollKey a successor that was kept before is withdrawn: it may have the key that is to go
   * @returns false when there is no such certificate
   */
  requestExtension(id: AuthenticatorId, rollKey: boolean, now: Millis): Promise<boolean>;
  /** Keeps a successor beside the certificate, in the place of an earlier one. It logs nobody in. */
  keepSuccessor(keep: KeepSuccessor): Promise<boolean>;
  /**
   * Puts the successor with this thumbprint in the place of the certificate; what was requested is fulfilled. When a
   * new key was, the sessions that the certificate opened end with the former one.
   * @returns false when it is not the one that is kept
   */
  promoteSuccessor(promote: PromoteSuccessor): Promise<boolean>;
  find(id: AuthenticatorId): Promise<Authenticator | null>;
  list(query: ListQuery): Promise<Page<ListedAuthenticator>>;
  /** Those of some identities. */
  listOf(identityIds: readonly IdentityId[]): Promise<readonly LockableAuthenticator[]>;
  /**
   * Sets user name or password. A new password ends the identity's sessions, except one if named, and its logins in
   * progress in the same step.
   * @returns false when there is no such authenticator
   * @throws AlreadyTaken `username`
   */
  updatePassword(
    id: AuthenticatorId,
    patch: { username?: string; usernameKey?: string; passwordHash?: string; tags?: Tags },
    when: WhenPasswordChanges,
  ): Promise<boolean>;
  /** Stores the same password under newer parameters. Does nothing when the hash is no longer `oldHash`. */
  rehashPassword(id: AuthenticatorId, oldHash: string, newHash: string): Promise<void>;
  /**
   * Deletes an authenticator, ends the sessions it opened and the identity's logins in progress.
   * @returns false when there is none
   * @throws NoAdministratorLeft
   */
  delete(id: AuthenticatorId, now: Millis): Promise<boolean>;
}
