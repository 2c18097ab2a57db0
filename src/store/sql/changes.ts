import type { Change, ChangeKind } from '../../model/change.ts';
import type { Millis } from '../../platform/clock.ts';
import { AnotherHistory, type ChangeFeed, EntryLost, type FeedReading } from '../contracts/changes.ts';
import { StoreUnavailable } from '../contracts/store.ts';
import { reader } from './codec.ts';
import { concern } from './concern.ts';
import type { Dialect } from './engine.ts';
import { type Intent, run, type SqlRow } from './intent.ts';

export const changes = concern<ChangeFeed>()({
  methods: ({ dialect, read, onChange }) => {
    const { history, horizon } = dialect;
    // In one statement: behind a pooler, the next one may be answered by another server.
    const entries = `SELECT s.history, s.horizon, c.seq, c.kind, c.entity_id, c.at
    FROM (SELECT ${history} AS history, ${horizon.now} AS horizon) s LEFT JOIN changes c ON`;
    const after = `${entries} ${horizon.isBehind} OR c.seq = ? ORDER BY c.seq`;
    const newest = `${entries} c.seq = (SELECT max(seq) FROM changes)`;
    const all = `${entries} c.seq > 0 ORDER BY c.seq`;
    return {
      async readAfter(position) {
        if (position === null) return readingOf(await read(all));
        const { last } = position;
        const rows = await read(after, ...horizon.params(position.horizon), last?.seq ?? 0);
        const reading = readingOf(rows, last);
        const found = reading.changes.find(({ seq }) => seq === last?.seq);
        const isThere = last === null || isSame(found, last);
        if (reading.position.history !== position.history || !isThere)
          throw new (isThere ? AnotherHistory : EntryLost)(
            'the changes do not continue those that were read before',
          );
        return { ...reading, changes: reading.changes.filter((change) => change !== found) };
      },
      latest: async () => readingOf(await read(newest)).position,
      onChange,
    };
  },
});

/** Asks whether anything was committed after the horizon that it is given. Parameters: of `Horizon.params`. */
export function hasNewSql({ history, horizon }: Dialect): string {
  return `SELECT ${history} AS history, ${horizon.now} AS horizon,
    EXISTS (SELECT 1 FROM changes c WHERE ${horizon.isBehind}) AS has_new`;
}

/** @param before the entry with the highest number before this reading */
function readingOf(rows: readonly SqlRow[], before: Change | null = null): FeedReading {
  const [first] = rows;
  if (typeof first?.history !== 'string' || typeof first.horizon !== 'string')
    throw new StoreUnavailable('the server is a replica: it can only be read, and may be behind');
  const changes = rows.filter(({ seq }) => seq !== null).map(changeOf);
  const newest = changes.at(-1) ?? null;
  const last = newest !== null && newest.seq > (before?.seq ?? 0) ? newest : before;
  return { changes, position: { history: first.history, horizon: first.horizon, last } };
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
