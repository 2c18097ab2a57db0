// Text that clients carry for us and cannot read or change. Keys change every day and are derived from a secret that
// all nodes share, so nothing has to be distributed.

import { DAY, type Millis } from '../platform/clock.ts';
import { deriveKey, openText, SealBroken, type SealingKey, sealText } from '../platform/sealed-box.ts';

const maxTextLength = 12_000;

export interface DailySealer {
  /** base64url. @param at when it was made: decides the key */
  seal(plain: string, at: Millis): string;
  /** The plain text, or undefined when it was not made here, for this purpose, and since yesterday. */
  open(text: string, now: Millis): string | undefined;
}

/** @param root the server secret that all nodes share */
export function dailySealer(root: Buffer, purpose: string): DailySealer {
  let today:
    | { readonly period: number; readonly keys: readonly [SealingKey, SealingKey, SealingKey] }
    | undefined;
  function keysAt(now: Millis): readonly [SealingKey, SealingKey, SealingKey] {
    const period = Math.floor(now / DAY);
    if (today?.period !== period) {
      const key = (offset: number) => deriveKey(root, `${purpose} day ${period + offset}`);
      // Yesterday's for what was begun before midnight, tomorrow's for a node whose clock is ahead.
      today = { period, keys: [key(0), key(-1), key(1)] };
    }
    return today.keys;
  }
  return {
    seal: (plain, at) => sealText(keysAt(at)[0], plain, purpose),
    open(text, now) {
      if (text.length > maxTextLength) return undefined;
      try {
        return openText(keysAt(now), text, purpose);
      } catch (error) {
        if (error instanceof SealBroken) return undefined;
        throw error;
      }
    },
  };
}
