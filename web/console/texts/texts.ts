// The texts in the language that the server chose for the page, and times and numbers in its notation.

import { type RefusalReason, reasonLabels } from '../../../src/model/refusal-reason.ts';
import { language } from '../../parts/language.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

const reasons = Object.fromEntries(
  Object.entries(reasonLabels).map(([reason, label]) => [reason, label[language]]),
) as Record<RefusalReason, string>;
export const texts: Texts & { readonly reasons: typeof reasons } = {
  ...(language === 'de' ? de : en),
  /** Why a step of a login was refused, in a few words. The server says the rest. */
  reasons,
};

const precise = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
export const alternatives = new Intl.ListFormat(language, { type: 'disjunction' });
const hour = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' });

/** With seconds. @param time RFC 3339 */
export function preciseTime(time: string): string {
  return precise.format(new Date(time));
}

export function hourText(time: Date): string {
  return hour.format(time);
}

/** The texts of a screen whose code loads later, in the language of the page. */
export function wordsOf<Words>(inEnglish: Words, inGerman: NoInfer<Words>): Words {
  return language === 'de' ? inGerman : inEnglish;
}
