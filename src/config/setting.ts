import * as z from 'zod';

// A setting is described in one place, settings.ts, edge-settings.ts or listener-settings.ts, by its sentence and its
// schema:
//   sessionTimeout: says`A session ends after this long without activity.`(lifetime.prefault('30m')),
// The JSON Schema of the file, messages about mistakes, the file that `init` writes, what a reload takes over, the files
// that must be readable and the page docs/configuration.md follow from it.

/** Further facts about a setting. */
export interface Facts {
  /** In a new file it is a comment, although it has a default. */
  readonly rare?: true;
  /** The value of the setting in the comment of a new file. */
  readonly example?: unknown;
  /** Of a list of maps: the member that tells its entries apart. Which entries exist is fixed at the start. */
  readonly named?: string;
  /** A running controller keeps its value, and those inside, until its next start. */
  readonly restart?: true;
}

/**
 * A setting. The sentence is for the person who edits the file, also as the hint when the value is wrong. It ends with
 * the default if the schema does not know it: `Default: none.`
 */
export const says = describedAs({});
/** The same for a setting that is read at the start only, with everything inside. */
export const atRestart = describedAs({ restart: true });

function describedAs(always: Facts) {
  return ({ raw: [description = ''] }: TemplateStringsArray) =>
    <S extends z.ZodType>(schema: S, facts: Facts = {}): S =>
      schema.meta({ description, setting: { ...always, ...facts } });
}

/** A map of the file that may be left out, because everything in it has a default. */
export function section<T extends z.ZodRawShape>(settings: T) {
  return z.strictObject(settings).prefault({} as z.input<z.ZodObject<T, z.core.$strict>>);
}

/** A setting that may be absent: null then. */
export function orNone<S extends z.ZodType>(schema: S) {
  return z.codec(z.optional(schema), z.custom<z.output<S> | null>(), {
    decode: (value) => value ?? null,
    encode: (value) => value ?? undefined,
  });
}

/** A map of the file whose values have to fit together. @param check refuses the value of a member */
export function fitting<S extends z.ZodType>(
  schema: S,
  check: (map: z.output<S>, refuse: (member: string, message: string) => void) => void,
): S {
  return schema.superRefine((map, context) =>
    check(map, (member, message) => context.addIssue({ code: 'custom', path: [member], message })),
  );
}

/** A map of the file that the rest of the service sees in another shape. */
export function seenAs<S extends z.ZodType, Seen>(
  schema: S,
  shape: { readonly decode: (map: z.output<S>) => Seen; readonly encode: (seen: Seen) => z.output<S> },
) {
  return z.codec(schema, z.custom<Seen>(), shape);
}
