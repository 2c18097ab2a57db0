// Reads JSON of unknown shape field by field. Commands must start in a few milliseconds, and merely loading a schema
// library takes longer.

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object, or an empty one if it is something else. */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The value as a list, or an empty one if it is something else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A field that is a non-empty string; otherwise undefined. */
export function textField(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A field that is a finite number; otherwise undefined. */
export function numberField(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The parsed text, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
