// What a change of a managed entity did to its fields, for the audit trail.

import { isDeepStrictEqual } from 'node:util';
import type { FieldChange } from '../model/audit-event.ts';
import { defaultOf, type Field, type Fields } from '../model/entities/entity.ts';
import { shownValue } from '../model/entities/shown.ts';

/** In characters of JSON. Longer values are cut. */
const longestValue = 1000;

/**
 * The fields whose values differ, as documents show them. A secret is only said to be changed.
 * @param before null: the entity is new, and fields at their default are left out
 * @param after  null: it is deleted
 */
export function changesOf(
  fields: Fields,
  before: object | null,
  after: object | null,
): readonly FieldChange[] {
  return Object.entries(fields).flatMap(([name, field]): readonly FieldChange[] => {
    if (field.sameAs !== undefined) return [];
    const [from, to] = [valueIn(before, name, field), valueIn(after, name, field)];
    if (to === undefined && after !== null) return [];
    if (isDeepStrictEqual(plain(from), plain(to))) return [];
    if (field.kind === 'group')
      return changesOf(field.members, asObject(from), asObject(to)).map((change) => ({
        ...change,
        field: `${name}.${change.field}`,
      }));
    if (field.isSecret) return [secretChanged(field.shownAs ?? name)];
    const shown = (of: object | null, value: unknown) => (of === null ? null : cut(shownValue(field, value)));
    return [{ field: name, from: shown(before, from), to: shown(after, to) }];
  });
}

/** The change of something whose value nobody may read. */
export function secretChanged(field: string): FieldChange {
  return { field, from: null, to: 'changed' };
}

/** Of an entity that is not there, the default. */
function valueIn(entity: object | null, name: string, field: Field): unknown {
  if (entity === null) return defaultOf(field);
  const value = (entity as Readonly<Record<string, unknown>>)[name];
  return value === undefined && field.isShownIfSet ? defaultOf(field) : value;
}

/** Without prototypes, which objects of bodies do not have. */
function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : value;
}

function asObject(value: unknown): object | null {
  return typeof value === 'object' ? value : null;
}

function cut(value: unknown = null): unknown {
  const text = JSON.stringify(value);
  return text.length <= longestValue ? value : `${text.slice(0, longestValue)}…`.toWellFormed();
}
