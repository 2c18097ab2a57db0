import type { Change, Entity, Some, Stored } from '../../model/entities/entity.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

/** A stored value before it is stored. */
export type Unstored<E extends Entity> = Omit<Stored<E>, 'createdAt' | 'updatedAt'>;
/** A change of the fields that are present. */
export type PatchOf<E extends Entity> = Some<Omit<Unstored<E>, 'id' | keyof Change<E>>> & Change<E>;

/**
 * Methods for every managed entity.
 * @typeParam Gone result of `delete`: whether there was one
 */
export interface EntityStore<E extends Entity, Gone = boolean> {
  find(id: Stored<E>['id']): Promise<Stored<E> | null>;
  list(query: ListQuery): Promise<Page<Stored<E>>>;
  /** @throws AlreadyTaken names the field */
  create(value: Unstored<E>, now: Millis): Promise<void>;
  /**
   * @returns false when there is none
   * @throws AlreadyTaken names the field
   */
  update(id: Stored<E>['id'], patch: PatchOf<E>, now: Millis): Promise<boolean>;
  delete(id: Stored<E>['id'], now: Millis): Promise<Gone>;
}
