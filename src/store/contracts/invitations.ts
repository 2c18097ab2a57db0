import type { AuthPolicy } from '../../model/auth-policy.ts';
import type { Identity } from '../../model/identity.ts';
import type { AuthenticatorId, IdentityId } from '../../model/ids.ts';
import type { Invitation } from '../../model/invitation.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

export type NewInvitation = Invitation & {
  /** SHA-256 of the token, base64url. The token itself is stored nowhere. */
  readonly tokenHash: string;
};

/** An invitation as administrators see it. */
export type ListedInvitation = Invitation & {
  readonly identityName: string;
  /** Null where `madeBy` is. */
  readonly madeByName: string | null;
};

/** Everything needed to decide about a link, in one read. */
export interface OpenInvitation {
  readonly invitation: Invitation;
  readonly identity: Identity;
  readonly policy: AuthPolicy;
  /** Of the password that the identity has; null when it has none yet. */
  readonly username: string | null;
}

export interface InvitationRedemption {
  readonly tokenHash: string;
  /** The user name is for an identity without a password; one that has a password keeps its own. */
  readonly password: {
    readonly id: AuthenticatorId;
    readonly identityId: IdentityId;
    readonly username: string;
    readonly usernameKey: string;
    readonly passwordHash: string;
  };
  readonly now: Millis;
}

export interface InvitationStore {
  /**
   * Takes the place of the one that the identity has.
   * @returns `unknown` without such an identity; `disabled`; `beyond-help` for one by a helper when the identity
   *   administers or has a permission
   */
  create(invitation: NewInvitation, now: Millis): Promise<'created' | 'unknown' | 'disabled' | 'beyond-help'>;
  /** Also an expired one. */
  find(identityId: IdentityId): Promise<Invitation | null>;
  /** Also expired ones, until they are deleted a week later. */
  list(query: ListQuery): Promise<Page<ListedInvitation>>;
  /** Also an expired one. */
  findByTokenHash(tokenHash: string): Promise<OpenInvitation | null>;
  /**
   * Uses the link up and sets the password in the same step; exactly one of any number of concurrent calls does. Locks
   * of the password end, and so do logins in progress and an enrollment with a password; sessions only where the
   * invitation says so.
   * @throws AlreadyTaken `username`; the link stays good
   */
  redeem(redemption: InvitationRedemption): Promise<'set' | 'unknown' | 'expired' | 'disabled'>;
  /** @returns false when there is none */
  delete(identityId: IdentityId): Promise<boolean>;
}
