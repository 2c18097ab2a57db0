import type { Referred } from '../../model/entities/all-entities.ts';
import type { StateKind } from '../../model/entities/state-kinds.ts';
import type { Millis } from '../../platform/clock.ts';

/** An entity as it was when the changes were decided. */
export interface Seen {
  readonly kind: StateKind;
  readonly id: string;
  readonly updatedAt: Millis;
}

export interface CommitConditions {
  readonly now: Millis;
  /** These must not have changed since. */
  readonly seen: readonly Seen[];
  /** Entities to which the changed ones refer: all of them exist afterwards. Throws ReferenceGone. */
  readonly referred?: readonly Referred[];
  /** Even if no administrator could log in any more, or a name passes for that of another identity. */
  readonly force: boolean;
  /** Makes every change, finds out whether all of them are possible, and rolls them back. */
  readonly dryRun: boolean;
}

/**
 * Thrown when changes that belong together cannot be made. None is made then.
 * - `changed`: an entity is not as it was seen, or is gone
 * - `referenced`: something refers to an entity that would be deleted
 * - `taken-back`: a dry run in which every change was possible
 */
export class NotAsSeen extends Error {
  override readonly name = 'NotAsSeen';
  readonly why: 'changed' | 'referenced' | 'taken-back';
  constructor(why: NotAsSeen['why']) {
    super(`changes were not made: ${why}`);
    this.why = why;
  }
}
