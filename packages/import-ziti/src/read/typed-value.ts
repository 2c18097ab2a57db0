// Values of the source: one byte for the type, then the value. See docs/moving-in.md.

import type { Millis } from '../../../../src/platform/clock.ts';
import type { BoltPlace } from '../bolt/bolt-error.ts';
import { UnreadableSource } from './unreadable-source.ts';

interface Values {
  readonly boolean: boolean;
  readonly number: number;
  readonly text: string;
  readonly time: Millis;
  readonly null: null;
}

/** A value of one of these types. */
export type Scalar<Type extends keyof Values = keyof Values> = {
  readonly [Each in Type]: { readonly type: Each; readonly value: Values[Each] };
}[Type];

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param path where the value is, for people @throws UnreadableSource */
export function readScalar(bytes: Buffer, path: string, place: BoltPlace): Scalar {
  const refuse = (problem: string) => new UnreadableSource(path, problem, place);
  const rest = bytes.subarray(1);
  const exactly = (length: number) => {
    if (rest.length !== length) throw refuse(`${rest.length} bytes where ${length} are expected`);
    return rest;
  };
  switch (bytes[0]) {
    case 0x01: {
      const flag = exactly(1)[0];
      if (flag !== 0 && flag !== 1) throw refuse('neither true nor false');
      return { type: 'boolean', value: flag === 1 };
    }
    case 0x02:
      return { type: 'number', value: exactly(4).readInt32LE() };
    case 0x03: {
      const value = Number(exactly(8).readBigInt64LE());
      if (!Number.isSafeInteger(value)) throw refuse('a number that is too large');
      return { type: 'number', value };
    }
    case 0x04: {
      const value = exactly(8).readDoubleLE();
      // JSON would turn it into null.
      if (!Number.isFinite(value)) throw refuse('not a finite number');
      return { type: 'number', value };
    }
    case 0x05:
      try {
        return { type: 'text', value: utf8.decode(rest) };
      } catch {
        throw refuse('text that is not UTF-8');
      }
    case 0x06:
      return { type: 'time', value: readTime(rest, refuse) };
    case 0x07:
      exactly(0);
      return { type: 'null', value: null };
    default:
      throw refuse(
        bytes.length === 0 ? 'no value' : `a value of the unknown type 0x${bytes.toString('hex', 0, 1)}`,
      );
  }
}

/** Seconds from the year 1 to 1970. */
const secondsTo1970 = 62_135_596_800n;
const latestSecond = 8_640_000_000_000n;

/** Version 2 has one more byte, for zones with seconds. The zone does not change the moment. */
function readTime(bytes: Buffer, refuse: (problem: string) => UnreadableSource): Millis {
  const version = bytes[0];
  if (!((version === 1 && bytes.length === 15) || (version === 2 && bytes.length === 16)))
    throw refuse('a time of an unknown form');
  const seconds = bytes.readBigInt64BE(1) - secondsTo1970;
  const nanoseconds = bytes.readInt32BE(9);
  const isNumber = seconds > -latestSecond && seconds < latestSecond;
  if (!isNumber || nanoseconds < 0 || nanoseconds > 999_999_999) throw refuse('a time that cannot be');
  return Number(seconds) * 1000 + Math.floor(nanoseconds / 1_000_000);
}
