// Reads JSON of unknown shape member by member, because a server may send anything.

export type Members = Readonly<Record<string, unknown>>;

/** The value as an object, or an empty one if it is something else. */
export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** The members of an answer's body; none if it is not a JSON object. */
export async function membersIn(response: Response): Promise<Members> {
  return membersOf(await response.json().catch(() => undefined));
}

/** The value, if it is a non-empty text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The texts in a value that should be a list of them. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
