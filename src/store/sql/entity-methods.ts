// The store's methods for every managed entity: see `EntityStore`.

import type { ChangeKind } from '../../model/change.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';
import { recordChange } from './changes.ts';
import type { Database } from './concern.ts';
import type { EntityTable } from './entity-table.ts';
import { affects, type Intent } from './intent.ts';

interface Identified {
  readonly id: string;
}

/** The methods that read. */
export function usualMethods<Value extends Identified>(
  { table, byId, listed, read }: EntityTable<Value>,
  { find, all, list }: Database,
) {
  return {
    find: (id: Value['id']): Promise<Value | null> => find(read, byId, id),
    list: (query: ListQuery): Promise<Page<Value>> => list(listed, query, read),
    /** The oldest first. */
    listAll: (): Promise<readonly Value[]> => all(read, `SELECT * FROM ${table} ORDER BY id`),
  };
}

/**
 * The methods that write, of an entity with which nothing else has to change.
 * @param kind of the entries that they add to the change feed; null: they add none
 */
export function usualWrites<Value extends Identified>(table: EntityTable<Value>, kind: ChangeKind | null) {
  function* told(id: string, now: Millis): Intent<boolean> {
    if (kind !== null) yield* recordChange(kind, id, now);
    return true;
  }
  return {
    *create(value: Identified, now: Millis): Intent<void> {
      yield* table.insert(value, now);
      yield* told(value.id, now);
    },
    *update(id: string, patch: object, now: Millis): Intent<boolean> {
      return (yield* table.update({ id, patch, now })) !== undefined && (yield* told(id, now));
    },
    *delete(id: string, now: Millis): Intent<boolean> {
      const isGone = yield* affects(`DELETE FROM ${table.table} WHERE id = ? RETURNING id`, id);
      return isGone && (yield* told(id, now));
    },
  };
}

/** Deletes an entity unless a condition holds: that something refers to it. */
export function* deleteUnless(
  isReferred: string,
  of: { table: { table: string }; kind: ChangeKind; id: string; now: Millis },
): Intent<'deleted' | 'referenced' | 'unknown'> {
  const { table } = of.table;
  const sql = `DELETE FROM ${table} WHERE id = ? AND NOT (${isReferred}) RETURNING id`;
  if (yield* affects(sql, of.id)) {
    yield* recordChange(of.kind, of.id, of.now);
    return 'deleted';
  }
  return (yield* affects(`SELECT id FROM ${table} WHERE id = ?`, of.id)) ? 'referenced' : 'unknown';
}
