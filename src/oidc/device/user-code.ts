// The code that a person types for a device (RFC 8628 6.1): eight consonants, so that no words come about and nothing
// looks like something else.

import { hmacSha256 } from '../../platform/digest.ts';
import type { Random } from '../../platform/random.ts';

const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;
/** Bytes above would make some letters more frequent than others. */
const evenly = 256 - (256 % letters.length);

/** @returns eight letters, 34 bits */
export function newUserCode(random: Random): string {
  let code = '';
  while (code.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < evenly && code.length < length) code += letters[byte % letters.length];
    }
  }
  return code;
}

/** As it is shown: in two groups. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
}

/** What somebody typed, whatever stands between the letters; null when it cannot be a code. */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[\s\-\u2010-\u2015_.]/g, '');
  return code.length === length && [...code].every((letter) => letters.includes(letter)) ? code : null;
}

/** What the store keeps: a plain digest of so few letters could be tried out. */
export function userCodeHash(tagKey: Buffer, code: string): string {
  return hmacSha256(tagKey, `device user code\0${code}`).toString('base64url');
}
