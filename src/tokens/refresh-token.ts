// Refresh tokens (spec 2.6): opaque, one live token per session, replaced by each use.

import type { ApiSessionId } from '../model/ids.ts';
import type { Random } from '../platform/random.ts';
import { mintOpaqueToken, type OpaqueToken, readOpaqueToken } from './opaque-token.ts';

interface RefreshTokenNeeds {
  readonly random: Random;
  readonly tagKey: Buffer;
}

/** The first refresh token of a session. */
export function firstRefreshToken(needs: RefreshTokenNeeds, sessionId: ApiSessionId) {
  return mintOpaqueToken(needs, 'refresh', sessionId, 1);
}

/** The one that takes the place of `presented`. */
export function nextRefreshToken(needs: RefreshTokenNeeds, presented: OpaqueToken) {
  return mintOpaqueToken(needs, 'refresh', presented.id, presented.generation + 1);
}

/** What the text says, or undefined unless it is a refresh token that this service made. */
export function readRefreshToken(tagKey: Buffer, text: string): OpaqueToken | undefined {
  return readOpaqueToken(tagKey, 'refresh', text);
}
