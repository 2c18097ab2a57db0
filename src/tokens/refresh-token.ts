// Refresh tokens (spec 2.6): one live token per session, replaced by each use. What counts is an opaque secret. Most
// clients get it as it is. Existing SDKs read the end of its life from it, so theirs is wrapped into a signed JWT;
// the two forms have secrets of different kinds, and neither is ever taken for the other.

import type { ApiSession } from '../model/api-session.ts';
import type { ApiSessionId } from '../model/ids.ts';
import type { Millis } from '../platform/clock.ts';
import { hmacSha256 } from '../platform/digest.ts';
import type { Random } from '../platform/random.ts';
import { toSeconds } from './access-token.ts';
import { readSignedClaims, signJwt } from './jws.ts';
import type { KeyRing } from './key-ring.ts';
import { mintOpaqueToken, type OpaqueToken, type OpaqueTokenKind, readOpaqueToken } from './opaque-token.ts';

/** How a client gets its refresh tokens. */
export type RefreshTokenForm = 'opaque' | 'jwt';

/** The opaque secret of a refresh token; for the form `jwt` not yet what the client gets. */
export type RefreshSecret = OpaqueToken & { readonly text: string; readonly form: RefreshTokenForm };

interface MintNeeds {
  readonly random: Random;
  readonly tagKey: Buffer;
}

const kinds: Readonly<Record<RefreshTokenForm, OpaqueTokenKind>> = { opaque: 'refresh', jwt: 'refresh-jwt' };

/** The first refresh token of a session. */
export function firstRefreshToken(
  needs: MintNeeds,
  sessionId: ApiSessionId,
  form: RefreshTokenForm = 'opaque',
): RefreshSecret {
  return { ...mintOpaqueToken(needs, kinds[form], { id: sessionId, generation: 1 }), form };
}

/**
 * The one that takes the place of `presented`.
 * @param how.retriedText the text of the presented one, where a retry has to get the same successor again: it follows from
 *                    that text and the server secret, and from nothing that is stored. Null: it is random
 */
export function nextRefreshToken(
  needs: MintNeeds,
  presented: OpaqueToken,
  { form, retriedText = null }: { readonly form: RefreshTokenForm; readonly retriedText?: string | null },
): RefreshSecret {
  const random = retriedText === null ? needs.random : followingFrom(needs.tagKey, retriedText);
  const minted = mintOpaqueToken({ random, tagKey: needs.tagKey }, kinds[form], {
    id: presented.id,
    generation: presented.generation + 1,
  });
  return { ...minted, form };
}

function followingFrom(tagKey: Buffer, text: string): Pick<Random, 'bytes'> {
  const key = hmacSha256(tagKey, 'refresh-successor v1');
  return { bytes: () => hmacSha256(key, text) };
}

/**
 * What the client gets.
 * @param token.expiresAt when the token ends; the store decides, the claim only says so
 */
export function refreshTokenText(
  needs: { readonly ring: KeyRing },
  token: { readonly secret: RefreshSecret; readonly session: ApiSession; readonly expiresAt: Millis },
  now: Millis,
): string {
  const { secret, session, expiresAt } = token;
  if (secret.form === 'opaque') return secret.text;
  const claims = {
    iss: session.issuer,
    sub: session.identityId,
    // For nobody but this service: no API and no client may take it for a token of another kind.
    aud: session.issuer,
    client_id: session.clientId,
    exp: toSeconds(expiresAt),
    iat: toSeconds(now),
    jti: secret.text,
    z_asid: session.id,
    z_t: 'r',
  };
  const { material, header } = needs.ring.signer('ES256', 'rt+jwt', now);
  return signJwt(material, header, claims);
}

/** Longer than any refresh token of ours; what is longer is not looked at. */
const maxTokenLength = 4096;

/**
 * What the text says, or undefined unless it is a refresh token of this form that this service made. Whether it is
 * the live one of its session, and the session that of the client, is the store's to say.
 */
export function readRefreshToken(
  needs: { readonly ring: KeyRing; readonly tagKey: Buffer },
  { form, text }: { readonly form: RefreshTokenForm; readonly text: string },
  now: Millis,
): OpaqueToken | undefined {
  if (form === 'opaque') return readOpaqueToken(needs.tagKey, kinds.opaque, text);
  if (text.length > maxTokenLength) return undefined;
  const claims = readSignedClaims(needs.ring, { text, typ: 'rt+jwt' }, now);
  if (claims === undefined || claims.z_t !== 'r' || typeof claims.jti !== 'string') return undefined;
  return readOpaqueToken(needs.tagKey, kinds.jwt, claims.jti);
}

/**
 * The secret of a refresh token that was read, which each JWT that is made of it contains: several made of one are one
 * token.
 */
export function refreshSecretIn(form: RefreshTokenForm, text: string): string {
  if (form === 'opaque') return text;
  const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
  return claims.jti;
}
