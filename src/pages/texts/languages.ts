// The languages of the pages, and which of them a visitor gets.

import { type LanguageTag, languageTags } from '../../model/languages.ts';
import { type TextsOf, textsIn } from './both-languages.ts';
import { pages } from './pages.ts';

export type Texts = TextsOf<typeof pages>;

export interface Language {
  readonly tag: LanguageTag;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
}

const languages: Readonly<Record<LanguageTag, Language>> = {
  en: { tag: 'en', direction: 'ltr', texts: textsIn('en', pages) },
  de: { tag: 'de', direction: 'ltr', texts: textsIn('de', pages) },
};

const longest = 1000;

/**
 * The first available language of the list, by RFC 4647 3.4: `de-CH` finds `de`. English if there is none.
 * @param wanted tags in order of preference
 */
export function languageFor(wanted: readonly string[]): Language {
  for (const range of wanted) {
    const primary = range.toLowerCase().split('-')[0];
    const found = languageTags.find((tag) => tag === primary);
    if (found !== undefined) return languages[found];
  }
  return languages.en;
}

/** The tags of an `Accept-Language` field, most wanted first (RFC 9110 12.5.4); empty when it cannot be read. */
export function acceptedLanguages(field: string | undefined): readonly string[] {
  if (field === undefined || field.length > longest) return [];
  return field
    .split(',')
    .map((element) =>
      /^\s*([a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i.exec(element),
    )
    .flatMap((match) => (match === null ? [] : [{ tag: match[1] ?? '', quality: Number(match[2] ?? 1) }]))
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}
