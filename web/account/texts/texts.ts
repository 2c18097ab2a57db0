// The texts of the page, in the language that the server chose.

import { de } from './de.ts';
import { en, type Texts } from './en.ts';

export const language = document.documentElement.lang === 'de' ? 'de' : 'en';
export const texts: Texts = language === 'de' ? de : en;

const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });

/** @param time RFC 3339 */
export function timeText(time: string): string {
  return format.format(new Date(time));
}

/** The name of a way to sign in. One that only a newer server knows keeps the server's word. */
export function methodText(method: string): string {
  const { method: names } = texts;
  return Object.hasOwn(names, method) ? names[method as keyof typeof names] : method;
}
