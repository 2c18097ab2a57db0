// The document of declarative state, checked as strictly as single entities: unknown members are refused.

import { z } from 'zod';
import type { State } from '../../admin/state/state.ts';
import { entityNamed } from '../../model/entities/all-entities.ts';
import { stateKinds } from '../../model/entities/state-kinds.ts';
import { bodyShape } from '../documents/entity-schemas.ts';
import { idText } from '../request/fields.ts';
import { schemaNamed } from '../request/route.ts';

const kinds = stateKinds.map((kind) => {
  const { fields, hasChosenId } = entityNamed(kind);
  const id = hasChosenId ? { id: idText.optional() } : {};
  const state = z.strictObject({ ...bodyShape(fields, 'state'), ...id, name: z.string() });
  return [kind, z.array(state).optional()] as const;
});

/** It covers the kinds that it contains. */
const fileSchema = z.strictObject(Object.fromEntries(kinds));

/** Sound because each kind has the members of its table, and a name. */
export const stateSchema = fileSchema.meta({ id: 'State' }) as unknown as z.ZodType<State>;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** Tags and rules count as one member each. */
const simple = z.union([scalar, z.array(z.string())]);
const member = z.union([simple, z.record(z.string(), simple)]);
const entry = { kind: z.enum(stateKinds), name: z.string() };
const entries = z.array(z.strictObject(entry));

/** The changes that a document led to. */
export const stateChangesSchema = schemaNamed('StateChanges', {
  created: entries,
  changed: z.array(
    z.strictObject({
      ...entry,
      fields: z.array(z.strictObject({ field: z.string(), before: member.optional(), after: member })),
    }),
  ),
  deleted: entries,
  unchanged: entries,
});

/** For editors: the JSON Schema of a file. */
export function stateJsonSchema(): object {
  return {
    ...z.toJSONSchema(fileSchema, { io: 'input' }),
    title: 'State of an overlay authentication service',
  };
}
