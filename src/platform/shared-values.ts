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
 * @param most how many values are kept; when there are more, all are forgotten, and what has them keeps them
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
