// The filters of addresses, in the filter language of the API. Every value is quoted, so none can become part of the
// filter's syntax.

import { quoted } from './session/api.ts';

/** All of the conditions. Null stands for no condition. */
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

/** @param isFlag whether the value is a boolean. Only values that a list offers count. */
export function isValue(field: string, value: string | undefined, isFlag: boolean): string | null {
  if (!isFlag) return equal(field, value);
  return value === 'true' || value === 'false' ? `${field} = ${value}` : null;
}

/** @param time as a date and time field returns it, in the person's time zone */
export function since(field: string, comparison: '>=' | '<=', time: string | undefined): string | null {
  if (time === undefined || time === '') return null;
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? null : `${field} ${comparison} datetime(${at.toISOString()})`;
}

/** More than so many days ago, by the day: a filter that changed with the clock would be read again at once. */
export function before(field: string, days: number): string | null {
  if (!(days > 0)) return null;
  const day = 86_400_000;
  return `${field} < datetime(${new Date((Math.floor(Date.now() / day) - days) * day).toISOString()})`;
}

/** One of our ids, as opposed to any other typed text. */
export function looksLikeId(text: string): boolean {
  return /^[\w.-]{1,64}$/.test(text);
}

/** Whom something is about, by part of the name or by id. */
export function ofPerson(text: string | undefined): string | null {
  const conditions = [
    contains('identityName', text),
    text !== undefined && looksLikeId(text) ? equal('identityId', text) : null,
  ].filter((condition) => condition !== null);
  return conditions.length === 0 ? null : conditions.join(' or ');
}
