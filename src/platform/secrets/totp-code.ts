// Time-based one-time passwords: SHA-1, six digits, 30 seconds (RFC 6238, RFC 4226), as every authenticator
// app understands them.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Millis } from '../clock.ts';

const stepLength: Millis = 30_000;
const digits = 6;
const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The time step at `now` (RFC 6238 4.2, T0 = 0). */
export function timeStepAt(now: Millis): number {
  return Math.floor(now / stepLength);
}

/** The code of a time step (RFC 4226 5.3). */
export function totpCode(seed: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', seed).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const truncated = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(truncated % 10 ** digits).padStart(digits, '0');
}

export function isTotpCode(text: string): boolean {
  return /^[0-9]{6}$/.test(text);
}

/**
 * The step of this code, or undefined. Compares every candidate, even after a match.
 * @param drift how many steps before and after the one at `now` are candidates (RFC 6238 5.2, 6)
 */
export function matchingTimeStep(
  seed: Uint8Array,
  code: string,
  { now, drift }: { readonly now: Millis; readonly drift: number },
): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const presented = Buffer.from(code);
  const first = timeStepAt(now) - drift;
  const candidates = Array.from({ length: 2 * drift + 1 }, (_, nth) => first + nth);
  const matching = candidates.filter((step) => timingSafeEqual(Buffer.from(totpCode(seed, step)), presented));
  return matching.at(-1);
}

/** The bytes of a base32 text, padded or not; undefined for other text. */
export function decodeBase32(text: string): Buffer | undefined {
  const digits = text.toUpperCase().replace(/=+$/, '');
  if (!/^[A-Z2-7]*$/.test(digits)) return undefined;
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const digit of digits) {
    value = ((value << 5) | base32Alphabet.indexOf(digit)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bytes.push((value >>> (bits - 8)) & 0xff);
    bits -= 8;
  }
  return Buffer.from(bytes);
}

/** RFC 4648 base32 without padding, as authenticator apps take a seed. */
export function encodeBase32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      text += base32Alphabet[(value >>> (bits - 5)) & 31];
      bits -= 5;
    }
  }
  return bits > 0 ? text + base32Alphabet[(value << (5 - bits)) & 31] : text;
}
