// Rules of single values that administrators enter.

import { AuthError } from '../errors/auth-error.ts';
import { usernameKey } from '../login/password/password.ts';
import type { Tags } from '../model/identity.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';

const longestName = 255;
const mostRoleAttributes = 100;
const mostTags = 100;
const longestTag = 1024;

// Controls, lone surrogates, line separators, and whatever is not seen: it makes two names look like one, or text read
// in another order than it is.
const refusedCharacters = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;
// Where scripts and emoji need joiners they can be seen (RFC 5892 appendix A.1 and A.2, more coarsely).
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

/**
 * A name that somebody chose, in the one form that is stored: normal form C, spaces of one kind (RFC 8266 section 2.1).
 * Spaces around it are refused: nobody means them, and who sent them would not find the name again.
 * @throws AuthError could_not_validate   empty, longer than 255 code points, with characters that are not seen, or with
 *   a space at its ends
 */
export function acceptableName(field: string, text: string): string {
  const name = inOneForm(text);
  const trimmed = name.trim();
  requireText(field, trimmed === '' ? trimmed : name, text);
  if (name !== trimmed) throw refusedField(field, 'must not begin or end with a space', text);
  return name;
}

/**
 * A name that a claim, a certificate or another controller's database gives: as `acceptableName`, but spaces around it
 * are dropped, because whoever enrolls cannot mend what somebody else wrote there.
 * @throws AuthError could_not_validate   empty, longer than 255 code points, or with characters that are not seen
 */
export function trimmedName(field: string, text: string): string {
  const name = typedName(text);
  requireText(field, name, text);
  return name;
}

/** A name as somebody has typed it on the host or at the set-up, in the one form that is stored. */
export function typedName(text: string): string {
  return inOneForm(text).trim();
}

/**
 * An external id as it stands in claims and certificates, which nobody trims; empty text is none.
 * @throws AuthError could_not_validate
 */
export function acceptableExternalId(text: string | null): string | null {
  if (text === null || text === '') return null;
  requireText('externalId', text, text);
  return text;
}

/** Each in the form of a name, once; spaces around one are dropped, as those of a list with commas. @throws AuthError could_not_validate */
export function acceptableRoleAttributes(attributes: readonly string[]): string[] {
  if (attributes.length > mostRoleAttributes) {
    throw refusedField('roleAttributes', `must have at most ${mostRoleAttributes} entries`);
  }
  return [...new Set(attributes.map((attribute) => trimmedName('roleAttributes', attribute)))];
}

/** The form in which a user name is looked up. @throws AuthError could_not_validate */
export function acceptableUsername(username: string): string {
  const key = usernameKey(username);
  if (key !== undefined) return key;
  throw refusedField(
    'username',
    'must be 1 to 100 characters long, without spaces around it and without control characters',
    username,
  );
}

/** @throws AuthError could_not_validate */
export function acceptableTags(tags: Tags): Tags {
  const entries = Object.entries(tags);
  if (entries.length > mostTags) throw refusedField('tags', `must have at most ${mostTags} entries`);
  for (const [name, value] of entries) {
    requireText('tags', name, name);
    if (typeof value !== 'string') continue;
    // A tag may hold any text, with line breaks; only what no engine can store is refused.
    if (value.length > longestTag || value.includes('\0') || !value.isWellFormed()) {
      throw refusedField('tags', `must have values of at most ${longestTag} Unicode characters`);
    }
  }
  return tags;
}

function inOneForm(text: string): string {
  return text.normalize('NFC').replaceAll(/\p{Zs}/gu, ' ');
}

function requireText(field: string, text: string, sent: string): void {
  if (text === '') throw refusedField(field, 'must not be empty', sent);
  if ([...text].length > longestName) {
    throw refusedField(field, `must be at most ${longestName} characters long`, sent);
  }
  if (refusedCharacters.test(text.replaceAll(visibleJoiners, ''))) {
    throw refusedField(field, 'must not contain control characters, or others that are not seen', sent);
  }
}

/** Waits for a store method and says in the client's words when a unique value was taken. */
export async function takenRefused<T>(
  values: Readonly<Record<string, unknown>>,
  step: Promise<T>,
): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof AlreadyTaken)) throw error;
    throw refusedField(error.field, 'is already taken', values[error.field]);
  }
}
