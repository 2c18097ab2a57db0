// Values as documents, declarative state and the audit trail show them.

import { isoTime, type Millis } from '../../platform/clock.ts';
import { formatDuration } from '../../platform/formats/durations.ts';
import { shownFingerprint } from '../../platform/formats/fingerprint.ts';
import type { Field, Fields } from './entity.ts';

/** @param value of the field; undefined: not set */
export function shownValue(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (field.isFingerprint) return shownFingerprint(String(value));
  switch (field.kind) {
    case 'time':
      return isoTime(value as Millis);
    case 'duration':
      return formatDuration(value as Millis);
    case 'group':
    case 'object':
      return shownValues(field.members, value);
    default:
      return value;
  }
}

/** For the audit trail, which those may read who may not change the field. */
export function shownToReaders(field: Field, value: unknown): unknown {
  return shownValue(field, field.hasSecretPath && typeof value === 'string' ? schemeAndHost(value) : value);
}

/** The values of an entity for a reader who may not change it. */
export function forReaders<Values extends object>(fields: Fields, values: Values): Values {
  const of = values as Readonly<Record<string, unknown>>;
  const secret = Object.entries(fields).filter(([, { hasSecretPath }]) => hasSecretPath);
  return {
    ...values,
    ...Object.fromEntries(secret.map(([name, field]) => [name, shownToReaders(field, of[name])])),
  };
}

export function schemeAndHost(address: string): string {
  return address.replace(/^([^:]*:\/\/[^/?#]*).*$/s, '$1');
}

/** The members that are there, as they are shown. Members that are shown only if they are set may be missing. */
export function shownValues(fields: Fields, values: object): Readonly<Record<string, unknown>> {
  const shown: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const of = values as Readonly<Record<string, unknown>>;
    const value = field.saysWhether === undefined ? of[field.sameAs ?? name] : of[field.saysWhether] !== null;
    if (value === undefined || (value === null && field.isShownIfSet) || field.isSecret) continue;
    shown[field.shownAs ?? name] = shownValue(field, value);
  }
  return shown;
}
