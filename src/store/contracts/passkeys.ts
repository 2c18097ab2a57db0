import type { Account } from '../../model/account.ts';
import type { AuthenticatorId, IdentityId } from '../../model/ids.ts';
import type { NameKey } from '../../model/names.ts';
import type { Passkey, PasskeyRules } from '../../model/passkey.ts';
import type { Millis } from '../../platform/clock.ts';

export type NewPasskey = Omit<Passkey, 'clonedAt' | 'createdAt' | 'lastUsedAt'>;

export interface PasskeyUse {
  readonly id: AuthenticatorId;
  readonly counter: number;
  readonly isBackedUp: boolean;
  readonly now: Millis;
}

export interface PasskeyStore {
  /** Everything that a login with it needs, in one read. */
  findLogin(credentialId: string): Promise<{ readonly passkey: Passkey; readonly account: Account } | null>;
  /** The passkeys of these identities; of one identity the oldest first. */
  listOf(identityIds: readonly IdentityId[]): Promise<readonly Passkey[]>;
  /**
   * The identity that is called so when it logs in: by its user name or, if it has no password, by its own name. Two
   * spellings of one name find the same identity, and no two names do.
   * @param key the first of `nameKeys`
   */
  findByName(key: NameKey): Promise<IdentityId | null>;
  rules(): Promise<PasskeyRules>;
  /** The domains to which passkeys belong, and how many. */
  countByDomain(): Promise<readonly { readonly rpId: string; readonly passkeys: number }[]>;
  /**
   * Adds a passkey and a change-feed entry.
   * @returns `too-many` beyond `mostPasskeys`, however many callers add one at once; `taken` if the credential is
   * registered already, of whichever identity; `not-first` if it had to be and is not
   */
  add(
    passkey: NewPasskey,
    when: { readonly now: Millis; readonly mustBeFirst: boolean },
  ): Promise<'added' | 'too-many' | 'taken' | 'not-first'>;
  /** @returns false when the identity has no such passkey */
  rename(identityId: IdentityId, id: string, name: string): Promise<boolean>;
  /**
   * Records a use. Of several with the same counter only one is accepted, unless the authenticator does not count.
   * @returns `cloned` when the counter has not grown, which is recorded; `gone` when it was deleted
   */
  use(use: PasskeyUse): Promise<'used' | 'cloned' | 'gone'>;
  /**
   * Deletes a passkey, ends the sessions that it opened or completed and the identity's logins in progress. Adds a
   * change-feed entry.
   * @param when.mayBeLast false: the last one with which a login can begin stays
   * @throws NoAdministratorLeft
   */
  delete(
    identityId: IdentityId,
    id: string,
    when: { readonly now: Millis; readonly mayBeLast: boolean },
  ): Promise<'deleted' | 'unknown' | 'last'>;
}
