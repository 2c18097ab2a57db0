// The texts of the console in the language of the page, and times and numbers in its notation.

import { reasonLabels } from '../../../src/model/refusal-reason.ts';
import { language, words, wordsOf } from '../../parts/language.ts';
import { general } from './general.ts';
import { ofPeople } from './of-people.ts';

export const texts = {
  ...words,
  ...general,
  ...ofPeople,
  /** Why a step of a login was refused, in a few words. The server says the rest. */
  reasons: wordsOf(reasonLabels),
};

const precise = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
export const alternatives = new Intl.ListFormat(language, { type: 'disjunction' });
const hour = new Intl.DateTimeFormat(language, { timeStyle: 'short' });

/** With seconds. @param time RFC 3339 */
export function preciseTime(time: string): string {
  return precise.format(new Date(time));
}

export function hourText(time: Date): string {
  return hour.format(time);
}
