import type { Change, ChangeKind } from '../../model/change.ts';
import type { Millis } from '../../platform/clock.ts';
import { AnotherHistory, type ChangeFeed } from '../contracts/changes.ts';
import { StoreUnavailable } from '../contracts/store.ts';
import type { Database } from './codec.ts';
import { type Intent, run, type SqlRow } from './intent.ts';
import { reader } from './rows.ts';

export function changeFeed({ dialect, read, onChange }: Database): ChangeFeed {
  // In one statement: behind a pooler, the next one may be answered by another server.
  const entries = `SELECT s.history, c.seq, c.kind, c.entity_id, c.at
    FROM (SELECT ${dialect.history} AS history) s LEFT JOIN changes c ON`;
  const from = `${entries} c.seq >= ? ORDER BY c.seq`;
  const newest = `${entries} c.seq = (SELECT max(seq) FROM changes)`;
  return {
    async readAfter(position) {
      const rows = await read(from, position?.last?.seq ?? 0);
      const history = historyOf(rows);
      const changes = rows.filter(({ seq }) => seq !== null).map(changeOf);
      if (position === null) return changes;
      const { last } = position;
      if (history !== position.history || (last !== null && !isSame(changes.shift(), last))) {
        throw new AnotherHistory('the changes of the database do not continue those that were read before');
      }
      return changes;
    },
    async latest() {
      const rows = await read(newest);
      const history = historyOf(rows);
      return { history, last: rows.filter(({ seq }) => seq !== null).map(changeOf)[0] ?? null };
    },
    onChange,
  };
}

function historyOf([row]: readonly SqlRow[]): string {
  if (typeof row?.history === 'string') return row.history;
  throw new StoreUnavailable('the server is a replica: it can only be read, and may be behind');
}

function isSame(found: Change | undefined, known: Change): boolean {
  return (
    found?.seq === known.seq &&
    found.kind === known.kind &&
    found.entityId === known.entityId &&
    found.at === known.at
  );
}

const changeOf = reader<Change>()('seq kind entityId at');

/** Engines look for this text to learn that a commit concerns the listeners. */
export const addChangeSql = 'INSERT INTO changes (kind, entity_id, at) VALUES (?, ?, ?)';

/** Adds an entry to the change feed, in the transaction of the intent that changes something. */
export function* recordChange(kind: ChangeKind, entityId: string, now: Millis): Intent<void> {
  yield* run(addChangeSql, kind, entityId, now);
}
