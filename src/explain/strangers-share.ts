import { type Clock, HOUR, type Millis } from '../platform/clock.ts';
import { sourcePrefix } from '../platform/network/source-prefix.ts';

const window: Millis = HOUR;
const mostOfSource = 600;
const mostInAll = 6000;

/**
 * How many decision records strangers may cause. A record about nobody we know costs its sender one request, as does a
 * token that is no token, and the oldest records go for it: without a limit, whoever sends enough of them erases what
 * explains the others.
 * @returns whether there is room for one more of this source, which it then has
 */
export function strangersShare(clock: Clock): (ipAddress: string) => boolean {
  let ends: Millis = 0;
  let inAll = 0;
  // As many entries as records at most.
  const ofSource = new Map<string, number>();
  return (ipAddress) => {
    const now = clock.monotonic();
    if (now >= ends) {
      ends = now + window;
      inAll = 0;
      ofSource.clear();
    }
    const source = sourcePrefix(ipAddress);
    const count = ofSource.get(source) ?? 0;
    if (inAll >= mostInAll || count >= mostOfSource) return false;
    inAll += 1;
    ofSource.set(source, count + 1);
    return true;
  };
}
