// The store's methods for every managed entity: see `EntityStore`.

import type { ChangeKind } from '../../model/change.ts';
import { referenceFields } from '../../model/entities/all-entities.ts';
import type { Entity } from '../../model/entities/entity.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';
import { NotAsSeen } from '../contracts/gathered.ts';
import { recordChange } from './changes.ts';
import type { Database } from './concern.ts';
import { columnOf, type EntityTable } from './entity-table.ts';
import { affects, first, type Intent } from './intent.ts';

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
 * The methods that write, of an entity with which nothing else has to change. `delete` throws NotAsSeen while something
 * refers to the entity.
 * @param kind of the entries that they add to the change feed; null: they add none
 */
export function usualWrites<Value extends Identified>(table: EntityTable<Value>, kind: ChangeKind | null) {
  function* told(id: string, now: Millis): Intent<boolean> {
    if (kind !== null) yield* recordChange(kind, id, now);
    return true;
  }
  return {
    *create(value: Identified, now: Millis): Intent<void> {
      yield* table.insertAll([value], now);
      yield* told(value.id, now);
    },
    *update(id: string, patch: object, now: Millis): Intent<boolean> {
      return (yield* table.update({ id, patch, now })) !== undefined && (yield* told(id, now));
    },
    *delete(id: string, now: Millis): Intent<boolean> {
      const unless = isReferredTo(table.entity);
      if (yield* affects(`DELETE FROM ${table.table} WHERE id = ? AND NOT (${unless}) RETURNING id`, id))
        return yield* told(id, now);
      if ((yield* first(table.byId, id)) !== undefined) throw new NotAsSeen('referenced');
      return false;
    },
  };
}

/** The condition that something refers to a row and is not deleted with it. */
function isReferredTo({ kind, table }: Entity): string {
  const fields = referenceFields.filter(({ field }) => field.to === kind && !field.isDeletedWithIt);
  const conditions = fields.map(({ from, path: [top, ...members], field }) => {
    const column = `${from.table}.${columnOf(top, from.fields[top] ?? field)}`;
    // In JSON text, only a value looks like this: quotation marks in other texts are escaped.
    const name = field.kind === 'reference' ? `"${members.at(-1)}":` : '';
    const isInside = members.length > 0 || field.kind === 'references';
    const condition = isInside ? `LIKE '%${name}"' || ${table}.id || '"%'` : `= ${table}.id`;
    return `EXISTS (SELECT 1 FROM ${from.table} WHERE ${column} ${condition})`;
  });
  return conditions.length === 0 ? 'FALSE' : conditions.join(' OR ');
}
