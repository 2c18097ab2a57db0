// What an address asks for, in the language of filters (docs/… of the API). Every value is quoted: none can become a
// rule of its own.

import { quoted } from './session/api.ts';

/** All of them; those that are null ask for nothing. */
export function allOf(...conditions: readonly (string | null)[]): string {
  const given = conditions.filter((condition) => condition !== null);
  return given.length === 1 ? (given[0] ?? '') : given.map((condition) => `(${condition})`).join(' and ');
}

export function equal(field: string, value: string | undefined): string | null {
  return value === undefined || value === '' ? null : `${field} = ${quoted(value)}`;
}

export function contains(field: string, value: string | undefined): string | null {
  return value === undefined || value === '' ? null : `${field} icontains ${quoted(value)}`;
}

/** @param time as a field for date and time writes it, of where the person is */
export function since(field: string, comparison: '>=' | '<=', time: string | undefined): string | null {
  if (time === undefined || time === '') return null;
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? null : `${field} ${comparison} datetime(${at.toISOString()})`;
}

/** An id of ours, or anything else that somebody typed. */
export function looksLikeId(text: string): boolean {
  return /^[\w.-]{1,64}$/.test(text);
}
