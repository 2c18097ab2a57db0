// Conditional changes (RFC 9110 section 13.1.1): the answer to a read names the version in `etag`, and a change that
// names it in `if-match` is made only while the entity is still of that version. The store asks in the transaction of
// the change itself.

import type { Unchanged, VersionedEntity, VersionStore } from '../../store/contracts/versions.ts';
import type { AnswerHeaders } from '../request/answer.ts';
import { idOf } from '../request/fields.ts';
import type { RequestContext } from '../request/request-context.ts';

/** Whose versions are asked for. */
export interface Versioned {
  readonly entity: VersionedEntity;
  readonly versions: VersionStore;
}

/** As declared of the answer to a read. */
export const versionHeader = {
  etag: 'The version of the fields of the entity itself, for If-Match of a change',
} as const;

/** As declared of a change. */
export const conditionHeader = {
  'if-match':
    'The etag of what was read: the change is made only if the entity is still so. Without it the change is always made.',
} as const;

/** Headers of an answer to a read. Asked for before the entity is read: an old version is noticed, a new one would hide a change. */
export async function versionHeaders(
  { entity, versions }: Versioned,
  context: RequestContext,
): Promise<AnswerHeaders> {
  const version = await versions.find(entity, idOf(context));
  return version === null ? {} : { etag: `"${version}"` };
}

/** What a change asks to be as it was; null: nothing. */
export function conditionOf({ entity }: Versioned, context: RequestContext): Unchanged | null {
  const condition = context.headers['if-match'];
  // An asterisk asks only that the entity exists, as every change does.
  if (condition === undefined || condition.trim() === '*') return null;
  // Weak tags match nothing, and neither does what cannot be read.
  const strong = [...condition.matchAll(/(W\/)?"([^"]*)"/g)].filter(([, weak]) => weak === undefined);
  return { entity, id: idOf(context), versions: strong.map(([, , version = '']) => version) };
}
