/** So many, and of so many bytes of UTF-8 each, that an access token with all of them is still accepted. */
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
