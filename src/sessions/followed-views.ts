// Views that the change feed keeps true: of what was used recently (`recentView`), and, here, of all entities of a kind.

import { isDeepStrictEqual } from 'node:util';

/** What the entries of the change feed are passed to. */
export interface Followed<Id extends string = string> {
  /** Call it when this one has changed. */
  changed(id: Id): void | Promise<void>;
  /** Call it when any may have changed. */
  allChanged(): void | Promise<void>;
}

export type WholeView<Entity> = Awaited<ReturnType<typeof openWholeView<{ readonly id: string }, Entity>>>;

/**
 * All entities of a kind: logins and calls ask for them, and there are few. Resolves when all are in memory. One that is
 * read again unchanged stays the same object.
 * @param needs.ready    makes of a row what is used
 * @param needs.onChange called after another row, or none, has taken the place of one
 */
export async function openWholeView<Row extends { readonly id: string }, Entity = Row>(needs: {
  readonly store: {
    listAll(): Promise<readonly Row[]>;
    find(id: Row['id']): Promise<Row | null>;
  };
  readonly ready: (row: Row) => Entity;
  readonly onChange: (id: string, before: Row | null, now: Row | null) => void;
}) {
  const { store, ready, onChange } = needs;
  const known = new Map<string, { readonly row: Row; readonly entity: Entity }>();
  let list: readonly Entity[] | null = null;

  function put(id: string, row: Row | null): void {
    list = null;
    if (row === null) known.delete(id);
    else known.set(id, { row, entity: ready(row) });
  }
  function replace(id: string, row: Row | null): void {
    const before = known.get(id)?.row ?? null;
    if (isDeepStrictEqual(before, row)) return;
    put(id, row);
    onChange(id, before, row);
  }

  for (const row of await store.listAll()) put(row.id, row);
  return {
    find: (id: string) => known.get(id)?.entity,
    all(): readonly Entity[] {
      list ??= [...known.values()].map(({ entity }) => entity);
      return list;
    },
    async changed(id: string): Promise<void> {
      replace(id, await store.find(id as Row['id']));
    },
    async allChanged(): Promise<void> {
      const stored = new Map((await store.listAll()).map((row) => [row.id, row]));
      for (const id of new Set([...known.keys(), ...stored.keys()])) replace(id, stored.get(id) ?? null);
    },
  };
}
