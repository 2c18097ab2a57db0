import type { Identity, IdentityType, Tags } from '../../model/identity.ts';
import type { AuthPolicyId, IdentityId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

export interface NewIdentity {
  readonly id: IdentityId;
  readonly name: string;
  readonly type: IdentityType;
  readonly externalId: string | null;
  readonly authPolicyId: AuthPolicyId;
  readonly isAdmin: boolean;
  readonly roleAttributes: readonly string[];
  readonly tags: Tags;
}

/** Only the members that are present are changed. */
export type IdentityPatch = Partial<Omit<NewIdentity, 'id'>> & {
  readonly disabledAt?: Millis | null;
  readonly disabledUntil?: Millis | null;
};

export interface IdentityStore {
  /**
   * Creates an identity, with its password authenticator when given, in one step.
   * @throws AlreadyTaken `name`, `externalId` or `username`
   */
  create(
    identity: NewIdentity,
    password: { id: string; username: string; usernameKey: string; passwordHash: string } | null,
    now: Millis,
  ): Promise<void>;
  find(id: IdentityId): Promise<Identity | null>;
  /** The identity that has exactly this external id. */
  findByExternalId(externalId: string): Promise<Identity | null>;
  list(query: ListQuery): Promise<Page<Identity>>;
  /**
   * Changes an identity. Disabling ends its sessions and logins in progress in the same step. Leaves a change-feed
   * entry.
   * @returns false when there is no such identity, or when it would be demoted or disabled although it is the
   *   last administrator who can log in
   * @throws AlreadyTaken `name` or `externalId`
   */
  update(id: IdentityId, patch: IdentityPatch, now: Millis): Promise<boolean>;
  /**
   * Deletes an identity with its authenticators, ends its sessions and logins in progress.
   * @returns false when there is none, or when it is the last administrator who can log in
   */
  delete(id: IdentityId, now: Millis): Promise<boolean>;
  /** How many administrators are neither disabled nor without any authenticator, leaving out one identity if named. */
  countUsableAdmins(now: Millis, except?: IdentityId): Promise<number>;
}
