import { AuthError } from '../errors/auth-error.ts';
import { typedName } from '../model/names.ts';
import type { LoginServices } from './services.ts';

/** How many, and how long each in bytes of UTF-8, an access token can carry. */
const most = 32;
const longest = 100;

/**
 * The configuration types that a client asks for, without duplicates and empty ones. Undefined if there are more or
 * longer ones than an access token can carry (`z_ct`, spec 2.5), or if one contains control characters.
 */
export function readConfigTypes(given: readonly string[]): readonly string[] | undefined {
  const configTypes = [...new Set(given)].filter((name) => name !== '');
  if (configTypes.length > most || !configTypes.every(isConfigType)) return undefined;
  return configTypes;
}

function isConfigType(name: string): boolean {
  return Buffer.byteLength(name) <= longest && !/\p{C}/u.test(name);
}

/** As `readConfigTypes`. @throws AuthError could_not_validate */
export function requireConfigTypes(given: readonly string[]): readonly string[] {
  const configTypes = readConfigTypes(given);
  if (configTypes !== undefined) return configTypes;
  throw new AuthError('could_not_validate', {
    fields: [{ field: 'configTypes', reason: 'too many or too long' }],
  });
}

/**
 * The ids of the configuration types (design 3 row 27). An unknown name stays as it is: it may be an id, or a type that
 * other parts of the overlay know.
 * @param asked as `readConfigTypes` returns them
 */
export async function resolveConfigTypes(
  { store }: LoginServices,
  asked: readonly string[],
): Promise<readonly string[]> {
  const found = await store.configTypes.findByNames(asked.map(typedName));
  const ids = new Map(found.map(({ name, id }) => [name, id]));
  return [...new Set(asked.map((text) => ids.get(typedName(text)) ?? text))];
}
