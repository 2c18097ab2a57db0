export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string;
  /** In lower case; null when not given. */
  readonly charset: string | null;
}

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
const ESSENCE = new RegExp(`^${TOKEN}/${TOKEN}$`);
const PARAMETER = new RegExp(`^(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")$`);

/**
 * Reads a Content-Type; null when it is not one, or names a parameter twice.
 * @see RFC 9110 section 8.3.1
 */
export function parseMediaType(text: string): MediaType | null {
  if (text.length > 256) return null;
  const [essence = '', ...parameters] = text.split(';').map((part) => part.trim());
  if (!ESSENCE.test(essence)) return null;
  const values = new Map<string, string>();
  for (const parameter of parameters) {
    if (parameter === '') continue;
    const parts = PARAMETER.exec(parameter);
    const name = parts?.[1]?.toLowerCase();
    if (parts === null || name === undefined || values.has(name)) return null;
    values.set(name, (parts[2] ?? (parts[3] ?? '').replace(/\\(.)/g, '$1')).toLowerCase());
  }
  return { essence: essence.toLowerCase(), charset: values.get('charset') ?? null };
}
