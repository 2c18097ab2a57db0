// The words of the page in the language that the server chose for it.

import { de } from './texts-de.js';
import { en } from './texts-en.js';

const language = document.documentElement.lang;

export const texts = language === 'de' ? de : en;

const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });

/** @param {string} time RFC 3339 */
export function timeText(time) {
  return format.format(new Date(time));
}
