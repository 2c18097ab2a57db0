import type { Account } from '../../model/account.ts';
import type { AuthenticatorId, IdentityId } from '../../model/ids.ts';
import type { Invitation } from '../../model/invitation.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewPassword } from './authenticators.ts';
import type { NewDelivery } from './deliveries.ts';
import type { NewPasskey } from './passkeys.ts';

export type NewInvitation = Invitation & {
  /** SHA-256 of the token, base64url. The token itself is not stored. */
  readonly tokenHash: string;
};

/** An invitation as administrators see it. */
export type ListedInvitation = Invitation & {
  readonly identityName: string;
  /** Null when `madeBy` is null. */
  readonly madeByName: string | null;
};

/** Everything needed to decide about a link, in one read. */
export interface OpenInvitation extends Account {
  readonly invitation: Invitation;
}

/** The state that a link was made for; the link is no longer valid when one of these values has changed. */
export interface ResetProof {
  readonly passwordHash: string;
  /** Also when the identity was disabled. */
  readonly passwordUpdatedAt: Millis;
  readonly email: string;
  /** Whether the identity may administer or have a permission. */
  readonly mayHavePower: boolean;
}

/** With the token of an invitation, or with the account in a link for a forgotten password. */
export type InvitationRedemption = ({ readonly tokenHash: string } | { readonly reset: ResetProof }) & {
  readonly identityId: IdentityId;
  readonly chosen:
    | {
        readonly method: 'password';
        /** The user name applies to an identity without a password; others keep theirs. */
        readonly password: NewPassword & { readonly id: AuthenticatorId; readonly identityId: IdentityId };
      }
    /** A password that the identity has goes: it may be why the link was made. */
    | { readonly method: 'passkey'; readonly passkey: NewPasskey };
  readonly now: Millis;
};

export interface InvitationStore {
  /**
   * Replaces the invitation that the identity has.
   * @returns `unknown` when there is no such identity; `disabled`; `beyond-help` for an invitation by a helper when the
   * identity is an administrator or has a permission
   * @param mail brings the link to the person
   */
  create(
    invitation: NewInvitation,
    now: Millis,
    mail?: NewDelivery<'mail'>,
  ): Promise<'created' | 'unknown' | 'disabled' | 'beyond-help'>;
  /** Even an expired one. */
  find(identityId: IdentityId): Promise<Invitation | null>;
  /** Including expired ones, which are deleted after a week. */
  list(query: ListQuery): Promise<Page<ListedInvitation>>;
  /** Even an expired one. */
  findByTokenHash(tokenHash: string): Promise<OpenInvitation | null>;
  /**
   * Uses the link up and sets the password, or adds the passkey, in the same step; exactly one of any number of concurrent
   * calls does. Ends locks of the password, logins in progress and an enrollment for a password; ends sessions if the
   * invitation says so, or the password was forgotten.
   * @returns `taken` or `too-many` as when adding a passkey; the link can still be used
   * @throws AlreadyTaken `username`; the link can still be used
   */
  redeem(
    redemption: InvitationRedemption,
  ): Promise<'set' | 'unknown' | 'expired' | 'disabled' | 'taken' | 'too-many'>;
  /** @returns false when there is none */
  delete(identityId: IdentityId): Promise<boolean>;
}
