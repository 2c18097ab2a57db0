// How many entries a list has. Nobody who reads the first page of a hundred million rows asked for all of them to be
// counted: the number is exact as far as counting is cheap, and an estimate beyond.

import type { ListQuery, ListTotal } from '../../model/list-query.ts';
import { integer } from './codec.ts';
import type { SqlRow } from './intent.ts';

/** Up to this many entries are counted: some milliseconds. */
export const countedExactly = 10_000;

/**
 * What a list says about its length. Whoever pages until a page is not full, or until `totalCount` entries are there,
 * gets every entry once and comes to an end.
 * @param found    entries of the page
 * @param reads.count      the number of entries, or more than `countedExactly`
 * @param reads.estimate   about how many there are
 */
export async function totalOf(
  { limit, offset }: Pick<ListQuery, 'limit' | 'offset'>,
  found: number,
  reads: { count(): Promise<number>; estimate(): Promise<number> },
): Promise<ListTotal> {
  const seen = offset + found;
  const isLastPage = (limit === null || found < limit) && (found > 0 || offset === 0);
  // It holds the last entry, so that there is nothing to count.
  if (isLastPage) return { totalCount: seen, totalCountIsEstimate: false };
  const counted = await reads.count();
  if (counted <= countedExactly) {
    // Entries may have been deleted since the page was read.
    return { totalCount: found > 0 ? Math.max(counted, seen) : counted, totalCountIsEstimate: false };
  }
  const estimate = await reads.estimate();
  const isBeyondEnd = found === 0 && limit !== 0;
  // Below what is known to be there, a program that pages would stop too early; above it, it would continue for ever.
  const totalCount = isBeyondEnd
    ? Math.min(Math.max(estimate, counted), offset)
    : Math.max(estimate, counted, seen + 1);
  return { totalCount, totalCountIsEstimate: true };
}

/** The number in the only row of a statement: a count, or the rows that a plan of PostgreSQL expects. */
export async function onlyNumber(batches: AsyncIterable<readonly SqlRow[]>): Promise<number> {
  let number = 0;
  for await (const [row] of batches) {
    if (row === undefined) continue;
    number = 'QUERY PLAN' in row ? expectedRows(row['QUERY PLAN']) : integer(row, 'total');
  }
  return number;
}

function expectedRows(plan: unknown): number {
  const [{ Plan: expected }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [
    { Plan: { 'Plan Rows': number } },
  ];
  return Math.round(expected['Plan Rows']);
}
