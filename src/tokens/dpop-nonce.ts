// Nonces for DPoP proofs (RFC 9449 8): a time that only this service can have stamped. Nothing is stored, and every thread and
// node accepts those of the others.

import { timingSafeEqual } from 'node:crypto';
import { decodeBase64url, hmacSha256 } from '../platform/digest.ts';
import { MINUTE, type Millis } from '../platform/time-units.ts';

export type DpopNonces = ReturnType<typeof dpopNonces>;

/** A nonce is replaced after one step, and accepted for at least one more. */
const step: Millis = 2 * MINUTE;
const timeBytes = 4;
const tagBytes = 16;

/** @param key of all that are to accept them; a new one makes all earlier nonces worthless */
export function dpopNonces(key: Buffer) {
  const known = new Map<number, string>();
  function at(time: number): string {
    const before = known.get(time);
    if (before !== undefined) return before;
    if (known.size > 8) known.clear();
    const stamp = Buffer.alloc(timeBytes);
    stamp.writeUInt32BE(time);
    const nonce = Buffer.concat([stamp, tagOf(key, stamp)]).toString('base64url');
    known.set(time, nonce);
    return nonce;
  }
  return {
    /** The newest one. */
    current: (now: Millis) => at(Math.floor(now / step)),
    isGood(nonce: string, now: Millis) {
      const bytes = decodeBase64url(nonce);
      if (bytes?.length !== timeBytes + tagBytes) return false;
      const stamp = bytes.subarray(0, timeBytes);
      if (!timingSafeEqual(tagOf(key, stamp), bytes.subarray(timeBytes))) return false;
      // The clock of another node may be a little ahead.
      const age = Math.floor(now / step) - stamp.readUInt32BE();
      return age >= -1 && age <= 1;
    },
  };
}

function tagOf(key: Buffer, stamp: Buffer): Buffer {
  return hmacSha256(key, stamp).subarray(0, tagBytes);
}
