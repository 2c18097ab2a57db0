import type { RevocationId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Revocation } from '../../model/revocation.ts';
import type { Millis } from '../../platform/clock.ts';

export type NewRevocation = Omit<Revocation, 'createdAt' | 'updatedAt'>;

export interface RevocationStore {
  find(id: RevocationId): Promise<Revocation | null>;
  list(query: ListQuery): Promise<Page<Revocation>>;
  /** The tokens (`jti`) that are revoked by themselves and may be unexpired: their deny set at start. */
  listTokens(now: Millis): Promise<readonly Pick<Revocation, 'id' | 'expiresAt'>[]>;
  /**
   * Keeps the entry and does what it says in the same step: a `jti` is refused by every node from its next look at
   * the change feed; the sessions of an identity, or those that a signer or a CA has opened, are ended that were not
   * opened after `issuedBefore`, with the logins in progress; or the session is. Repeated, it does so again and the
   * entry lives on.
   * @returns how many sessions were ended; null: there is no such thing, and nothing was kept
   * @throws AlreadyTaken `id`   something of another type is revoked under this id
   */
  revoke(revocation: NewRevocation, now: Millis): Promise<number | null>;
  /**
   * Forgets an entry: a `jti` counts again; sessions that were ended stay ended.
   * @returns false when there is none
   */
  delete(id: RevocationId, now: Millis): Promise<boolean>;
}
