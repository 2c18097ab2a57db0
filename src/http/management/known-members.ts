import { z } from 'zod';

/** The member names that an object of the schema may have; for a union, those of all its members. */
export function membersOf(schema: z.ZodType): readonly string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe) return membersOf(schema.in as z.ZodType);
  return schema instanceof z.ZodUnion
    ? schema.options.flatMap((option) => membersOf(option as z.ZodType))
    : [];
}

/**
 * A schema for bodies that may also have these members, which are removed before it is applied.
 * @param known those that the schema itself accepts are not removed
 */
export function ignoring(known: readonly string[], schema: z.ZodType): z.ZodType {
  const taken = new Set(membersOf(schema));
  const ignored = new Set(known.filter((name) => !taken.has(name)));
  return z.preprocess((body) => {
    if (typeof body !== 'object' || body === null) return body;
    return Object.fromEntries(Object.entries(body).filter(([name]) => !ignored.has(name)));
  }, schema);
}
