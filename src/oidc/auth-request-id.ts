// The auth request id that clients carry is the authorization request itself, sealed: a stranger who has proven
// nothing costs no stored row, and any node can continue. Keys change every day and are derived from a secret
// that all nodes share, so nothing has to be distributed.

import type { AuthRequest } from '../model/auth-request.ts';
import { DAY, MINUTE, type Millis } from '../platform/clock.ts';
import { deriveKey, openText, SealBroken, type SealingKey, sealText } from '../platform/sealed-box.ts';

/** How long primary login may take. */
export const authRequestLifetime: Millis = 10 * MINUTE;
/** The end of every authorization request, even while TOTP is being enrolled. */
export const authRequestMaxLifetime: Millis = 30 * MINUTE;

const purpose = 'auth-request';
const maxTextLength = 12_000;

export interface AuthRequestSealer {
  /** The text that clients carry; base64url. */
  seal(authRequest: AuthRequest): string;
  /**
   * The request, or undefined when the text was not made here or `authRequestMaxLifetime` has passed.
   * The shorter `authRequestLifetime` is the caller's to check, who knows whether enrolment has extended it.
   */
  open(text: string, now: Millis): AuthRequest | undefined;
}

/** @param root the server secret that all nodes share */
export function authRequestSealer(root: Buffer): AuthRequestSealer {
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
    seal(authRequest) {
      return sealText(keysAt(authRequest.createdAt)[0], JSON.stringify(authRequest), purpose);
    },
    open(text, now) {
      if (text.length > maxTextLength) return undefined;
      let plain: string;
      try {
        plain = openText(keysAt(now), text, purpose);
      } catch (error) {
        if (error instanceof SealBroken) return undefined;
        throw error;
      }
      const authRequest = JSON.parse(plain) as AuthRequest;
      return now < authRequest.createdAt + authRequestMaxLifetime ? authRequest : undefined;
    },
  };
}
