import type { ChangeKind } from '../../model/change.ts';
import type { Millis } from '../../platform/clock.ts';
import { first, type Intent } from './intent.ts';

/** Adds an entry to the change feed, in the transaction of the intent that changes something. */
export function* recordChange(kind: ChangeKind, entityId: string, now: Millis): Intent<void> {
  yield* first('INSERT INTO changes (kind, entity_id, at) VALUES (?, ?, ?)', kind, entityId, now);
}
