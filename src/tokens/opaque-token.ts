// Opaque secrets that carry the id of their row: authorization and device codes, refresh tokens, session tokens,
// the cookies of browser sessions and the tokens of enrollments.
//
//   16 bytes id · 4 bytes generation · 32 bytes random · 16 bytes tag        → 91 characters of base64url
//
// The tag proves that this service made the text, before the store is asked: garbage costs no query, and a
// token of an earlier generation is known to be one of ours, so that its reuse can be punished without letting
// a stranger who merely knows the id do harm. The store keeps the SHA-256 of the whole text.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ApiSession } from '../model/api-session.ts';
import type { ApiSessionId, IdentityId } from '../model/ids.ts';
import type { Millis } from '../platform/clock.ts';
import { decodeBase64url, hmacSha256, sha256 } from '../platform/digest.ts';
import type { Random } from '../platform/random.ts';
import { toSeconds } from './access-token.ts';
import { readSignedClaims, signJwt } from './jws.ts';
import type { KeyRing } from './key-ring.ts';

export type OpaqueTokenKind =
  | 'code'
  | 'device'
  | 'refresh'
  | 'refresh-jwt'
  | 'zt-session'
  | 'enrollment'
  | 'invitation'
  | 'browser-session';

export interface OpaqueToken {
  /** UUID of the row it belongs to. */
  readonly id: string;
  /** 1 for the first; raised by each rotation. */
  readonly generation: number;
  /** SHA-256 of the whole text, base64url; for comparison in the store. */
  readonly hash: string;
}

const idLength = 16;
const bodyLength = idLength + 4 + 32;
const tagLength = 16;
const textLength = Math.ceil(((bodyLength + tagLength) * 4) / 3);

/**
 * @param needs.tagKey the server secret for tags, shared by all nodes
 * @param row          the UUID that the text carries, and how often it was rotated (1 for the first)
 */
export function mintOpaqueToken(
  needs: { random: Pick<Random, 'bytes'>; tagKey: Buffer },
  kind: OpaqueTokenKind,
  { id, generation }: Pick<OpaqueToken, 'id' | 'generation'>,
): OpaqueToken & { readonly text: string } {
  const body = Buffer.alloc(bodyLength);
  body.write(id.replaceAll('-', ''), 0, 'hex');
  body.writeUInt32BE(generation, idLength);
  needs.random.bytes(32).copy(body, idLength + 4);
  const text = Buffer.concat([body, tagOf(needs.tagKey, kind, body)]).toString('base64url');
  return { id, generation, hash: sha256(text), text };
}

/**
 * The token of a mailed invitation: the secret and the nonce are enough to make it again, so that no secret
 * has to be stored until it is sent.
 */
export function mailedInvitationToken(
  { tagKey }: { tagKey: Buffer },
  { identityId, nonce }: { identityId: IdentityId; nonce: string },
): OpaqueToken & { readonly text: string } {
  const bytes = (length: number) =>
    createHmac('sha256', tagKey)
      .update(`mailed invitation\0${identityId}\0${nonce}`)
      .digest()
      .subarray(0, length);
  return mintOpaqueToken({ random: { bytes }, tagKey }, 'invitation', { id: identityId, generation: 1 });
}

/** The parts of a token, or undefined unless it was made by `mintOpaqueToken` for this kind. */
export function readOpaqueToken(key: Buffer, kind: OpaqueTokenKind, text: string): OpaqueToken | undefined {
  if (text.length !== textLength) return undefined;
  const bytes = decodeBase64url(text);
  if (bytes === undefined) return undefined;
  const body = bytes.subarray(0, bodyLength);
  if (!timingSafeEqual(tagOf(key, kind, body), bytes.subarray(bodyLength))) return undefined;
  return { id: uuidText(body), generation: body.readUInt32BE(idLength), hash: sha256(text) };
}

/**
 * A token that another controller gave out and that was imported: the text of a UUID. It carries no tag, so the store
 * is asked about every text of this form.
 */
export function foreignToken(text: string): { readonly text: string; readonly hash: string } | undefined {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return undefined;
  return { text, hash: sha256(text) };
}

function tagOf(key: Buffer, kind: OpaqueTokenKind, body: Buffer): Buffer {
  return createHmac('sha256', key).update(`${kind}\0`).update(body).digest().subarray(0, tagLength);
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex', 0, idLength);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

// Refresh tokens (spec 2.6): one live token per session, replaced by each use. What counts is an opaque secret. Most
// clients get it unchanged. Existing SDKs read the end of its life from it, so theirs is wrapped into a signed JWT;
// the two forms have secrets of different kinds, and neither is ever taken for the other.

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
  { form, retriedText = null }: { form: RefreshTokenForm; retriedText?: string | null },
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
 * The refresh token in the form that the client gets.
 * @param token.expiresAt when the token ends; the store decides, the claim only says so
 */
export function refreshTokenText(
  needs: { ring: KeyRing },
  { secret, session, expiresAt }: { secret: RefreshSecret; session: ApiSession; expiresAt: Millis },
  now: Millis,
): string {
  if (secret.form === 'opaque') return secret.text;
  const claims = {
    iss: session.issuer,
    sub: session.identityId,
    // Only for this service: no API and no client may take it for a token of another kind.
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

/** Longer than any refresh token of ours; longer texts are not parsed. */
const maxTokenLength = 4096;

/**
 * The parts of a token, or undefined unless it is a refresh token of this form that this service made. Whether it is
 * the live one of its session, and the session that of the client, is the store's to say.
 */
export function readRefreshToken(
  needs: { ring: KeyRing; tagKey: Buffer },
  { form, text }: { form: RefreshTokenForm; text: string },
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
