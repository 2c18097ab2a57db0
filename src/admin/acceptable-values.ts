// Rules of single values that administrators enter.

import { AuthError } from '../errors/auth-error.ts';
import { entityNamed } from '../model/entities/all-entities.ts';
import type { EntityKind, Tags } from '../model/entities/entity.ts';
import type { StoredName } from '../model/ids.ts';
import { typedName, type UserName, userName } from '../model/names.ts';
import { FetchRefused } from '../platform/network/fetch-refused.ts';
import {
  checkAddress,
  type OutboundLimits,
  type SignedAnswer,
} from '../platform/network/outbound-targets.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';

/** Of a name, in code points. */
export const longestName = 255;
/** RFC 5321 section 4.5.3.1.3, without the brackets. */
const longestEmail = 254;
const mostRoleAttributes = 100;
const mostTags = 100;
const longestTag = 1024;

// Control characters, lone surrogates, line separators, and anything invisible: it makes two names look alike, or shows
// text in another order than it is stored.
const refusedCharacters = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\ufffd]/u;
// Joiners are allowed where scripts and emoji need them (RFC 5892 appendix A.1 and A.2, more coarsely).
const visibleJoiners =
  /(?<=[\p{M}\p{Script=Arabic}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d](?=\P{ASCII})|(?<=\p{Extended_Pictographic})\ufe0f/gu;

/** The refusal of one field. Leave `value` out for secrets. */
export function refusedField(field: string, reason: string, value?: unknown): AuthError {
  const shown = typeof value === 'string' ? value.toWellFormed().slice(0, 100) : value;
  return new AuthError('could_not_validate', {
    description: `The field ${field} ${reason}`,
    fields: [shown === undefined ? { field, reason } : { field, reason, value: shown }],
  });
}

/** The refusal of a reference to an entity that is not there. @param value its id or name */
export function namesNothing(field: string, to: EntityKind, value: string): AuthError {
  return refusedField(field, `names no ${entityNamed(to).noun.replace(/^an? /, '')}`, value);
}

/**
 * A name that a person chose, in the one form that is stored: normal form C, spaces of one kind (RFC 8266 section 2.1).
 * Spaces around it are refused: they are a mistake, and the caller would not find the name again.
 * @throws AuthError could_not_validate   empty, longer than 255 code points, with invisible characters, or with a space
 *   at an end
 */
export function acceptableName(field: string, text: string): StoredName {
  const name = trimmedName(field, text);
  requireTyped(field, text);
  return name;
}

/**
 * For text that other parties compare unchanged: refuses invisible characters, which no person types on purpose.
 * @throws AuthError could_not_validate
 */
export function requireTyped(field: string, text: string): void {
  if (text !== text.trim()) throw refusedField(field, 'must not begin or end with a space', text);
  requireVisible(field, text, text);
}

/**
 * A name from a claim, a certificate or another controller's database: as `acceptableName`, but spaces around it are
 * dropped, because the person who enrolls cannot correct that source.
 * @throws AuthError could_not_validate   empty, longer than 255 code points, or with invisible characters
 */
export function trimmedName(field: string, text: string): StoredName {
  const name = typedName(text);
  requireText(field, name, text);
  return name;
}

/**
 * An external id exactly as claims and certificates contain it: nothing is trimmed. Nothing but spaces means none: no
 * claim counts that has no more.
 * @throws AuthError could_not_validate
 */
export function acceptableExternalId(text: string | null): string | null {
  if (text === null || text.trim() === '') return null;
  requireText('externalId', text, text);
  return text;
}

/**
 * An email address, with spaces around it dropped; empty text means none. Whether mail reaches it
 * shows when it is sent.
 * @throws AuthError could_not_validate
 */
export function acceptableEmail(text: string | null): StoredName | null {
  const address = typedName(text ?? '');
  if (address === '') return null;
  requireText('email', address, address);
  if (address.length <= longestEmail && /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\]]+$/.test(address))
    return address;
  throw refusedField(
    'email',
    `must be one address such as ada@example.com, of at most ${longestEmail} characters`,
    text,
  );
}

/** Each in the form of a name, once, without spaces around it. @throws AuthError could_not_validate */
export function acceptableRoleAttributes(attributes: readonly string[], field: string): StoredName[] {
  requireFew(field, attributes, mostRoleAttributes);
  return [...new Set(attributes.map((attribute) => trimmedName(field, attribute)))];
}

