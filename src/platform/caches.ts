// Bounded caches: recently used values, what the change feed keeps true, and one copy of values that many entities share.

import { isDeepStrictEqual } from 'node:util';

/** Recently used values, by key. */
export type RecentMap<Key, Value> = ReturnType<typeof recentMap<Key, Value>>;

/**
 * A cache that takes memory only for its entries; keeping a strict order would take memory for `max` entries at once.
 * It has two halves: used entries move into the younger one, and when that is full it becomes the older one, and what
 * was left there is dropped.
 * @param atLeast how many of the most recently used keys stay; at most twice as many are held
 * @param onDrop  called for each value no longer held, whether dropped, deleted or cleared, but not when another value
 * replaces it
 */
export function recentMap<Key, Value>(atLeast: number, onDrop?: (value: Value, key: Key) => void) {
  let younger = new Map<Key, Value>();
  let older = new Map<Key, Value>();

  function add(key: Key, value: Value): void {
    younger.set(key, value);
    if (younger.size < atLeast) return;
    if (onDrop !== undefined) older.forEach(onDrop);
    older = younger;
    younger = new Map();
  }

  return {
    /** Counts as a use. */
    get(key: Key) {
      const value = younger.get(key);
      if (value !== undefined) return value;
      const aged = older.get(key);
      if (aged === undefined) return undefined;
      older.delete(key);
      add(key, aged);
      return aged;
    },
    /** Does not count as a use. */
    peek: (key: Key) => younger.get(key) ?? older.get(key),
    set(key: Key, value: Value) {
      older.delete(key);
      add(key, value);
    },
    delete(key: Key) {
      const half = younger.has(key) ? younger : older;
      const value = half.get(key);
      if (value === undefined) return;
      half.delete(key);
      onDrop?.(value, key);
    },
    clear() {
      const halves = [younger, older];
      younger = new Map();
      older = new Map();
      if (onDrop !== undefined) for (const half of halves) half.forEach(onDrop);
    },
    /** Those used last come last. */
    entries: () => [...older, ...younger],
  };
}

/**
 * Recently used values of the store. One whose read began before a change is not remembered after it.
 * @param atLeast how many of the most recently used ones stay
 * @param needs.dependsOn what outdates a value besides the feed: it counts while this is the same as when its read began;
 * null: it is not remembered
 * @param needs.keep   called with what is remembered; returns what is kept of it
 * @param needs.onDrop see `recentMap`
 */
export function recentView<Key extends string, Value>(
  atLeast: number,
  needs: {
    readonly dependsOn?: (key: Key) => unknown;
    readonly keep?: (value: Value, key: Key) => Value;
    readonly onDrop?: (value: Value, key: Key) => void;
  } = {},
) {
  const { dependsOn = () => undefined, keep = (value) => value, onDrop } = needs;
  const known = recentMap<Key, { readonly value: Value; readonly on: unknown }>(
    atLeast,
    onDrop && (({ value }, key) => onDrop(value, key)),
  );
  let changes = 0;
  return {
    /** Undefined: it has to be read. Counts as a use. */
    get(key: Key): Value | undefined {
      const entry = known.get(key);
      return entry !== undefined && entry.on === dependsOn(key) ? entry.value : undefined;
    },
    /** Does not count as a use. */
    peek: (key: Key) => known.peek(key)?.value,
    /** @param load begins the read; null: there is none */
    async read(key: Key, load: () => Promise<Value | null>): Promise<Value | null> {
      const begun = changes;
      const on = dependsOn(key);
      const found = await load();
      if (found === null || begun !== changes || on === null) return found;
      const value = keep(found, key);
      known.set(key, { value, on });
      return value;
    },
    changed(key: Key): void {
      changes += 1;
      known.delete(key);
    },
    allChanged(): void {
      changes += 1;
      known.clear();
    },
  };
}

/** A receiver of entries of the change feed. */
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
  readonly store: { listAll(): Promise<readonly Row[]>; find(id: Row['id']): Promise<Row | null> };
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

/** One copy of each value that many entries of a cache have in common. */
export type SharedValues = ReturnType<typeof sharedValues>;

const longest = 200;

/**
 * Thousands of tokens name the same issuer, client and scopes, and reading each makes copies of its own. Costs one look
 * into a map.
 * @param most how many values are kept; when there are more, all are forgotten, and code that holds them keeps them
 */
export function sharedValues(most = 1000) {
  const texts = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();

  function shared<Value>(known: Map<string, Value>, key: string, value: Value): Value {
    const one = known.get(key);
    if (one !== undefined) return one;
    if (key.length > longest) return value;
    if (known.size >= most) known.clear();
    known.set(key, value);
    return value;
  }

  return {
    text: <Text extends string>(text: Text) => shared(texts, text, text) as Text,
    /** @returns frozen, because others use it, too */
    list: <Text extends string>(list: readonly Text[]) =>
      shared(lists, JSON.stringify(list), Object.freeze(list)) as readonly Text[],
  };
}
