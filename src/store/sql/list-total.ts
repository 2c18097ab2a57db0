// How many entries a list has. Whoever reads the first page of a hundred million rows did not ask to count them all:
// the number is exact where counting is cheap, and an estimate beyond.

import type { ListQuery, ListTotal } from '../../model/list-query.ts';
import type { SqlRow } from './intent.ts';

/** Up to this many entries are counted, which takes some milliseconds. */
export const countedExactly = 10_000;

/**
 * What a list says about its length. A client that reads pages until one is not full, or until it has `totalCount`
 * entries, gets every entry once and terminates.
 * @param found    entries on this page
 * @param reads.count      the number of entries, or more than `countedExactly`
 * @param reads.estimate   estimated number of entries
 */
export async function totalOf(
  { limit, offset }: Pick<ListQuery, 'limit' | 'offset'>,
  found: number,
  reads: { count(): Promise<number>; estimate(): Promise<number> },
): Promise<ListTotal> {
  const seen = offset + found;
  const isLastPage = found < limit && (found > 0 || offset === 0);
  // The page contains the last entry, so there is nothing to count.
  if (isLastPage) return { totalCount: seen, totalCountIsEstimate: false };
  const counted = await reads.count();
  if (counted <= countedExactly) {
    // Entries may have been deleted since the page was read.
    return { totalCount: found > 0 ? Math.max(counted, seen) : counted, totalCountIsEstimate: false };
  }
  const estimate = await reads.estimate();
  const isBeyondEnd = found === 0 && limit !== 0;
  // With less than what is known to exist, a paging program would stop too early; with more, it would never stop.
  const totalCount = isBeyondEnd
    ? Math.min(Math.max(estimate, counted), offset)
    : Math.max(estimate, counted, seen + 1);
  return { totalCount, totalCountIsEstimate: true };
}

/** The number in the only row of the result: a count, or the number of rows that PostgreSQL's plan expects. */
export function onlyNumber([row]: readonly SqlRow[]): number {
  if (row === undefined) return 0;
  return 'QUERY PLAN' in row ? expectedRows(row['QUERY PLAN']) : Number(row.total);
}

function expectedRows(plan: unknown): number {
  const [{ Plan: expected }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [
    { Plan: { 'Plan Rows': number } },
  ];
  return Math.round(expected['Plan Rows']);
}
