import type { Millis } from '../../platform/clock.ts';
import type { SqlValue } from './intent.ts';

// Somebody must remain who can undo a change. Statements that could take the last administrator away carry this
// in their condition, so that two of them at once cannot each rely on the administrator that the other removes.

/** A row of `table` is an identity that can log in. One parameter: now. */
const canLogIn = (table: string): string =>
  `(${table}.disabled_at IS NULL OR (${table}.disabled_until IS NOT NULL AND ${table}.disabled_until <= ?))
    AND EXISTS (SELECT 1 FROM authenticators AS proof WHERE proof.identity_id = ${table}.id)`;

/**
 * Of a row of `identities`: it is no administrator who can log in, or it is not the last one. The parameters
 * are `administratorRemainsParams`.
 */
export const administratorRemains = `(identities.is_admin = 0 OR NOT (${canLogIn('identities')})
  OR EXISTS (SELECT 1 FROM identities AS other
    WHERE other.id <> identities.id AND other.is_admin = 1 AND ${canLogIn('other')}))`;

export function administratorRemainsParams(now: Millis): readonly SqlValue[] {
  return [now, now];
}

/** How many administrators can log in. Parameters: an id to leave out, now. */
export const countUsableAdminsSql = `SELECT count(*) AS total FROM identities
  WHERE is_admin = 1 AND id <> ? AND ${canLogIn('identities')}`;
