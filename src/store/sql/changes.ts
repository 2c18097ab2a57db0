import type { Change, ChangeKind } from '../../model/change.ts';
import type { Millis } from '../../platform/clock.ts';
import type { ChangeFeed } from '../contracts/changes.ts';
import { type Database, integer, text } from './codec.ts';
import type { SqlRow } from './intent.ts';
import { type Intent, run } from './intent.ts';

export function changeFeed({ read, onChange }: Database): ChangeFeed {
  return {
    async readAfter(seq) {
      const rows = await read('SELECT seq, kind, entity_id FROM changes WHERE seq > ? ORDER BY seq', seq);
      return rows.map(changeOf);
    },
    async latestSeq() {
      const [row] = await read('SELECT coalesce(max(seq), 0) AS latest FROM changes');
      return row === undefined ? 0 : integer(row, 'latest');
    },
    onChange,
  };
}

function changeOf(row: SqlRow): Change {
  return {
    seq: integer(row, 'seq'),
    kind: text(row, 'kind') as ChangeKind,
    entityId: text(row, 'entity_id'),
  };
}

/** Engines look for this text to learn that a commit concerns the listeners. */
export const addChangeSql = 'INSERT INTO changes (kind, entity_id, at) VALUES (?, ?, ?)';

/** Adds an entry to the change feed, in the transaction of the intent that changes something. */
export function* recordChange(kind: ChangeKind, entityId: string, now: Millis): Intent<void> {
  yield* run(addChangeSql, kind, entityId, now);
}
