/** A state that React follows with `useSyncExternalStore`. */
export function held<State>(initial: State) {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    current: () => state,
    /** @returns stops it */
    on(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    become(next: State): void {
      state = next;
      for (const listener of listeners) listener();
    },
  };
}

/** The value of `open`, opened once. If it fails, the next call tries again. */
export function once<Value>(open: () => Promise<Value>): () => Promise<Value> {
  let opened: Promise<Value> | undefined;
  return () => {
    opened ??= open().catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}
