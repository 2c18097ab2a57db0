// Authorization codes (RFC 6749 4.1.2): opaque, short-lived, used once.

import type { AuthRequestKey } from '../../model/ids.ts';
import { type Millis, SECOND } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { mintOpaqueToken, type OpaqueToken, readOpaqueToken } from '../../tokens/opaque-token.ts';

/** From issue to the last moment of its use. */
export const codeLifetime: Millis = 60 * SECOND;

/** A code for the authorization request of that key. */
export function mintCode(needs: { readonly random: Random; readonly tagKey: Buffer }, key: AuthRequestKey) {
  return mintOpaqueToken(needs, 'code', key, 1);
}

/** What the text says, or undefined unless it is a code that this service made. */
export function readCode(tagKey: Buffer, text: string): OpaqueToken | undefined {
  return readOpaqueToken(tagKey, 'code', text);
}
