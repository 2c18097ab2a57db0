// Values for a JSON Schema: valid ones, valid ones at the limits, and invalid ones.

import type { JsonSchema } from '../../src/model/json-schema.ts';
import type { Seeded } from './seeded.ts';

export type Components = Readonly<Record<string, JsonSchema>>;

function resolved(schema: JsonSchema, components: Components): JsonSchema {
  const name = schema.$ref?.slice(schema.$ref.lastIndexOf('/') + 1);
  return name === undefined ? schema : (components[name] as JsonSchema);
}

/** A valid value; numbers, texts and lists are often as small or as large as allowed. */
export function sampleOf(given: JsonSchema, components: Components, from: Seeded): unknown {
  const schema = resolved(given, components);
  const pick = <T>(items: readonly T[]): T => items[from.below(items.length)] as T;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return pick(schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return sampleOf(pick(variants), components, from);
  switch (schema.type) {
    case 'string':
      return sampleText(schema, from);
    case 'integer':
    case 'number': {
      const low = schema.minimum ?? -3;
      const high = schema.maximum ?? low + 1000;
      return pick([low, high, low + from.below(Math.max(1, Math.min(1000, high - low)))]);
    }
    case 'boolean':
      return from.below(2) === 0;
    case 'null':
      return null;
    case 'array': {
      const length = pick([schema.minItems ?? 0, 1, Math.min(schema.maxItems ?? 3, 40)]);
      return Array.from({ length }, () => sampleOf(schema.items ?? {}, components, from));
    }
    case 'object':
      return sampleObject(schema, components, from);
    default:
      return pick([null, 'anything', 1, [], {}]);
  }
}

function sampleText(schema: JsonSchema, from: Seeded): string {
  if (schema.format === 'date-time') return '2026-01-01T00:00:00.000Z';
  if (schema.pattern !== undefined) return ['default', 'a', 'x'.repeat(64)][from.below(3)] as string;
  const lengths = [schema.minLength ?? 0, 8, Math.min(schema.maxLength ?? 200, 3000)];
  const letters = 'abcXYZ019 -_./äß漢🙂"\'<>&%\\';
  return Array.from({ length: lengths[from.below(3)] as number }, () => {
    const characters = [...letters];
    return characters[from.below(characters.length)];
  }).join('');
}

function sampleObject(schema: JsonSchema, components: Components, from: Seeded): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const given = Object.entries(properties).filter(([name]) => required.includes(name) || from.below(2) === 0);
  const value = Object.fromEntries(given.map(([name, member]) => [name, sampleOf(member, components, from)]));
  if (typeof additionalProperties === 'object' && from.below(2) === 0) {
    value.extra = sampleOf(additionalProperties, components, from);
  }
  return value;
}

const ofEveryType: readonly unknown[] = ['x', 1.5, true, null, [], {}];

/** Variants of a valid object, each made invalid by one member. */
export function misfitsOf(
  given: JsonSchema,
  fitting: Readonly<Record<string, unknown>>,
  components: Components,
): readonly { readonly value: unknown; readonly why: string }[] {
  const schema = resolved(given, components);
  const { properties = {}, required = [] } = schema;
  const misfits: { value: unknown; why: string }[] = [];
  for (const name of required) {
    const { [name]: _left, ...rest } = fitting;
    misfits.push({ value: rest, why: `without ${name}` });
  }
  for (const [name, member] of Object.entries(properties)) {
    const wrong = [...ofEveryType, ...beyond(resolved(member, components))];
    for (const value of wrong.filter((candidate) => !fits(member, candidate, components))) {
      misfits.push({ value: { ...fitting, [name]: value }, why: `${name} = ${JSON.stringify(value)}` });
    }
  }
  return misfits;
}

function beyond({ minimum, maximum, minLength, maxLength, maxItems }: JsonSchema): unknown[] {
  return [
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(minLength === undefined || minLength === 0 ? [] : ['x'.repeat(minLength - 1)]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => 'x')]),
  ];
}

/** Whether a value is valid, as far as our schemas go; checks only the members that exist. */
export function fits(given: JsonSchema, value: unknown, components: Components): boolean {
  const schema = resolved(given, components);
  if (schema.const !== undefined) return value === schema.const;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.some((variant) => fits(variant, value, components));
  const { minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity, maxItems } = schema;
  switch (schema.type) {
    case 'string':
      return (
        typeof value === 'string' &&
        value.length >= minLength &&
        value.length <= maxLength &&
        new RegExp(schema.pattern ?? '', 'u').test(value)
      );
    case 'integer':
    case 'number':
      return (
        typeof value === 'number' &&
        (schema.type === 'number' || Number.isInteger(value)) &&
        value >= minimum &&
        value <= maximum
      );
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'array':
      return (
        Array.isArray(value) &&
        value.length <= (maxItems ?? Infinity) &&
        value.every((item) => fits(schema.items ?? {}, item, components))
      );
    case 'object':
      return (
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        (schema.required ?? []).every((name) => Object.hasOwn(value, name))
      );
    default:
      return true;
  }
}
