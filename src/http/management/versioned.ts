// Conditional changes (RFC 9110 section 13.1.1): the answer to a read has the version in `etag`, and a change with that
// version in `if-match` is made only while the entity still has it. The store checks this in the transaction of the
// change itself.

import type { Unchanged, VersionedEntity, VersionStore } from '../../store/contracts/versions.ts';
import type { AnswerHeaders } from '../request/answer.ts';
import { idOf } from '../request/fields.ts';
import type { RequestContext } from '../request/request-context.ts';

/** The entity whose versions count. */
export interface Versioned {
  readonly entity: VersionedEntity;
  readonly versions: VersionStore;
}

/** For the declaration of the answer to a read. */
export const versionHeader = {
  etag: 'The version of the fields of the entity itself, for If-Match of a change',
} as const;

/** For the declaration of a change. */
export const conditionHeader = {
  'if-match':
    'The etag that was read: the change is made only if the entity still has it. Without the header the change is always made.',
} as const;

/**
 * Headers of the answer to a read. Read before the entity: an older version leads to a refusal, a newer one would hide
 * a change.
 */
export async function versionHeaders(
  { entity, versions }: Versioned,
  context: RequestContext,
): Promise<AnswerHeaders> {
  const version = await versions.find(entity, idOf(context));
  return version === null ? {} : { etag: `"${version}"` };
}

/** The version that a change requires; null: none. */
export function conditionOf({ entity }: Versioned, context: RequestContext): Unchanged | null {
  const condition = context.headers['if-match'];
  // An asterisk requires only that the entity exists, as every change does.
  if (condition === undefined || condition.trim() === '*') return null;
  // Weak tags match nothing, and neither does a header that cannot be read.
  const strong = [...condition.matchAll(/(W\/)?"([^"]*)"/g)].filter(([, weak]) => weak === undefined);
  return { entity, id: idOf(context), versions: strong.map(([, , version = '']) => version) };
}
