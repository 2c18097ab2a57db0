// The keys of other issuers, in memory only. Look-ups trigger all fetches, there are no timers, and no endpoint is
// asked more than once in ten seconds, whatever tokens arrive. One thread fetches; the others ask it.
import { type Clock, HOUR, MINUTE, type Millis, SECOND } from '../clock.ts';
import type { Logger } from '../log/logger.ts';
import { type FetchRefusal, FetchRefused } from '../network/fetch-refused.ts';
import type { OutboundClient } from '../network/outbound-client.ts';
import { type JwkSet, readJwkSet } from './jwk-set.ts';
import type { VerificationKey } from './jws-signature.ts';

export interface JwksCacheLimits {
  /** From this age on, a key set is fetched again in the background and stays in use meanwhile. */
  readonly refreshAfter: Millis;
  /**
   * From this age on, a look-up waits for the new set, so that a withdrawn key is not used once more after a quiet day.
   */
  readonly waitAfter: Millis;
  /** From this age on, a set that could not be renewed is no longer used. */
  readonly unusableAfter: Millis;
  /** From the start of one fetch of a set to the start of the next. */
  readonly pauseBetweenFetches: Millis;
  /** How long a look-up waits for a fetch, which may take longer. */
  readonly longestWait: Millis;
  readonly maxBytes: number;
}

export const jwksCacheDefaults: JwksCacheLimits = {
  refreshAfter: 5 * MINUTE,
  waitAfter: 15 * MINUTE,
  unusableAfter: 24 * HOUR,
  pauseBetweenFetches: 10 * SECOND,
  longestWait: 2 * SECOND,
  maxBytes: 512 * 1024,
};

/** Whose keys. Two owners never share a set, even if their URLs are the same. */
export interface KeySetSource {
  readonly id: string;
  readonly url: string;
}

export type KeySetFailure = FetchRefusal | 'not-a-key-set';

export type KeyLookup =
  /** Never empty. The caller has to check which of them fits the algorithm. */
  | { readonly found: 'keys'; readonly keys: readonly VerificationKey[] }
  | { readonly found: 'no-such-key' }
  /** There is no set, or only one that is too old; `reason` is that of the last fetch. */
  | { readonly found: 'no-key-set'; readonly reason: KeySetFailure };

export interface JwksCache {
  /**
   * The keys under a `kid` in a set, or all of them for null. Fetches if the set or the `kid` is unknown. Never throws.
   */
  find(source: KeySetSource, kid: string | null): Promise<KeyLookup>;
  /**
   * The keys under a `kid`, or all of them for null, as long as `find` would not renew them. Never fetches. If it
   * returns the same list again, the set is the same.
   */
  peek(id: string, kid: string | null): readonly VerificationKey[] | undefined;
  /** Drops the set of an owner that was changed or deleted. */
  forget(id: string): void;
  forgetAll(): void;
}

/** A look-up that another thread cannot answer from its own memory. */
export interface KeySetQuestion {
  readonly source: KeySetSource;
  readonly kid: string | null;
  /** `fetches` of the last answer about this set; 0: none. */
  readonly seen: number;
}

/** How a set stands in the thread that fetches. Ages instead of times: each thread has its own monotonic clock. */
export interface KeySetNews {
  readonly fetches: number;
  readonly good: { readonly set: JwkSet; readonly age: Millis } | null;
  /** Since the last fetch began. */
  readonly sinceTry: Millis;
  readonly failure: KeySetFailure;
}

/** The cache of the thread that fetches. */
export interface FetchingJwksCache extends JwksCache {
  /** Does what `find` does, and tells how the set stands then. @returns null if the asking thread knows */
  answer(question: KeySetQuestion): Promise<KeySetNews | null>;
}

export function jwksCache(
  needs: { readonly client: OutboundClient; readonly clock: Clock; readonly logger: Logger },
  limits: JwksCacheLimits = jwksCacheDefaults,
): FetchingJwksCache {
  let fetches = 0;
  const fetchNow = async (entry: Entry): Promise<void> => {
    const fetchedAt = readings(needs.clock);
    try {
      const { url, id } = entry;
      // The management API accepts https only, but an imported address may lead to this machine without it.
      const wanted = { accept: acceptedTypes, maxBytes: limits.maxBytes, allowPlainLoopback: true };
      const set = readJwkSet(await needs.client.get(url, wanted));
      entry.good = { set, fetchedAt };
      const counts = { keys: set.keys.size, ignored: set.ignored.length };
      needs.logger.debug('key set fetched', { keySet: id, ...counts });
    } catch (error) {
      entry.failure = error instanceof FetchRefused ? error.reason : 'not-a-key-set';
      needs.logger.warn('key set could not be fetched', {
        keySet: entry.id,
        reason: entry.failure,
        detail: error instanceof Error ? error.message : undefined,
        hasEarlierSet: ageOf(entry, needs.clock) < limits.unusableAfter,
      });
    }
    fetches += 1;
    entry.fetches = fetches;
  };

  const cache = cacheOver(needs.clock, limits, (entry) => {
    if (entry.underWay !== null) return entry.underWay;
    if (isTooSoon(entry, needs.clock, limits)) return Promise.resolve();
    entry.triedAt = needs.clock.monotonic();
    entry.underWay = fetchNow(entry).finally(() => {
      entry.underWay = null;
    });
    return entry.underWay;
  });
  return {
    ...cache,
    async answer({ source, kid, seen }) {
      await cache.find(source, kid);
      const { good, triedAt, failure, fetches } = cache.entryOf(source);
      if (fetches === seen) return null;
      const now = readings(needs.clock);
      return {
        fetches,
        good: good === null ? null : { set: good.set, age: elapsed(good.fetchedAt, now) },
        sinceTry: now.monotonic - (triedAt ?? now.monotonic),
        failure,
      };
    },
  };
}

