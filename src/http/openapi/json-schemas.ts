import { z } from 'zod';
import type { JsonSchema } from '../../model/json-schema.ts';

/** Turns schemas into JSON Schema. Those with an id become components and are referenced. */
export type SchemaCollection = ReturnType<typeof schemaCollection>;

export function schemaCollection() {
  const components: Record<string, JsonSchema> = {};
  /** Every endpoint has the same refusals. */
  const known = new Map<z.ZodType, JsonSchema>();
  return {
    components,
    /** The schema of a request, before defaults and conversions. */
    schemaOf(schema: z.ZodType) {
      const made = known.get(schema) ?? framed(schema, components);
      known.set(schema, made);
      return made;
    },
  };
}

/** Wraps the schema in a frame, because only nested schemas become definitions, which are added to the components. */
function framed(schema: z.ZodType, components: Record<string, JsonSchema>): JsonSchema {
  const frame = z.toJSONSchema(z.object({ framed: schema }), {
    io: 'input',
    unrepresentable: 'any',
    // Otherwise a default that is only described is left out where the schema also converts.
    override({ zodSchema, jsonSchema }) {
      const usual = z.globalRegistry.get(zodSchema)?.default;
      if (usual !== undefined) jsonSchema.default = usual;
    },
  });
  const { $defs = {}, properties = {} } = tidied(frame) as {
    $defs?: Record<string, JsonSchema>;
    properties?: Record<string, JsonSchema>;
  };
  Object.assign(components, $defs);
  return properties.framed ?? {};
}

/**
 * References components, names one type besides null in each schema, which is all that generators of Go understand, and
 * omits three things that say less than they seem to: documents may gain members, a format
 * says more than the pattern made from it, and the bounds of safe integers are no rule of the API.
 */
function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  if ('type' in value && Array.isArray(value.type) && value.type.length > 2) {
    const { type, ...rest } = value;
    return { ...rest, anyOf: type.map((one) => ({ type: one })) };
  }
  const members = Object.entries(value).filter(
    ([name, member]) =>
      !(name === 'additionalProperties' && member === false) &&
      !(name === 'pattern' && 'format' in value) &&
      !(name === 'propertyNames' || name === '$schema' || name === 'id') &&
      Math.abs(Number(member)) !== Number.MAX_SAFE_INTEGER,
  );
  return Object.fromEntries(
    members.map(([name, member]) =>
      name === '$ref' && typeof member === 'string'
        ? [name, member.replace('#/$defs/', '#/components/schemas/')]
        : // The names of properties and definitions are not keywords.
          name === 'properties' || name === '$defs'
          ? [name, Object.fromEntries(Object.entries(member).map(([key, inner]) => [key, tidied(inner)]))]
          : [name, tidied(member)],
    ),
  );
}
