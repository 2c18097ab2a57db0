import { type Clock, HOUR, type Millis } from '../platform/clock.ts';
import { type Shares, sharedLimit } from '../platform/network/sources.ts';

/** The records of an hour: a little from each source, and more from some. A busy source takes no room from others. */
const usualHour: readonly Shares[] = [
  { most: 24_000, share: 20 },
  { most: 6_000, share: 580 },
];

/**
 * How many records a caller who is not an administrator may cause in an hour. A record costs its sender one request, so
 * without a limit anybody could keep the disk busy.
 * @param hour the number of records, in parts with a share for each source
 * @returns takes a place for this source, an address or the id of an identity; false if there is none left
 */
export function hourlyShare(clock: Clock, hour = usualHour): (source: string) => boolean {
  let ends: Millis = 0;
  let limits = hour.map(sharedLimit);
  return (source) => {
    const now = clock.monotonic();
    if (now >= ends) {
      ends = now + HOUR;
      limits = hour.map(sharedLimit);
    }
    return limits.some((limit) => limit.take(source) !== null);
  };
}
