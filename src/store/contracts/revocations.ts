import type { RevocationId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Revocation } from '../../model/revocation.ts';
import type { Millis } from '../../platform/clock.ts';

export type NewRevocation = Omit<Revocation, 'createdAt' | 'updatedAt'>;

export interface RevocationStore {
  find(id: RevocationId): Promise<Revocation | null>;
  list(query: ListQuery): Promise<Page<Revocation>>;
  /** The individually revoked tokens (`jti`) that may be unexpired: their deny set at start. */
  listTokens(now: Millis): Promise<readonly Pick<Revocation, 'id' | 'expiresAt'>[]>;
  /**
   * Stores the entry and carries it out in the same step. A `jti`: every node refuses it once it has read the change
   * feed. An identity, signer or CA: ends the sessions opened by it, not after `issuedBefore`, and the logins in
   * progress. A session: ends it. A repeated call does so again and prolongs the entry.
   * @returns how many sessions were ended; null: there is no such entity, and nothing was stored
   * @throws AlreadyTaken `id`   something of another type is revoked under this id
   */
  revoke(revocation: NewRevocation, now: Millis): Promise<number | null>;
  /**
   * Deletes an entry: a `jti` counts again; ended sessions stay ended.
   * @returns false when there is none
   */
  delete(id: RevocationId, now: Millis): Promise<boolean>;
}
