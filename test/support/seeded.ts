/** Pseudo-random choices that a seed repeats; for tests only. */
export interface Seeded {
  readonly seed: number;
  /** An integer from 0 up to, not including, `limit`. */
  below(limit: number): number;
}

/** @param seed an integer; the generator is mulberry32 */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0;
  return {
    seed,
    below(limit) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
    },
  };
}
