// How many answers that cost something each source has had without proving anything. In memory: it bounds processor time,
// not guesses (login/throttle.ts), so each thread counts its own.

import { AuthError } from '../../errors/auth-error.ts';
import { type Clock, type Millis, SECOND } from '../../platform/clock.ts';
import { sourcesOf } from '../../platform/network/source-prefix.ts';
import { recentMap } from '../../platform/recent-map.ts';

export interface SourceLoad {
  /** Counts an answer. @returns whether the source had one left */
  count(ipAddress: string): boolean;
  /** Takes it back: something was proven. */
  giveBack(ipAddress: string): void;
}

/** A whole company behind one address logs in within minutes. */
const mostAtOnce = 10_000;
const perSecond = 500;
const sources = 10_000;

export function sourceLoad({ clock }: { clock: Clock }): SourceLoad {
  const left = recentMap<string, { count: number; at: Millis }>(sources);

  /** Of the address, and of the networks that it belongs to. */
  function leftOf(ipAddress: string): readonly { count: number; at: Millis }[] {
    const now = clock.monotonic();
    return sourcesOf(ipAddress).map(({ prefix, shares }) => {
      const most = mostAtOnce * shares;
      const known = left.get(prefix) ?? { count: most, at: now };
      known.count = Math.min(most, known.count + ((now - known.at) / SECOND) * perSecond * shares);
      known.at = now;
      left.set(prefix, known);
      return known;
    });
  }

  return {
    count(ipAddress) {
      const sources = leftOf(ipAddress);
      if (sources.some(({ count }) => count < 1)) return false;
      for (const source of sources) source.count -= 1;
      return true;
    },
    giveBack(ipAddress) {
      for (const source of leftOf(ipAddress)) source.count += 1;
    },
  };
}

/** For a source that has none left. */
export function tooMuchLoad(): AuthError {
  return new AuthError('rate_limited', { detail: 'too many requests without a proof', retryAfterSeconds: 1 });
}
