// Keeps a trail within its bound: the actor with the most records loses the oldest ones, so that an attacker cannot
// erase records about other people by causing many records.

import { integer, text } from './codec.ts';
import { deleteSome, first, type Intent, raw, type SomeRows, type SqlRow, sql } from './intent.ts';

export function* countOf({ table, where }: SomeRows): Intent<number> {
  const row = yield* first`SELECT count(*) AS total FROM ${raw(table)} WHERE ${where}`;
  return row === undefined ? 0 : integer(row, 'total');
}

/**
 * Looking for the heaviest owner counts all records, so after so many times, or if so many as heavy would not suffice, the
 * rest is deleted by age alone.
 */
const rounds = 8;

/**
 * Deletes records of a trail, whose key is ordered by time.
 * @param owners columns, or what is computed of one, that name who caused a record, in levels: the value that most records have in a column of the
 *               first level loses, and among its records that which most have in the next one
 */
export function* evict(
  trail: SomeRows,
  owners: readonly (readonly string[])[],
  surplus: number,
): Intent<void> {
  let left = surplus;
  for (let round = 0; round < rounds && left > 0; round += 1) {
    let heaviest = { trail, total: 0 };
    const used: string[] = [];
    for (const columns of owners) {
      const found = yield* heaviestOf(
        heaviest.trail,
        columns.filter((column) => !used.includes(column)),
      );
      // An owner whose records come from everywhere has no heaviest source.
      if (found === null || found.total < heaviest.total / 4) break;
      heaviest = found;
      used.push(found.column);
    }
    if (heaviest.total * rounds <= left) break;
    const most = Math.min(left, Math.ceil(heaviest.total / 2));
    yield* deleteOldest(heaviest.trail, most);
    left -= most;
  }
  if (left > 0) yield* deleteOldest(trail, left);
}

/** The records with the value that most of them have in one of the columns; null: they have none. */
function* heaviestOf({ where, ...of }: SomeRows, columns: readonly string[]) {
  let heaviest: { readonly trail: SomeRows; readonly total: number; readonly column: string } | null = null;
  for (const column of columns) {
    const named = raw(column);
    const row: SqlRow | undefined =
      yield* first`SELECT ${named} AS who, count(*) AS total FROM ${raw(of.table)}
       WHERE ${where} AND ${named} IS NOT NULL GROUP BY ${named} ORDER BY 2 DESC LIMIT 1`;
    if (row === undefined) continue;
    const total = integer(row, 'total');
    if (heaviest !== null && heaviest.total >= total) continue;
    const trail = { ...of, where: sql`${where} AND ${named} = ${text(row, 'who')}` };
    heaviest = { trail, total, column };
  }
  return heaviest;
}

function* deleteOldest(trail: SomeRows, most: number): Intent<void> {
  yield* deleteSome({ ...trail, where: sql`${trail.where} ORDER BY ${raw(trail.key ?? 'id')}` }, most);
}
