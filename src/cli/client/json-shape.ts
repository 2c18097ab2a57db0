// Reads JSON of unknown shape field by field. The commands must start in a few milliseconds, and loading a
// schema library alone takes longer than that.

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object, or an empty one when it is something else. */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The value as a list, or an empty one when it is something else. */
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

/** The JSON value that the text holds, or undefined when it holds none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
