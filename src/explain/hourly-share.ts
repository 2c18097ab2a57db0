import { type Clock, HOUR, type Millis } from '../platform/clock.ts';

const mostOfOne = 600;
const mostInAll = 6000;

/**
 * How many records somebody may cause in an hour who is no administrator. Such a record costs its sender one request,
 * and pushes out the oldest record: without a limit, whoever sends enough requests erases the records that explain
 * something.
 * @returns whether there is room for one more of this source, which it then has
 */
export function hourlyShare(clock: Clock): (source: string) => boolean {
  let ends: Millis = 0;
  let inAll = 0;
  // As many entries as records at most.
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
