// The server's sentences to administrators about one request, in the language of the reader. Programs and the log get
// the English sentence; it is also the key of its translation, with `{1}` `{2}` … for the values in it.

import type { LanguageTag } from '../model/languages.ts';
import { checksInGerman } from './checks-de.ts';
import { failuresInGerman } from './failures-de.ts';
import { refusalsInGerman } from './refusals-de.ts';

interface Phrase {
  /** The texts before, between and after the values. */
  readonly literals: readonly string[];
  readonly translated: string;
}

interface PhraseBook {
  readonly whole: ReadonlyMap<string, string>;
  /** By their first word, with those that begin with a value; alone under the empty word. The most specific first. */
  readonly withValues: ReadonlyMap<string, readonly Phrase[]>;
}

/** Null: the sentences are in this language already. */
const books: Readonly<Record<LanguageTag, PhraseBook | null>> = {
  en: null,
  de: phraseBook({ ...checksInGerman, ...refusalsInGerman, ...failuresInGerman }),
};

/** Every sentence of the server is shorter; sentences of sentences are read one in the other. */
const longest = 2000;

/**
 * The sentence in another language; itself if it is a value only, or has no translation. Pure.
 * @param text as the server made it, in English; may contain text of strangers
 */
export function inLanguage(text: string, language: LanguageTag): string {
  const book = books[language];
  if (book === null || text.length > longest) return text;
  const whole = book.whole.get(text);
  if (whole !== undefined) return whole;
  const phrases = book.withValues.get(firstWord(text)) ?? book.withValues.get('') ?? [];
  for (const { literals, translated } of phrases) {
    const values = valuesBetween(text, literals);
    if (values !== null) return filled(translated, values, language);
  }
  return text;
}

/** `{=1}` is a value that has a translation itself; as `=password` if it has one only there, and else is a name. */
function filled(translated: string, values: readonly string[], language: LanguageTag): string {
  return translated.replace(/\{(=?)(\d)\}/g, (_, isSentence: string, number: string) => {
    const value = values[Number(number) - 1] ?? '';
    if (isSentence === '') return value;
    return books[language]?.whole.get(`=${value}`) ?? inLanguage(value, language);
  });
}

/** Null if the text is not of that form. */
function valuesBetween(text: string, literals: readonly string[]): readonly string[] | null {
  const [first = '', ...rest] = literals;
  const last = rest.at(-1) ?? '';
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) return null;
  const values: string[] = [];
  let from = first.length;
  for (const literal of rest.slice(0, -1)) {
    const at = text.indexOf(literal, from);
    if (at < 0 || at + literal.length > end) return null;
    values.push(text.slice(from, at));
    from = at + literal.length;
  }
  return [...values, text.slice(from, end)];
}

function phraseBook(table: Readonly<Record<string, string>>): PhraseBook {
  const phrases = Object.entries(table)
    .map(([sentence, translated]) => ({ literals: sentence.split(/\{\d\}/), translated }))
    .toSorted((one, other) => other.literals.join('').length - one.literals.join('').length);
  const isWhole = ({ literals }: Phrase) => literals.length === 1;
  const withValues = phrases.filter((phrase) => !isWhole(phrase));
  const wordOf = ({ literals: [first = ''] }: Phrase) => firstWord(first);
  const words = new Set(['', ...withValues.map(wordOf)]);
  return {
    whole: new Map(phrases.filter(isWhole).map(({ literals: [all = ''], translated }) => [all, translated])),
    withValues: new Map(
      [...words].map((word) => [word, withValues.filter((phrase) => ['', word].includes(wordOf(phrase)))]),
    ),
  };
}

/** Empty where there is none before a value. */
function firstWord(text: string): string {
  return /^[^ ]+(?= )/.exec(text)?.[0] ?? '';
}
