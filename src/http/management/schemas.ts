import { z } from 'zod';

/** An id in a body. Ids are ours: no other characters occur in them. */
export const idText = z.string().regex(/^[\w.-]{1,64}$/, 'must be an id');

/** Null is what some clients send for none. */
export const tags = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .nullable()
  .transform((value) => value ?? {});

/** RFC 3339; left out or null: none. */
export const optionalTime = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2030-01-31T12:00:00Z' })
  .nullish()
  .transform((text) => (text == null ? null : Date.parse(text)));

/** Of a list. What would narrow it elsewhere and is not understood here is refused, not ignored. */
export const listParameters = z.object({
  filter: z.string().optional(),
  limit: z.string().optional(),
  offset: z.string().optional(),
  sort: z.string().optional(),
  roleFilter: z.literal('', 'is not supported').optional(),
});

/** Of a change. `force`: also when no administrator is left who can log in. */
export const changeParameters = z.object({
  force: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
});
