// A number of places that strangers share, such as requests under way at a provider. None of them can hold all places:
// beyond those that are free for anybody, each source has a share.

import { sourcesOf } from './network/source-prefix.ts';

export interface Shares {
  /** Places in all. */
  readonly most: number;
  /** The share of an address, or of an IPv6 /64. A /48 has eight, which must be less than all. */
  readonly share: number;
  /** How many places of `most` one source may take beyond its share, as long as no more than these are taken. */
  readonly free?: number;
}

export interface SharedLimit {
  /**
   * Takes a place.
   * @param source its address; the id of an identity where that is known
   * @returns gives the place back, once; null when there is none for this source
   */
  take(source: string): (() => void) | null;
}

/** Keeps at most two entries for each place that is taken. */
export function sharedLimit({ most, share, free = 0 }: Shares): SharedLimit {
  const taken = new Map<string, number>();
  let inAll = 0;
  const add = (prefix: string, count: 1 | -1) => {
    const now = (taken.get(prefix) ?? 0) + count;
    if (now === 0) taken.delete(prefix);
    else taken.set(prefix, now);
  };
  return {
    take(source) {
      const sources = sourcesOf(source);
      const hasShare = () => sources.every(({ prefix, shares }) => (taken.get(prefix) ?? 0) < share * shares);
      if (inAll >= most || (inAll >= free && !hasShare())) return null;
      inAll += 1;
      for (const { prefix } of sources) add(prefix, 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        inAll -= 1;
        for (const { prefix } of sources) add(prefix, -1);
      };
    },
  };
}
