// Seals text that we hand out and take back. The key changes every day and is derived from a secret that all nodes
// share, so nothing has to be distributed.

import { DAY, type Millis } from '../platform/clock.ts';
import {
  deriveKey,
  openText,
  SealBroken,
  type SealingKey,
  sealText,
} from '../platform/secrets/sealed-box.ts';

export interface DailySealer {
  /** base64url. @param at when it is sealed, Millis */
  seal(text: string, at: Millis): string;
  /** The text, or undefined unless it was sealed for this purpose, yesterday at the earliest. */
  open(sealed: string, now: Millis): string | undefined;
}

const maxSealedLength = 12_000;

/**
 * @param root    the server secret that all nodes share
 * @param purpose text sealed for one purpose does not open for another
 */
export function dailySealer(root: Buffer, purpose: string): DailySealer {
  let today:
    | { readonly period: number; readonly keys: readonly [SealingKey, SealingKey, SealingKey] }
    | undefined;
  function keysAt(now: Millis): readonly [SealingKey, SealingKey, SealingKey] {
    const period = Math.floor(now / DAY);
    if (today?.period !== period) {
      const key = (offset: number) => deriveKey(root, `${purpose} day ${period + offset}`);
      // Yesterday's for what began before midnight, tomorrow's for a node whose clock is ahead.
      today = { period, keys: [key(0), key(-1), key(1)] };
    }
    return today.keys;
  }

  return {
    seal: (text, at) => sealText(keysAt(at)[0], text, purpose),
    open(sealed, now) {
      if (sealed.length > maxSealedLength) return undefined;
      try {
        return openText(keysAt(now), sealed, purpose);
      } catch (error) {
        if (error instanceof SealBroken) return undefined;
        throw error;
      }
    },
  };
}
