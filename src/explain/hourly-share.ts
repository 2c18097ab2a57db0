import { type Clock, HOUR, type Millis } from '../platform/clock.ts';

const mostOfOne = 600;
const mostInAll = 6000;

/**
 * How many records somebody who is not an administrator may cause in an hour. A record costs its sender one request
 * and pushes out the oldest one: without a limit, anybody could send enough requests to erase the records that explain
 * something.
 * @returns takes a place for this source; false if there is none left
 */
export function hourlyShare(clock: Clock): (source: string) => boolean {
  let ends: Millis = 0;
  let inAll = 0;
  // At most as many entries as records.
  const ofSource = new Map<string, number>();
  return (source) => {
    const now = clock.monotonic();
    if (now >= ends) {
      ends = now + HOUR;
      inAll = 0;
      ofSource.clear();
    }
    const count = ofSource.get(source) ?? 0;
    if (inAll >= mostInAll || count >= mostOfOne) return false;
    inAll += 1;
    ofSource.set(source, count + 1);
    return true;
  };
}
