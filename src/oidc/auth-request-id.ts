// The auth request id that clients carry is the authorization request itself, sealed (AES-256-GCM): a stranger
// who has proven nothing costs no stored row, and any node can continue. Keys change every day and are derived
// from a secret that all nodes share, so nothing has to be distributed.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { AuthRequest } from '../model/auth-request.ts';
import { DAY, MINUTE, type Millis } from '../platform/clock.ts';
import { decodeBase64url } from '../platform/digest.ts';
import type { Random } from '../platform/random.ts';
import { deriveSecret } from '../tokens/server-secrets.ts';

/** How long primary login may take. */
export const authRequestLifetime: Millis = 10 * MINUTE;
/** The end of every authorization request, even while TOTP is being enrolled. */
export const authRequestMaxLifetime: Millis = 30 * MINUTE;

const version = 1;
const headLength = 1 + 4;
const nonceLength = 12;
const tagLength = 16;
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
export function authRequestSealer(needs: {
  readonly root: Buffer;
  readonly random: Random;
}): AuthRequestSealer {
  const keys = new Map<number, Buffer>();
  function keyOf(period: number): Buffer {
    let key = keys.get(period);
    if (key === undefined) {
      if (keys.size > 8) keys.clear();
      key = deriveSecret(needs.root, `period/${period}`);
      keys.set(period, key);
    }
    return key;
  }

  return {
    seal(authRequest) {
      const period = Math.floor(authRequest.createdAt / DAY);
      const head = Buffer.alloc(headLength);
      head.writeUInt8(version, 0);
      head.writeUInt32BE(period, 1);
      const nonce = needs.random.bytes(nonceLength);
      const cipher = createCipheriv('aes-256-gcm', keyOf(period), nonce).setAAD(head);
      const sealed = Buffer.concat([cipher.update(JSON.stringify(authRequest)), cipher.final()]);
      return Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]).toString('base64url');
    },

    open(text, now) {
      if (text.length > maxTextLength) return undefined;
      const bytes = decodeBase64url(text);
      if (bytes === undefined || bytes.length < headLength + nonceLength + tagLength) return undefined;
      const head = bytes.subarray(0, headLength);
      const period = head.readUInt32BE(1);
      const today = Math.floor(now / DAY);
      if (head.readUInt8(0) !== version || Math.abs(period - today) > 1) return undefined;
      const decipher = createDecipheriv(
        'aes-256-gcm',
        keyOf(period),
        bytes.subarray(headLength, headLength + nonceLength),
      )
        .setAAD(head)
        .setAuthTag(bytes.subarray(-tagLength));
      let plain: string;
      try {
        const sealed = bytes.subarray(headLength + nonceLength, -tagLength);
        plain = decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
      const authRequest = JSON.parse(plain) as AuthRequest;
      return now < authRequest.createdAt + authRequestMaxLifetime ? authRequest : undefined;
    },
  };
}
