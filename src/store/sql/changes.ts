import type { ChangeKind } from '../../model/change.ts';
import type { Millis } from '../../platform/clock.ts';
import { first, type Intent } from './intent.ts';

/** Engines tell by this text that a commit has something for the listeners. */
export const addChangeSql = 'INSERT INTO changes (kind, entity_id, at) VALUES (?, ?, ?)';

/** Adds an entry to the change feed, in the transaction of the intent that changes something. */
export function* recordChange(kind: ChangeKind, entityId: string, now: Millis): Intent<void> {
  yield* first(addChangeSql, kind, entityId, now);
}
