import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Engine } from './engine.ts';
import type { SqlRow, SqlValue } from './intent.ts';
import type { ListSource } from './list-source.ts';

/** What each concern builds its part of the store on: an engine, and the reads that most of them use. */
export interface Database extends Engine {
  /** @returns the first row, decoded by `read`; null when there is none */
  find<T>(read: (row: SqlRow) => T, sql: string, ...params: SqlValue[]): Promise<T | null>;
  list<T>(source: ListSource, query: ListQuery, read: (row: SqlRow) => T): Promise<Page<T>>;
}

export function databaseOf(engine: Engine): Database {
  return {
    ...engine,
    async find(read, sql, ...params) {
      const [row] = await engine.read(sql, ...params);
      return row === undefined ? null : read(row);
    },
    async list<T>(source: ListSource, query: ListQuery, read: (row: SqlRow) => T) {
      // Loaded with the first list, because starting a controller needs no query builder.
      const { compileList } = await import('./list-query.ts');
      const { onlyNumber, totalOf } = await import('./list-total.ts');
      const { page, count, estimate } = compileList(engine.dialect, source, query);
      const items: T[] = [];
      for await (const rows of engine.readList(page)) for (const row of rows) items.push(read(row));
      const total = await totalOf(query, items.length, {
        count: () => onlyNumber(engine.readList(count)),
        estimate: () => onlyNumber(engine.readList(estimate)),
      });
      return { items, ...total };
    },
  };
}
