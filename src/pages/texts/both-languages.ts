// Tables that hold each text once, with both languages beside each other. Imports nothing, because browsers read it.

/** A text in each language. */
export type Both<Text> = readonly [english: Text, german: Text];

/** A text that is the same in each language stands alone; one with parts in it is a function that makes both. */
export interface TextTable {
  readonly [name: string]: string | Both<unknown> | ((...parts: never[]) => Both<unknown>) | TextTable;
}

/** The texts of a table in one language. */
export type TextsOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends string
    ? string
    : Table[Name] extends Both<infer Text>
      ? Text
      : Table[Name] extends (...parts: infer Parts) => Both<infer Text>
        ? (...parts: Parts) => Text
        : TextsOf<Table[Name]>;
};

/** The texts of a table in a language. */
export function textsIn<Table extends TextTable>(language: 'en' | 'de', table: Table): TextsOf<Table> {
  const at = language === 'de' ? 1 : 0;
  const textOf = (entry: TextTable[string]): unknown => {
    if (typeof entry === 'function') return (...parts: never[]) => entry(...parts)[at];
    if (Array.isArray(entry)) return entry[at];
    return typeof entry === 'string' ? entry : textsIn(language, entry as TextTable);
  };
  return Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [name, textOf(entry)]),
    // Sound because each entry becomes what its type says.
  ) as TextsOf<Table>;
}
