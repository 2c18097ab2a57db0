import type { Client } from './clients.ts';
import type { Parameters } from './parameters.ts';

/**
 * The resources for which a client asks a token (RFC 8707 2). Clients of the configuration have none; their parameter is
 * ignored like any that is not known.
 * @returns undefined when one of them is not registered for the client
 */
export function resourcesOf({ registered }: Client, parameters: Parameters): readonly string[] | undefined {
  if (registered === null) return [];
  const asked = [...new Set((parameters.get('resource') ?? []).filter((resource) => resource !== ''))];
  return asked.every((resource) => registered.resources.includes(resource)) ? asked : undefined;
}
