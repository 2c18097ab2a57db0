// A right guess stays reserved until the login is recorded: the step that records it gives the reservation back, so
// that this takes no commit of its own. A crash in between leaves one failure too many, never one too few.

import type { ThrottleNeeds } from './throttle.ts';

export interface ReservedGuess {
  /** The keys of its counters (`AttemptStore.release`), for whoever gives it back; none from the second call on. */
  take(): readonly string[];
}

export function reservedGuess(keys: readonly string[]): ReservedGuess {
  let held = keys;
  return {
    take() {
      const taken = held;
      held = [];
      return taken;
    },
  };
}

/** Gives the guess back in a step of its own, unless somebody has taken it. */
export async function giveBack(needs: Pick<ThrottleNeeds, 'store'>, guess: ReservedGuess): Promise<void> {
  const keys = guess.take();
  if (keys.length > 0) await needs.store.attempts.release(keys);
}
