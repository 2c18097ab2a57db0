// Proof Key for Code Exchange, method S256 only (RFC 7636).

import { sha256 } from '../platform/digest.ts';

/** 43 characters of base64url: exactly a SHA-256 (RFC 7636 4.2). */
export function isCodeChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** 43 to 128 unreserved characters (RFC 7636 4.1). */
export function isCodeVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text);
}

/** The challenge that belongs to a verifier (RFC 7636 4.6). */
export function codeChallengeOf(verifier: string): string {
  return sha256(verifier);
}
