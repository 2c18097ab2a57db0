// Bounded caches: recently used values, and one copy of values that many entities have in common.

/** Recently used values, by key. */
export interface RecentMap<Key, Value> {
  /** Counts as a use. */
  get(key: Key): Value | undefined;
  /** Does not count as a use. */
  peek(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
  /** Those used last come last. */
  entries(): readonly (readonly [Key, Value])[];
}

/**
 * A cache that takes memory only for its entries; keeping a strict order would take memory for `max` entries at once.
 * It has two halves: used entries move into the younger one, and when that is full it becomes the older one, and what
 * was left there is dropped.
 * @param atLeast how many of the most recently used keys stay; at most twice as many are held
 * @param onDrop  called for each value no longer held, whether dropped, deleted or cleared, but not when another value
 * replaces it
 */
export function recentMap<Key, Value>(
  atLeast: number,
  onDrop?: (value: Value, key: Key) => void,
): RecentMap<Key, Value> {
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
    get(key) {
      const value = younger.get(key);
      if (value !== undefined) return value;
      const aged = older.get(key);
      if (aged === undefined) return undefined;
      older.delete(key);
      add(key, aged);
      return aged;
    },
    peek: (key) => younger.get(key) ?? older.get(key),
    set(key, value) {
      older.delete(key);
      add(key, value);
    },
    delete(key) {
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
    entries: () => [...older, ...younger],
  };
}

/** One copy of each value that many entries of a cache have in common. */
export interface SharedValues {
  text<Text extends string>(text: Text): Text;
  /** @returns frozen, because others use it, too */
  list<Text extends string>(list: readonly Text[]): readonly Text[];
}

const longest = 200;

/**
 * Thousands of tokens name the same issuer, client and scopes, and reading each makes copies of its own. Costs one look
 * into a map.
 * @param most how many values are kept; when there are more, all are forgotten, and code that holds them keeps them
 */
export function sharedValues(most = 1000): SharedValues {
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
    list: <Text extends string>(list: readonly Text[]) =>
      shared(lists, JSON.stringify(list), Object.freeze(list)) as readonly Text[],
  };
}
