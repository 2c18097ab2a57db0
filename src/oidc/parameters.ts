import { AuthError } from '../errors/auth-error.ts';

/** Parameters of a protocol request, decoded once: every value of every name, in order. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

/** Every value of every name of queries and forms, in order. Values of earlier sources come first. */
export function parametersOf(
  ...sources: readonly Readonly<Record<string, string | readonly string[]>>[]
): Parameters {
  const parameters = new Map<string, readonly string[]>();
  for (const source of sources) {
    for (const [name, value] of Object.entries(source)) {
      parameters.set(name, [
        ...(parameters.get(name) ?? []),
        ...(typeof value === 'string' ? [value] : value),
      ]);
    }
  }
  return parameters;
}

/** The value of a parameter. Null when it is absent or empty, which means the same (RFC 6749 3.1). */
export function parameter(parameters: Parameters, name: string): string | null {
  const value = parameters.get(name)?.[0];
  return value === undefined || value === '' ? null : value;
}

/** Whether the parameter was repeated. */
export function isRepeated(parameters: Parameters, name: string): boolean {
  return (parameters.get(name)?.length ?? 0) > 1;
}

/**
 * The value of a parameter that must occur exactly once.
 * @throws AuthError invalid_request
 */
export function required(parameters: Parameters, name: string): string {
  const value = optional(parameters, name);
  if (value === null)
    throw new AuthError('invalid_request', { description: `the parameter ${name} is missing` });
  return value;
}

/**
 * The value of a parameter, or null. It must not be repeated (RFC 6749 3.1, 3.2).
 * @throws AuthError invalid_request
 */
export function optional(parameters: Parameters, name: string): string | null {
  if (isRepeated(parameters, name)) {
    throw new AuthError('invalid_request', { description: `the parameter ${name} is given more than once` });
  }
  return parameter(parameters, name);
}
