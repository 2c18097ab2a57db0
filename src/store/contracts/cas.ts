import type { Ca } from '../../model/entities/ca.ts';
import type { CaId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

/** A new authority does not count until it is verified. */
export type NewCa = Omit<Ca, 'verifiedAt' | 'createdAt' | 'updatedAt'>;

/**
 * Changes only the members that are present. The certificate cannot change: the proof that somebody holds its key would
 * no longer apply.
 */
export type CaPatch = Partial<Omit<NewCa, 'id' | 'certPem' | 'thumbprint' | 'verificationToken'>>;

/** Every change adds a change-feed entry, so that it applies everywhere at the next login. */
export interface CaStore {
  find(id: CaId): Promise<Ca | null>;
  list(query: ListQuery): Promise<Page<Ca>>;
  /** Those whose certificates may log in (`isTrustedForLogin`), the oldest first. */
  listTrusted(): Promise<readonly Ca[]>;
  /** @throws AlreadyTaken `name`, or `certPem` when the certificate is registered already */
  create(ca: NewCa, now: Millis): Promise<void>;
  /**
   * Changes an authority. If the rule by which its certificates name identities changes, the sessions and logins in
   * progress of identities found by it end in the same step.
   * @returns false when there is no such authority
   * @throws AlreadyTaken `name`
   */
  update(id: CaId, patch: CaPatch, now: Millis): Promise<boolean>;
  /**
   * Records that somebody proved to hold the key. @returns false when that was done before, or there is no such
   * authority
   */
  verify(id: CaId, now: Millis): Promise<boolean>;
  /** @returns false when there is none */
  delete(id: CaId, now: Millis): Promise<boolean>;
}