/**
 * The cache of another thread: what it does not know or should renew, it asks the one that fetches, whose pauses and
 * failures are those of all.
 * @param needs.ask `answer` of that thread's cache; may reject when that thread ends
 */
export function remoteJwksCache(
  needs: {
    readonly ask: (question: KeySetQuestion) => Promise<KeySetNews | null>;
    readonly clock: Clock;
  },
  limits: JwksCacheLimits = jwksCacheDefaults,
): JwksCache {
  const { clock, ask } = needs;
  return cacheOver(clock, limits, async (entry, kid) => {
    if (isTooSoon(entry, clock, limits)) return;
    const source = { id: entry.id, url: entry.url };
    const news = await ask({ source, kid, seen: entry.fetches }).catch(() => null);
    // Answers arrive in order; of two that bring the same, the first one's keys stay the same objects.
    if (news === null || news.fetches === entry.fetches) return;
    const now = readings(clock);
    const { good, sinceTry, failure, fetches } = news;
    entry.good = good === null ? null : { set: good.set, fetchedAt: before(now, good.age) };
    entry.triedAt = now.monotonic - sinceTry;
    entry.failure = failure;
    entry.fetches = fetches;
  });
}

/** @param refresh gets a newer set for a look-up, unless the last fetch was too recent. Never rejects */
function cacheOver(
  clock: Clock,
  limits: JwksCacheLimits,
  refresh: (entry: Entry, kid: string | null) => Promise<void>,
): JwksCache & { entryOf(source: KeySetSource): Entry } {
  const entries = new Map<string, Entry>();
  const entryOf = (source: KeySetSource): Entry => {
    const known = entries.get(source.id);
    if (known?.url === source.url) return known;
    const { id, url } = source;
    const entry: Entry = {
      id,
      url,
      good: null,
      triedAt: null,
      failure: 'timeout',
      fetches: 0,
      underWay: null,
    };
    entries.set(id, entry);
    return entry;
  };

  return {
    entryOf,
    async find(source, kid) {
      const entry = entryOf(source);
      const age = ageOf(entry, clock);
      const known = keysIn(entry, kid);
      if (known !== undefined && age < limits.waitAfter) {
        if (age >= limits.refreshAfter) void refresh(entry, kid);
        return { found: 'keys', keys: known };
      }
      await atMost(limits.longestWait, refresh(entry, kid));
      if (entry.good === null || ageOf(entry, clock) >= limits.unusableAfter)
        return { found: 'no-key-set', reason: entry.failure };
      const keys = keysIn(entry, kid);
      return keys === undefined ? { found: 'no-such-key' } : { found: 'keys', keys };
    },
    peek(id, kid) {
      const entry = entries.get(id);
      return entry !== undefined && ageOf(entry, clock) < limits.refreshAfter
        ? keysIn(entry, kid)
        : undefined;
    },
    forget(id) {
      entries.delete(id);
    },
    forgetAll: () => entries.clear(),
  };
}

const acceptedTypes = 'application/jwk-set+json, application/json';

interface Reading {
  readonly wall: Millis;
  readonly monotonic: Millis;
}

interface Entry {
  readonly id: string;
  readonly url: string;
  /** The last set that was fetched completely. */
  good: { readonly set: JwkSet; readonly fetchedAt: Reading } | null;
  /** When the last fetch began; monotonic. */
  triedAt: Millis | null;
  /** Failure of the last fetch; before one has ended, that it takes too long. */
  failure: KeySetFailure;
  /** Number of the last fetch that has ended, among all of the thread that fetches; 0: none. */
  fetches: number;
  /** In the thread that fetches. */
  underWay: Promise<void> | null;
}

/** Undefined for none. */
function keysIn({ good }: Entry, kid: string | null): readonly VerificationKey[] | undefined {
  if (kid !== null) return good?.set.keys.get(kid);
  return good?.set.all.length ? good.set.all : undefined;
}

function readings(clock: Clock): Reading {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

function before({ wall, monotonic }: Reading, age: Millis): Reading {
  return { wall: wall - age, monotonic: monotonic - age };
}

function isTooSoon({ triedAt }: Entry, clock: Clock, { pauseBetweenFetches }: JwksCacheLimits): boolean {
  return triedAt !== null && clock.monotonic() - triedAt < pauseBetweenFetches;
}

function ageOf({ good }: Entry, clock: Clock): Millis {
  return good === null ? Number.POSITIVE_INFINITY : elapsed(good.fetchedAt, readings(clock));
}

/**
 * The monotonic clock may stand still while a machine sleeps, and the wall clock may be set back: the larger one
 * counts.
 */
function elapsed(since: Reading, now: Reading): Millis {
  return Math.max(now.wall - since.wall, now.monotonic - since.monotonic);
}

async function atMost(wait: Millis, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, wait);
  });
  await Promise.race([work, timeUp]);
  clearTimeout(timer);
}
