// The auth request id that clients carry is the authorization request itself, sealed: a stranger who has proven
// nothing costs no stored row, and any node can continue.

import type { AuthRequest } from '../../model/auth-request.ts';
import { MINUTE, type Millis } from '../../platform/clock.ts';
import { dailySealer } from '../daily-sealer.ts';

/** How long primary login may take. */
export const authRequestLifetime: Millis = 10 * MINUTE;
/** The end of every authorization request, even while TOTP is being enrolled. */
export const authRequestMaxLifetime: Millis = 30 * MINUTE;

export interface AuthRequestSealer {
  /** The text that clients carry; base64url. */
  seal(authRequest: AuthRequest): string;
  /**
   * The request, or undefined when the text was not made here or `authRequestMaxLifetime` has passed.
   * The shorter `authRequestLifetime` is the caller's to check, who knows whether enrolment has extended it.
   */
  open(text: string, now: Millis): AuthRequest | undefined;
  /** The request, however long ago it ended, to begin it again; undefined when the text is older than yesterday. */
  openEnded(text: string, now: Millis): AuthRequest | undefined;
}

/** @param root the server secret that all nodes share */
export function authRequestSealer(root: Buffer): AuthRequestSealer {
  const sealer = dailySealer(root, 'auth-request');
  function openEnded(text: string, now: Millis): AuthRequest | undefined {
    const plain = sealer.open(text, now);
    return plain === undefined ? undefined : (JSON.parse(plain) as AuthRequest);
  }
  return {
    seal: (authRequest) => sealer.seal(JSON.stringify(authRequest), authRequest.createdAt),
    open(text, now) {
      const authRequest = openEnded(text, now);
      return authRequest !== undefined && now < authRequest.createdAt + authRequestMaxLifetime
        ? authRequest
        : undefined;
    },
    openEnded,
  };
}
