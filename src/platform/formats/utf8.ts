import { MalformedInput } from './strict-input.ts';

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

/**
 * The text of a file that a person has written, without a byte order mark. Reading another encoding with replacement
 * characters would make, for example, a password that cannot be typed.
 * @param linesBefore how many lines of the file come before those bytes
 * @throws MalformedInput it is in another encoding; names the line
 */
export function textOfFile(bytes: Uint8Array, linesBefore = 0): string {
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarked || isUnmarkedUtf16(bytes))
    throw new MalformedInput('it is in UTF-16, not in UTF-8: save it as UTF-8');
  if (first === 0x30 && second !== undefined && second >= 0x80)
    throw new MalformedInput('it is binary (DER or PKCS #12), not text: convert it to PEM with openssl');
  try {
    return decodeUtf8(bytes).replace(/^\ufeff/, '');
  } catch {
    const line = linesBefore + lineOfFault(bytes);
    throw new MalformedInput(`line ${line} is not in UTF-8: save the file as UTF-8`);
  }
}

/** Text that begins with ASCII, two bytes for each character. */
function isUnmarkedUtf16([first, second, third, fourth]: Uint8Array): boolean {
  const isZero = [first, second, third, fourth].map((byte) => byte === 0).join();
  return isZero === 'false,true,false,true' || isZero === 'true,false,true,false';
}

function lineOfFault(bytes: Uint8Array): number {
  const lossy = new TextDecoder('utf-8').decode(bytes);
  return lossy.slice(0, lossy.indexOf('\ufffd')).split('\n').length;
}
