// Conditions in the filter language of the API. Every value is quoted, so none can become part of the filter's syntax.

import { quoted } from './session/api.ts';

/** All of the conditions. Null stands for no condition. */
export function allOf(...conditions: readonly (string | null)[]): string {
  const given = conditions.filter((condition) => condition !== null);
  return given.length === 1 ? (given[0] ?? '') : given.map((condition) => `(${condition})`).join(' and ');
}

/** One of the conditions. Null stands for no condition. */
export function anyOf(...conditions: readonly (string | null)[]): string {
  return conditions.filter((condition) => condition !== null).join(' or ');
}

export function equal(field: string, value: string): string {
  return `${field} = ${quoted(value)}`;
}

export function contains(field: string, value: string): string {
  return `${field} icontains ${quoted(value)}`;
}

/** Only values that a list offers count. */
export function isFlag(field: string, value: string): string | null {
  return value === 'true' || value === 'false' ? `${field} = ${value}` : null;
}

/** @param time as a date and time field returns it, in the person's time zone */
export function since(field: string, comparison: '>=' | '<=', time: string): string | null {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? null : `${field} ${comparison} datetime(${at.toISOString()})`;
}

/** More than so many days ago, by the day: a filter that changed with the clock would be read again at once. */
export function before(field: string, days: number): string | null {
  if (!(days > 0)) return null;
  const day = 86_400_000;
  return `${field} < datetime(${new Date((Math.floor(Date.now() / day) - days) * day).toISOString()})`;
}

/** By id, if it is one of ours as opposed to any other typed text. */
export function idIs(field: string, text: string): string | null {
  return /^[\w.-]{1,64}$/.test(text) ? equal(field, text) : null;
}
