// The number of entries of a list. A client that reads the first page of a hundred million rows did not ask to count
// them all: the number is exact where counting is cheap, and beyond it says only that there are more.

import type { ListQuery, ListTotal } from '../../model/list-query.ts';
import type { SqlRow } from './intent.ts';

/** Up to this many entries are counted, which takes some milliseconds. */
export const countedExactly = 10_000;

/**
 * The total of a list. A client that reads pages until one is not full, or until it has `totalCount`
 * entries, gets every entry once and terminates.
 * @param found entries on this page
 * @param count the number of entries, or more than `countedExactly`
 */
export async function totalOf(
  { limit, offset }: Pick<ListQuery, 'limit' | 'offset'>,
  found: number,
  count: () => Promise<number>,
): Promise<ListTotal> {
  const seen = offset + found;
  const isLastPage = found < limit && (found > 0 || offset === 0);
  // The page contains the last entry, so there is nothing to count.
  if (isLastPage) return { totalCount: seen, totalCountIsEstimate: false };
  const counted = await count();
  if (counted <= countedExactly) {
    // Entries may have been deleted since the page was read.
    return { totalCount: found > 0 ? Math.max(counted, seen) : counted, totalCountIsEstimate: false };
  }
  // With less than what is known to exist, a paging program would stop too early. Beyond the end, what was counted is
  // below the offset, so that it stops.
  const isBeyondEnd = found === 0 && limit !== 0;
  return { totalCount: isBeyondEnd ? counted : Math.max(counted, seen + 1), totalCountIsEstimate: true };
}

/**
 * A total that is certain to be reached says too little only where it is less than half of what a sample shows; that is
 * told in two digits.
 */
export function raised(total: ListTotal, estimate: number): ListTotal {
  const about = Number(estimate.toPrecision(2));
  return about > 2 * total.totalCount ? { ...total, totalCount: about } : total;
}

/** The number in the only row of the result. */
export function onlyNumber([row]: readonly SqlRow[]): number {
  return Number(row?.total ?? 0);
}
