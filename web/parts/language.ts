import { english, german } from './words.ts';

/** The one that the server chose for the page. */
export const language = document.documentElement.lang === 'de' ? 'de' : 'en';
export const words = language === 'de' ? german : english;

const dateAndTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });

/** @param time RFC 3339 */
export function timeText(time: string): string {
  return dateAndTime.format(new Date(time));
}

/** The name in a table for a key from the server, or the key itself if only a newer server knows it. */
export function named<Names extends Readonly<Record<string, string>>>(names: Names, key: string): string {
  return Object.hasOwn(names, key) ? (names[key] ?? key) : key;
}

/** A browser or program in the words that people know from their own computer; null when it said nothing. */
export function programText(said: {
  readonly program: string | null;
  readonly operatingSystem: string | null;
}): string | null {
  const { program, operatingSystem } = said;
  return program === null || operatingSystem === null
    ? (program ?? operatingSystem)
    : words.programOn(program, operatingSystem);
}
