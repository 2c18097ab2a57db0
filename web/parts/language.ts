// The language of the page, and the words of the console and the account page; those of the other pages too are in
// src/pages/texts/common.ts.

import { languageTags } from '../../src/model/languages.ts';
import { type TextTable, textsIn } from '../../src/pages/texts/both-languages.ts';
import { common } from '../../src/pages/texts/common.ts';

/** The one that the server chose for the page. */
export const language = languageTags.find((tag) => tag === document.documentElement.lang) ?? 'en';

/** The texts of a table in the language of the page. */
export const wordsOf = <Table extends TextTable>(table: Table) => textsIn(language, table);

/** A number and its noun. */
export const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;

export const words = wordsOf({
  ...common,
  loading: ['One moment …', 'Einen Moment …'],
  retry: ['Try again', 'Noch einmal versuchen'],
  reference: ['Reference', 'Kennung'],
  name: 'Name',
  administrator: 'Administrator',
  newPassword: ['New password', 'Neues Passwort'],
  app: ['Authenticator app', 'Authenticator-App'],
  passkeys: 'Passkeys',
  certificates: ['Certificates', 'Zertifikate'],
  cookies: [
    'Your browser lets this site keep nothing. Allow cookies for it, then try again.',
    'Ihr Browser lässt diese Website nichts speichern. Erlauben Sie ihr Cookies, und versuchen Sie es noch einmal.',
  ],
  anotherPerson: [
    'Another person signed in. Nothing that was typed here is saved or shown to them.',
    'Eine andere Person hat sich angemeldet. Was hier eingegeben wurde, ist nicht gespeichert und wird ihr nicht gezeigt.',
  ],
  refused: ['Refused', 'Abgelehnt'],
  unknownProgram: ['A program that does not say its name', 'Ein Programm, das seinen Namen nicht nennt'],
  /** Such as `Firefox on Linux`. */
  programOn: (program: string, system: string) => [`${program} on ${system}`, `${program} unter ${system}`],
});

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
export function programText(said: { program: string | null; operatingSystem: string | null }): string | null {
  const { program, operatingSystem } = said;
  return program === null || operatingSystem === null
    ? (program ?? operatingSystem)
    : words.programOn(program, operatingSystem);
}
