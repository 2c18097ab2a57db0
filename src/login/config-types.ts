import type { ConfigTypeStore } from '../store/contracts/config-types.ts';

/** The most, and the most bytes of UTF-8 each, with which an access token is still accepted. */
const most = 32;
const longest = 100;

/**
 * The configuration types that a client asks for, each once, without empty ones; undefined for more or longer ones
 * than an access token can carry (`z_ct`, spec 2.5), and for such that hold control characters.
 */
export function readConfigTypes(given: readonly string[]): readonly string[] | undefined {
  const configTypes = [...new Set(given)].filter((name) => name !== '');
  if (configTypes.length > most || !configTypes.every(isConfigType)) return undefined;
  return configTypes;
}

function isConfigType(name: string): boolean {
  return Buffer.byteLength(name) <= longest && !/\p{C}/u.test(name);
}

export interface ConfigTypeResolving {
  readonly store: { readonly configTypes: Pick<ConfigTypeStore, 'findByNames'> };
}

/**
 * The ids of the configuration types (design 3 row 27). What is no name here stays as it is: an id, or a type that
 * other parts of the overlay know.
 * @param asked as `readConfigTypes` returns them
 */
export async function resolveConfigTypes(
  { store }: ConfigTypeResolving,
  asked: readonly string[],
): Promise<readonly string[]> {
  if (asked.length === 0) return asked;
  const found = await store.configTypes.findByNames(asked);
  const ids = new Map<string, string>(found.map(({ name, id }) => [name, id]));
  return [...new Set(asked.map((text) => ids.get(text) ?? text))];
}
