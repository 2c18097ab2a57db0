// Opaque secrets that carry the id of their row: authorization and device codes, refresh tokens, session tokens,
// the cookies of browser sessions and the tokens of enrollments.
//
//   16 bytes id · 4 bytes generation · 32 bytes random · 16 bytes tag        → 91 characters of base64url
//
// The tag proves that this service made the text, before the store is asked: garbage costs no query, and a
// token of an earlier generation is known to be one of ours, so that its reuse can be punished without letting
// a stranger who merely knows the id do harm. The store keeps the SHA-256 of the whole text.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { decodeBase64url, sha256 } from '../platform/digest.ts';
import type { Random } from '../platform/random.ts';

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
  /** SHA-256 of the whole text, base64url; what the store compares. */
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
  needs: { readonly random: Pick<Random, 'bytes'>; readonly tagKey: Buffer },
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

/** What the text says, or undefined unless it was made by `mintOpaqueToken` for this kind. */
export function readOpaqueToken(
  tagKey: Buffer,
  kind: OpaqueTokenKind,
  text: string,
): OpaqueToken | undefined {
  if (text.length !== textLength) return undefined;
  const bytes = decodeBase64url(text);
  if (bytes === undefined) return undefined;
  const body = bytes.subarray(0, bodyLength);
  if (!timingSafeEqual(tagOf(tagKey, kind, body), bytes.subarray(bodyLength))) return undefined;
  return { id: uuidText(body), generation: body.readUInt32BE(idLength), hash: sha256(text) };
}

/**
 * A token that another controller gave out and that was imported: the text of a UUID. It carries no tag, so the store
 * is asked for whatever looks like one.
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
