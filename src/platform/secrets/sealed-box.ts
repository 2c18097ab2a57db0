// Authenticated encryption of small secrets: those at rest (one-time-password seeds, signing keys) and those handed out
// and taken back (an authorization request carried by its own id).
//
// A box is: version (1 byte), key id (8), nonce (24), AES-256-GCM ciphertext, tag (16). Each box has its own AES key,
// HMAC-SHA-256 of the first half of the nonce; the other half is the GCM nonce. A plain random GCM nonce would limit a
// key to 2^32 boxes (NIST SP 800-38D section 8.3), which a busy node reaches in weeks.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { DAY, type Millis } from '../clock.ts';
import { decodeBase64url, encodeBase64url, hmacSha256 } from '../digest.ts';
import { systemRandom } from '../random.ts';

/** A key for one purpose. `id` (16 hex digits) is derived from the key, is public, and is in every box. */
export interface SealingKey {
  readonly id: string;
  readonly secret: Buffer;
}

export type SealFailure = 'malformed' | 'unknown key' | 'not authentic';

/** A box that cannot be opened. `keyId` names the key it needs, if that could be read. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
  readonly reason: SealFailure;
  readonly keyId: string | undefined;

  constructor(reason: SealFailure, keyId?: string) {
    super(`sealed box: ${reason}`);
    this.reason = reason;
    this.keyId = keyId;
  }
}

const boxVersion = 1;
const keyBytes = 32;
const keyIdBytes = 8;
const nonceBytes = 24;
const tagBytes = 16;
const headerBytes = 1 + keyIdBytes;
const shortestBox = headerBytes + nonceBytes + tagBytes;

/**
 * 32 bytes for one purpose. Another label yields unrelated bytes, so that a box of one purpose cannot be used
 * for another.
 * @param label names the purpose and its version, for example "totp-seed v1"
 * @see RFC 5869
 */
export function deriveSecret(masterKey: Uint8Array, label: string): Buffer {
  if (masterKey.length < keyBytes) throw new RangeError('a master key has at least 32 bytes');
  return Buffer.from(hkdfSync('sha256', masterKey, '', `overlay-auth ${label}`, keyBytes));
}

/** A sealing key for one purpose; see deriveSecret. */
export function deriveKey(masterKey: Uint8Array, label: string): SealingKey {
  return sealingKey(deriveSecret(masterKey, label));
}

/** A sealing key from 32 bytes that are already secret and used for nothing else. */
export function sealingKey(secret: Buffer): SealingKey {
  if (secret.length !== keyBytes) throw new RangeError('a sealing key has 32 bytes');
  return { id: hmacSha256(secret, 'key id').subarray(0, keyIdBytes).toString('hex'), secret };
}

/**
 * Seals `plaintext` so that only a holder of the key can read it, and only together with `associatedData`.
 * @param associatedData the owner of the box, for example the id of its record: a box moved to another record does
 * not open there
 */
export function seal(key: SealingKey, plaintext: string | Uint8Array, associatedData: string): Buffer {
  const header = Buffer.concat([Buffer.of(boxVersion), Buffer.from(key.id, 'hex')]);
  const nonce = systemRandom.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', boxKey(key, nonce), gcmNonce(nonce), {
    authTagLength: tagBytes,
  });
  cipher.setAAD(authenticated(header, associatedData));
  const text = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext;
  return Buffer.concat([header, nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Opens a box with the one of `keys` that it names; during a rotation that is the new key or an older one.
 * @throws SealBroken
 */
export function open(keys: readonly SealingKey[], box: Uint8Array, associatedData: string): Buffer {
  const bytes = Buffer.from(box.buffer, box.byteOffset, box.byteLength);
  const keyId = sealedWith(bytes);
  if (keyId === undefined) throw new SealBroken('malformed');
  const key = keys.find((candidate) => candidate.id === keyId);
  if (key === undefined) throw new SealBroken('unknown key', keyId);
  const nonce = bytes.subarray(headerBytes, headerBytes + nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', boxKey(key, nonce), gcmNonce(nonce), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(authenticated(bytes.subarray(0, headerBytes), associatedData));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = decipher.update(bytes.subarray(headerBytes + nonceBytes, -tagBytes));
    return Buffer.concat([text, decipher.final()]);
  } catch {
    throw new SealBroken('not authentic', keyId);
  }
}

/** The id of the key that sealed a box, or undefined for text that is not a box. Not authenticated. */
export function sealedWith(box: Uint8Array): string | undefined {
  if (box.length < shortestBox || box[0] !== boxVersion) return undefined;
  return Buffer.from(box.subarray(1, headerBytes)).toString('hex');
}

/** Like seal, written as base64url. */
export function sealText(key: SealingKey, plaintext: string | Uint8Array, associatedData: string): string {
  return encodeBase64url(seal(key, plaintext, associatedData));
}

/** Like open, for a box written as base64url and containing text. @throws SealBroken */
export function openText(keys: readonly SealingKey[], box: string, associatedData: string): string {
  const bytes = decodeBase64url(box);
  if (bytes === undefined) throw new SealBroken('malformed');
  return open(keys, bytes, associatedData).toString();
}

function boxKey(key: SealingKey, nonce: Buffer): Buffer {
  return hmacSha256(key.secret, Buffer.concat([Buffer.from('box key'), nonce.subarray(0, 12)]));
}

function gcmNonce(nonce: Buffer): Buffer {
  return nonce.subarray(12);
}

function authenticated(header: Uint8Array, associatedData: string): Buffer {
  return Buffer.concat([header, Buffer.from(associatedData)]);
}

// Text that we hand out and take back. The key changes every day and is derived from a secret that all nodes share, so
// nothing has to be distributed.

export type DailySealer = ReturnType<typeof dailySealer>;

const maxSealedLength = 12_000;

/**
 * @param root    the server secret that all nodes share
 * @param purpose text sealed for one purpose does not open for another
 */
export function dailySealer(root: Buffer, purpose: string) {
  let today:
    | { readonly period: number; readonly keys: readonly [SealingKey, SealingKey, SealingKey] }
    | undefined;
  function keysAt(now: Millis): readonly [SealingKey, SealingKey, SealingKey] {
    const period = Math.floor(now / DAY);
    if (today?.period !== period) {
      const key = (offset: number) => deriveKey(root, `${purpose} day ${period + offset}`);
      // Yesterday's for logins that began before midnight, tomorrow's for a node whose clock is ahead.
      today = { period, keys: [key(0), key(-1), key(1)] };
    }
    return today.keys;
  }

  return {
    /** base64url. @param at when it is sealed, Millis */
    seal: (text: string, at: Millis) => sealText(keysAt(at)[0], text, purpose),
    /** The text, or undefined unless it was sealed for this purpose, yesterday at the earliest. */
    open(sealed: string, now: Millis): string | undefined {
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
