/**
 * One round at a time, in order. Calls during a round share the next one: it must begin after them, and when the
 * database hangs they must not become one round each.
 */
export function inRounds(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let upcoming: Promise<void> | null = null;
  return () => {
    const round = () => {
      current = upcoming ?? current;
      upcoming = null;
      return run();
    };
    upcoming ??= current.then(round, round);
    return upcoming;
  };
}

/** Callers during a run share it: they need nothing that begins after them. */
export function oneRun(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };
}
