// tokens/ owns the tokens that we issue: signing keys, access, ID and refresh tokens, codes. One verifier per token
// kind; there is no function that verifies "any token". Tokens of other issuers belong to login/ (platform/jwk/).
//
// This file signs and verifies compact JWS with node:crypto one-shot calls, because it is on the path of every
// API call. A header is never parsed: it must equal, byte for byte, one that this service writes.

import { type KeyObject, sign, verify } from 'node:crypto';
import type { SigningAlgorithm } from '../model/signing-key.ts';
import type { Millis } from '../platform/clock.ts';
import { decodeBase64url, encodeBase64url } from '../platform/digest.ts';
import { parseJson } from '../platform/formats/json-shape.ts';

/**
 * Values of the `typ` header that we write; RFC 9068 2.1 for access tokens, `rt+jwt` for refresh tokens of existing SDKs,
 * OIDC Back-Channel Logout 1.0 2.4 for logout tokens.
 */
export const jwtTypes = ['at+jwt', 'JWT', 'rt+jwt', 'logout+jwt', 'totp+jwt'] as const;
export type JwtType = (typeof jwtTypes)[number];

export interface SigningMaterial {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The first segment of every JWT of this type that the key signs. */
export function headerSegment(material: Pick<SigningMaterial, 'kid' | 'alg'>, typ: JwtType): string {
  return encodeBase64url(JSON.stringify({ alg: material.alg, kid: material.kid, typ }));
}

/** A compact JWS of the claims. */
export function signJwt(material: SigningMaterial, header: string, claims: object): string {
  const signingInput = `${header}.${encodeBase64url(JSON.stringify(claims))}`;
  const signature = signBytes(material, Buffer.from(signingInput));
  return `${signingInput}.${signature.toString('base64url')}`;
}

/** Whether the signature over `header.payload` is the key's. Refuses every spelling but the canonical one. */
export function isSignedBy(material: SigningMaterial, signingInput: string, segment: string): boolean {
  const signature = decodeBase64url(segment);
  if (signature === undefined) return false;
  const data = Buffer.from(signingInput);
  if (material.alg === 'ES256') {
    // The length is checked first: OpenSSL would also take other encodings of the two integers.
    return (
      signature.length === 64 &&
      verify('sha256', data, { key: material.publicKey, dsaEncoding: 'ieee-p1363' }, signature)
    );
  }
  return verify(digestOf(material.alg), data, material.publicKey, signature);
}

function signBytes(material: SigningMaterial, data: Buffer): Buffer {
  if (material.alg === 'ES256')
    return sign('sha256', data, { key: material.privateKey, dsaEncoding: 'ieee-p1363' });
  return sign(digestOf(material.alg), data, material.privateKey);
}

function digestOf(alg: 'RS256' | 'EdDSA'): 'sha256' | null {
  return alg === 'RS256' ? 'sha256' : null;
}

/** The three segments of a compact JWS, or undefined for any other shape (JWE, JSON serialisation, detached). */
export function splitJwt(token: string): { header: string; payload: string; signature: string } | undefined {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  if (first < 1 || second < first + 2 || second === token.length - 1) return undefined;
  if (token.indexOf('.', second + 1) !== -1) return undefined;
  return {
    header: token.slice(0, first),
    payload: token.slice(first + 1, second),
    signature: token.slice(second + 1),
  };
}

/**
 * The claims of a JWT of this type that one of our keys signed, unchanged; undefined for everything else.
 * The caller checks which claims there are, and their types.
 */
export function readSignedClaims(
  ring: { verifier(header: string, typ: JwtType, now: Millis): SigningMaterial | undefined },
  { text, typ }: { text: string; typ: JwtType },
  now: Millis,
): Readonly<Record<string, unknown>> | undefined {
  const parts = splitJwt(text);
  if (parts === undefined) return undefined;
  const material = ring.verifier(parts.header, typ, now);
  if (material === undefined) return undefined;
  if (!isSignedBy(material, `${parts.header}.${parts.payload}`, parts.signature)) return undefined;
  const payload = decodeBase64url(parts.payload);
  return payload === undefined ? undefined : jsonObject(payload.toString());
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}
