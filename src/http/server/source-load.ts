// How many answers that cost something each source has had without proving anything. In memory: it bounds processor time,
// not guesses (login/throttle.ts), so each thread counts its own.

import { AuthError } from '../../errors/auth-error.ts';
import { type Clock, type Millis, SECOND } from '../../platform/clock.ts';
import { sourcePrefix } from '../../platform/network/source-prefix.ts';
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

export function sourceLoad({ clock }: { readonly clock: Clock }): SourceLoad {
  const left = recentMap<string, { count: number; at: Millis }>(sources);

  function leftOf(ipAddress: string): { count: number; at: Millis } {
    const source = sourcePrefix(ipAddress);
    const now = clock.monotonic();
    const known = left.get(source);
    if (known === undefined) {
      const fresh = { count: mostAtOnce, at: now };
      left.set(source, fresh);
      return fresh;
    }
    known.count = Math.min(mostAtOnce, known.count + ((now - known.at) / SECOND) * perSecond);
    known.at = now;
    return known;
  }

  return {
    count(ipAddress) {
      const source = leftOf(ipAddress);
      if (source.count < 1) return false;
      source.count -= 1;
      return true;
    },
    giveBack(ipAddress) {
      leftOf(ipAddress).count += 1;
    },
  };
}

/** For a source that has none left. */
export function tooMuchLoad(): AuthError {
  return new AuthError('rate_limited', { detail: 'too many requests without a proof', retryAfterSeconds: 1 });
}
