import type { Millis } from '../../platform/clock.ts';
import type { Store } from './store.ts';

/** Kinds of what a gathered change may rest on. */
export type GatheredKind =
  | 'auth-policy'
  | 'ext-jwt-signer'
  | 'ca'
  | 'config-type'
  | 'oidc-client'
  | 'identity';

/** An entity as it was when the changes were decided. */
export interface Seen {
  readonly kind: GatheredKind;
  readonly id: string;
  readonly updatedAt: Millis;
}

export interface CommitConditions {
  readonly now: Millis;
  /** These have not changed since. */
  readonly seen: readonly Seen[];
  /** Also when no administrator is left who can log in. */
  readonly force: boolean;
  /** Makes every change, finds out whether all of them can be made, and takes them back. */
  readonly dryRun: boolean;
}

/** Changes that are kept back, to be made in one step or not at all. */
export interface GatheredChanges {
  /**
   * Reads what is stored. What is changed through it is kept back, and its promise says that it worked; only methods
   * that create, update and delete what administrators manage may be used so.
   */
  readonly store: Store;
  /**
   * Makes the changes in their order, in one step.
   * @throws NotAsSeen            something has changed since, or something still refers to what is deleted
   * @throws AlreadyTaken, NoAdministratorLeft, CallerRefused
   */
  commit(conditions: CommitConditions): Promise<void>;
}

/**
 * Thrown when changes that belong together cannot be made; none is.
 * - `changed`: an entity is not as it was seen, or gone
 * - `referenced`: something refers to an entity that is to be deleted
 * - `taken-back`: a dry run, of which every change could be made
 */
export class NotAsSeen extends Error {
  override readonly name = 'NotAsSeen';
  readonly why: 'changed' | 'referenced' | 'taken-back';
  constructor(why: NotAsSeen['why']) {
    super(`changes were not made: ${why}`);
    this.why = why;
  }
}
