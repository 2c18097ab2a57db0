// The code that a person types for a device (RFC 8628 6.1): eight consonants, so that it spells no words and no letter
// looks like another.

import { hmacSha256 } from '../../platform/digest.ts';
import type { Random } from '../../platform/random.ts';

const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;
/** Larger bytes would make some letters more frequent than others. */
const evenly = 256 - (256 % letters.length);

/** @returns eight letters, 34 bits */
export function newUserCode(random: Random): string {
  let code = '';
  while (code.length < length) {
    for (const byte of random.bytes(length))
      if (byte < evenly && code.length < length) code += letters[byte % letters.length];
  }
  return code;
}

/** As people see it: in two groups. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`;
}

/** The typed code, ignoring anything between the letters; null when it cannot be a code. */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[\s\-\u2010-\u2015_.]/g, '');
  return code.length === length && [...code].every((letter) => letters.includes(letter)) ? code : null;
}

/** The hash that the store keeps. It is keyed, because so few letters could be found by trial. */
export function userCodeHash(tagKey: Buffer, code: string): string {
  return hmacSha256(tagKey, `device user code\0${code}`).toString('base64url');
}
