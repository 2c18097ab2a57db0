import type { Account } from '../../model/account.ts';
import type { ClientInfo } from '../../model/client-info.ts';
import type { Some } from '../../model/entities/entity.ts';
import type { asSent, Identity, identityDefaults, identityEntity } from '../../model/entities/identity.ts';
import type { AuthPolicyId, IdentityId, StoredName } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { NameKey } from '../../model/names.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewPassword } from './authenticators.ts';
import type { Unstored } from './entities.ts';

/** Its policy is null if none is named for it: then it is assigned (model/assigned-policy.ts). */
type Unassigned = ReturnType<typeof asSent<Unstored<typeof identityEntity>>>;
type ByDefault = keyof typeof identityDefaults | 'disabledAt' | 'lastLoginAt';
/** A member that is left out has the default of its field. */
export type NewIdentity = Partial<Pick<Unassigned, ByDefault>> & Omit<Unassigned, ByDefault>;

/** Only the members that are present are changed. */
export type IdentityPatch = Some<Omit<Unassigned, 'id'>>;

export interface IdentityStore {
  /**
   * Creates an identity, with its password authenticator when given, in one step.
   * @throws AlreadyTaken `name`, `externalId` or `username`
   */
  create(identity: NewIdentity, password: NewPassword | null, now: Millis): Promise<void>;
  find(id: IdentityId): Promise<Identity | null>;
  findByName(name: StoredName): Promise<Identity | null>;
  /** The identity with its policy and enrollment, in one read. */
  findAccount(id: IdentityId): Promise<Account | null>;
  /** Accounts with a password and this verified address, in upper or lower case, at most `most`. */
  listAccountsByEmail(email: StoredName, most: number): Promise<readonly Account[]>;
  /** The same for the identity that has exactly this external id. */
  findAccountByExternalId(externalId: string): Promise<Account | null>;
  /**
   * The client's report when a login was last completed (legacy: when a session was opened). Null: none yet.
   */
  findClientInfo(id: IdentityId): Promise<ClientInfo | null>;
  list(query: ListQuery): Promise<Page<Identity>>;
  /**
   * Names of identities that pass for one another, or for a user name of another identity (model/names.ts): those with a
   * key in common together. Reads every name.
   * @param limit how many such groups
   */
  listAlike(limit: number): Promise<readonly (readonly string[])[]>;
  /** The identities that have names with these keys (model/names.ts), by their own name. At most some hundred keys. */
  listByNameKeys(
    keys: readonly NameKey[],
  ): Promise<readonly { readonly key: NameKey; readonly name: string }[]>;
  /** Identities with a policy, or all of them (null), ordered by id. @param after the id to start after; empty: from the first */
  listOfPolicy(policyId: AuthPolicyId | null, after: string, limit: number): Promise<readonly Identity[]>;
  /**
   * Changes an identity. Disabling it ends its sessions and logins in progress in the same step; removing or changing
   * the external id ends those that no authenticator of the identity opened. Adds a change-feed entry.
   * @returns false when there is no such identity
   * @throws AlreadyTaken `name` or `externalId`
   * @throws NoAdministratorLeft
   */
  update(id: IdentityId, patch: IdentityPatch, now: Millis): Promise<boolean>;
  /**
   * Deletes an identity with its authenticators, ends its sessions and logins in progress.
   * @returns false when there is none
   * @throws NoAdministratorLeft
   */
  delete(id: IdentityId, now: Millis): Promise<boolean>;
  /** How many administrators can log in (see model/administrator.ts). */
  countUsableAdmins(now: Millis): Promise<number>;
}
