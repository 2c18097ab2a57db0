// Tables that hold each text once, with both languages beside each other. Browsers read it.

import { type LanguageTag, languageTags } from '../../model/languages.ts';

type ForEach<Tags extends readonly LanguageTag[], Text> = { readonly [At in keyof Tags]: Text };

/** A text in each language. */
export type Both<Text> = ForEach<typeof languageTags, Text>;

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
export function textsIn<Table extends TextTable>(language: LanguageTag, table: Table): TextsOf<Table> {
  const at = languageTags.indexOf(language);
  const textOf = (entry: TextTable[string]): unknown => {
    if (typeof entry === 'function') return (...parts: never[]) => entry(...parts.map(apart))[at];
    if (Array.isArray(entry)) return entry[at];
    return typeof entry === 'string' ? entry : textsIn(language, entry as TextTable);
  };
  return Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [name, textOf(entry)]),
    // Sound because each entry becomes what its type says.
  ) as TextsOf<Table>;
}

/** Scripts that are written from right to left. */
const scripts = '\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}';

/** Letters of them, and marks that change the direction. */
const rightToLeft = new RegExp(`[${scripts}\\p{Bidi_Control}]`, 'u');

/** Words of them that belong together, with a number behind them, as in a name. */
const words = new RegExp(
  `[${scripts}](?:[^\\p{L}\\p{Bidi_Control}\\n,;:"]*[${scripts}])*(?: \\(?\\d+\\)?)?`,
  'gu',
);

/**
 * A part of a text, such as a person's name, set apart where it is written from right to left: it would otherwise take
 * along the numbers and signs behind it ("3 sessions" would be read as the first half of the name). As `<bdi>` does, for
 * texts that are also titles, labels and mails.
 * @see Unicode Standard Annex 9, 2.7: FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE
 */
function apart<Part>(part: Part): Part {
  const isApart = typeof part === 'string' && rightToLeft.test(part);
  // Sound because a text remains a text.
  return isApart ? (`\u2068${part}\u2069` as Part & string) : part;
}

/**
 * A text that already contains the names, such as a sentence of the server, with what is written from right to left in
 * it set apart.
 */
export function setApart(text: string): string {
  return text.replace(words, '\u2068$&\u2069');
}
