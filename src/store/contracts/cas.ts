import type { Ca, caEntity } from '../../model/entities/ca.ts';
import type { CaId } from '../../model/ids.ts';
import type { Millis } from '../../platform/clock.ts';
import type { EntityStore, Unstored } from './entities.ts';

/** A new authority does not count until it is verified. */
export type NewCa = Unstored<typeof caEntity>;

/**
 * Every change adds a change-feed entry, so that it applies everywhere at the next login. If the rule by which
 * certificates name identities changes, `update` ends the sessions and logins in progress of identities found by it in
 * the same step. The certificate must not change: the proof of possession of its key would no longer apply.
 */
export interface CaStore extends EntityStore<typeof caEntity> {
  /** The oldest first. */
  listAll(): Promise<readonly Ca[]>;
  /** The authorities whose certificates may log in (`isTrustedForLogin`), the oldest first. */
  listTrusted(): Promise<readonly Ca[]>;
  /**
   * Records a proof of possession of the key. @returns false when that was done before, or there is no such
   * authority
   */
  verify(id: CaId, now: Millis): Promise<boolean>;
}
