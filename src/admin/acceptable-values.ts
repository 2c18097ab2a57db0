// Rules of single values that administrators enter.

import { AuthError } from '../errors/auth-error.ts';
import { usernameKey } from '../login/username.ts';
import type { Tags } from '../model/identity.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';

const LONGEST_NAME = 255;
const MOST_ROLE_ATTRIBUTES = 100;
const MOST_TAGS = 100;
const LONGEST_TAG = 1024;

// Controls, lone surrogates, line separators, and the characters that make text read in another order than it is.
const REFUSED = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** The refusal of one field. Leave `value` out for secrets. */
export function refusedField(field: string, reason: string, value?: unknown): AuthError {
  const shown = typeof value === 'string' ? value.toWellFormed().slice(0, 100) : value;
  return new AuthError('could_not_validate', {
    description: `The field ${field} ${reason}`,
    fields: [shown === undefined ? { field, reason } : { field, reason, value: shown }],
  });
}

/**
 * A name in the one form that is stored: normal form C, without spaces around it.
 * @throws AuthError could_not_validate   empty, longer than 255 code points, or with control characters
 */
export function acceptableName(field: string, text: string): string {
  const name = text.normalize('NFC').trim();
  requireText(field, name, text);
  return name;
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

/** @throws AuthError could_not_validate */
export function acceptableRoleAttributes(attributes: readonly string[]): string[] {
  if (attributes.length > MOST_ROLE_ATTRIBUTES) {
    throw refusedField('roleAttributes', `must have at most ${MOST_ROLE_ATTRIBUTES} entries`);
  }
  return [...new Set(attributes.map((attribute) => acceptableName('roleAttributes', attribute)))];
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
  if (entries.length > MOST_TAGS) throw refusedField('tags', `must have at most ${MOST_TAGS} entries`);
  for (const [name, value] of entries) {
    requireText('tags', name, name);
    if (typeof value !== 'string') continue;
    // Whole texts may stand in a tag, with lines; only what no engine stores is refused.
    if (value.length > LONGEST_TAG || value.includes('\0') || !value.isWellFormed()) {
      throw refusedField('tags', `must have values of at most ${LONGEST_TAG} Unicode characters`);
    }
  }
  return tags;
}

function requireText(field: string, text: string, sent: string): void {
  if (text === '') throw refusedField(field, 'must not be empty', sent);
  if ([...text].length > LONGEST_NAME) {
    throw refusedField(field, `must be at most ${LONGEST_NAME} characters long`, sent);
  }
  if (REFUSED.test(text)) throw refusedField(field, 'must not contain control characters', sent);
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