/** A user name as it is stored. @throws AuthError could_not_validate */
export function acceptableUsername(username: string): UserName {
  const name = userName(username);
  if (name !== undefined) return name;
  throw refusedField(
    'username',
    'must be 1 to 100 characters long, without spaces around it and without invisible characters',
    username,
  );
}

/** @throws AuthError could_not_validate */
export function acceptableTags(tags: Tags): Tags {
  const entries = Object.entries(tags);
  requireFew('tags', entries, mostTags);
  for (const [name, value] of entries) {
    requireText('tags', name, name);
    // A body with such a member is refused before it gets here, so such a document could not be sent back.
    if (name === '__proto__') throw refusedField('tags', 'must not be named __proto__', name);
    if (typeof value !== 'string') continue;
    // A tag may contain any text, line breaks included; refused is only what no engine can store.
    if (value.length > longestTag || value.includes('\0') || !value.isWellFormed())
      throw refusedField('tags', `must have values of at most ${longestTag} Unicode characters`);
  }
  return tags;
}

function requireText(field: string, text: string, sent: string): void {
  if (text === '') throw refusedField(field, 'must not be empty', sent);
  if ([...text].length > longestName)
    throw refusedField(field, `must be at most ${longestName} characters long`, sent);
  requireVisible(field, text, sent);
}

function requireVisible(field: string, text: string, sent: string): void {
  if (refusedCharacters.test(text.replaceAll(visibleJoiners, '')))
    throw refusedField(field, 'must not contain control characters or invisible characters', sent);
}

/** @throws AuthError could_not_validate */
export function requireFew(field: string, entries: { readonly length: number }, most: number): void {
  if (entries.length > most) throw refusedField(field, `must have at most ${most} entries`);
}

/** @throws AuthError could_not_validate */
export function requirePlainText(field: string, text: string, longest: number): void {
  if (text.length > longest || !text.isWellFormed() || /\p{Cc}/u.test(text))
    throw refusedField(field, `must be at most ${longest} characters without control characters`, text);
}

/**
 * An address that this service may ask. Problems that appear only on fetching (names that resolve badly, redirects) are
 * refused then.
 * @throws AuthError could_not_validate
 */
export function askableAddress(
  field: string,
  url: string,
  { limits, ...answer }: SignedAnswer & { readonly limits: OutboundLimits },
): string {
  try {
    checkAddress(url, limits, answer);
    return url;
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    throw refusedField(field, `is refused: ${error.message}`, url);
  }
}

/** Characters. */
export const longestUri = 2048;

/** An address that browsers open. Only where an application begins a login it has to be https (OIDC Core 4). */
export function acceptablePage(
  field: 'clientUri' | 'initiateLoginUri' | 'externalAuthUrl',
  url: string | null,
): string | null {
  if (url === null) return null;
  const parsed = /^https?:\/\/[^\s\p{Cc}]+$/iu.test(url) ? URL.parse(url) : null;
  if (parsed === null || url.length > longestUri)
    throw refusedField(field, 'must be an https or http URL', url);
  // People would take a user name for the host, and browsers send a password to it.
  if (parsed.username !== '' || parsed.password !== '')
    throw refusedField(field, 'must not contain a user name or a password');
  if (field === 'initiateLoginUri' && parsed.protocol !== 'https:')
    throw refusedField(field, 'must be https', url);
  return url;
}

/** Waits for a store method and tells an administrator when a unique value is already taken, and by whom. */
export async function takenRefused<T>(sent: Readonly<Record<string, unknown>>, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof AlreadyTaken)) throw error;
    const value = sent[error.field];
    const refused = refusedField(error.field, reasonOf(error), value);
    if (!['name', 'username'].includes(error.field) || typeof value !== 'string') throw refused;
    const description = `The name ${JSON.stringify(value.slice(0, 100))} ${reasonOf(error)}`;
    throw new AuthError(refused.code, { description, fields: refused.fields, cause: error });
  }
}

/** A sentence without its subject. */
export function reasonOf({ passesFor }: AlreadyTaken): string {
  return passesFor === null
    ? 'is already taken'
    : `is already taken: it passes for a name of the identity ${JSON.stringify(passesFor)}; ?force=true gives it all the same`;
}
