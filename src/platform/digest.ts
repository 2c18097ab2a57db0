import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 as base64url without padding (43 characters). Text is hashed as UTF-8. */
export function sha256(input: string | Uint8Array): string {
  return hash('sha256', input, 'base64url');
}

/** SHA-256 as 32 bytes. Text is hashed as UTF-8. */
export function sha256Bytes(input: string | Uint8Array): Buffer {
  return hash('sha256', input, 'buffer');
}

/** HMAC-SHA-256 as 32 bytes. Text is authenticated as UTF-8. */
export function hmacSha256(key: Uint8Array, input: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(input).digest();
}

/**
 * Compares two secrets without revealing by its time where they differ, or whether their lengths do: it compares their
 * hashes.
 */
export function constantTimeEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(sha256Bytes(a), sha256Bytes(b));
}

/** base64url without padding. Text is encoded as UTF-8. @see RFC 4648 section 5 */
export function encodeBase64url(input: string | Uint8Array): string {
  const bytes = typeof input === 'string' ? Buffer.from(input) : asBuffer(input);
  return bytes.toString('base64url');
}

/**
 * The bytes of a base64url text, or undefined unless it is exactly what encodeBase64url writes: no padding, no foreign
 * characters, no white space, unused trailing bits zero. With two spellings of one value, a token that was revoked by
 * its text would live on under the other one.
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
