import { MalformedInput } from './malformed-input.ts';

// ignoreBOM keeps a byte order mark as a character, which the parsers then refuse.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws MalformedInput invalid, overlong or truncated UTF-8, or encoded surrogates */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new MalformedInput('not UTF-8');
  }
}
