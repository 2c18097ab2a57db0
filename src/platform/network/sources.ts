// Limits that strangers share, by the source of a request: no source may use up the limit of all.

import { isIPv6 } from 'node:net';
import { recentMap } from '../caches.ts';
import { type Clock, type Millis, SECOND } from '../clock.ts';
import { ipv6Groups } from './address-rules.ts';

/** Whom a limit counts together. */
export interface Source {
  readonly prefix: string;
  /** How many shares of a limit it may hold. */
  readonly shares: number;
}

/**
 * The address, where it is IPv4 mapped into IPv6 that one: on an interface for both, the system maps every IPv4 client,
 * which would have another name in records than elsewhere. Text that is not an address stays.
 * @see RFC 4291 section 2.5.5.2
 */
export function unmapped(address: string | undefined = ''): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** A /48 is what one customer may be given (RFC 6177), and also what a carrier divides among many phones. */
const sharesOfNetwork = 8;

/**
 * The sources under which a request is counted, each for itself, the narrow one first: the address, or the /64 of an
 * IPv6 one, because the holder of one address of it has all of them, and then its /48, because its holder has 65,536
 * of the former. IPv4 mapped into IPv6 is IPv4; anything but an address, such as an id, is one source.
 */
export function sourcesOf(address: string): readonly [Source, ...Source[]] {
  const prefix = unmapped(address);
  if (!isIPv6(prefix)) return [{ prefix, shares: 1 }];
  const groups = ipv6Groups(address.replace(/%.*$/, '')).map((group) => group.toString(16));
  return [
    { prefix: `${groups.slice(0, 4).join(':')}::/64`, shares: 1 },
    { prefix: `${groups.slice(0, 3).join(':')}::/48`, shares: sharesOfNetwork },
  ];
}

/** The wide one of `sourcesOf`, for limits without shares. */
export function widestSource(address: string): string {
  const [narrow, wide = narrow] = sourcesOf(address);
  return wide.prefix;
}

// A number of places that strangers share, such as requests under way at a provider. None of them can hold all places:
// beyond those that are free for anybody, each source has a share.

export interface Shares {
  /** Places in all. */
  readonly most: number;
  /** The share of an address, or of an IPv6 /64. A /48 has eight, which must be less than all. */
  readonly share: number;
  /** How many places of `most` one source may take beyond its share, as long as no more than these are taken. */
  readonly free?: number;
}

export type SharedLimit = ReturnType<typeof sharedLimit>;

/** Keeps at most two entries for each place that is taken. */
export function sharedLimit({ most, share, free = 0 }: Shares) {
  const taken = new Map<string, number>();
  let inAll = 0;
  const add = (prefix: string, count: 1 | -1) => {
    const now = (taken.get(prefix) ?? 0) + count;
    if (now === 0) taken.delete(prefix);
    else taken.set(prefix, now);
  };
  return {
    /**
     * Takes a place.
     * @param source its address; the id of an identity where that is known
     * @returns gives the place back, once; null when there is none for this source
     */
    take(source: string): (() => void) | null {
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

// How many answers that cost something each source has had without proving anything. In memory: it bounds processor time,
// not guesses (login/throttle.ts), so each thread counts its own.

export type SourceLoad = ReturnType<typeof sourceLoad>;

/** A whole company behind one address logs in within minutes. */
const mostAtOnce = 10_000;
const perSecond = 500;
const mostSources = 10_000;

export function sourceLoad({ clock }: { clock: Clock }) {
  const left = recentMap<string, { count: number; at: Millis }>(mostSources);

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
    /** Counts an answer. @returns whether the source had one left */
    count(ipAddress: string) {
      const sources = leftOf(ipAddress);
      if (sources.some(({ count }) => count < 1)) return false;
      for (const source of sources) source.count -= 1;
      return true;
    },
    /** Takes it back: something was proven. */
    giveBack(ipAddress: string) {
      for (const source of leftOf(ipAddress)) source.count += 1;
    },
  };
}
