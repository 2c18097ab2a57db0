import type { Millis } from '../platform/clock.ts';
import { decodeBase64url } from '../platform/digest.ts';
import { isSignedBy, type JwtType, splitJwt } from './jws.ts';
import type { KeyRing } from './key-ring.ts';

/**
 * The claims of a JWT of this type that one of our keys signed, unchanged; undefined for everything else.
 * The caller checks which claims there are, and their types.
 */
export function readSignedClaims(
  ring: KeyRing,
  { text, typ }: { readonly text: string; readonly typ: JwtType },
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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}
