// The keys of other issuers, in memory only. Look-ups trigger all fetches, there are no timers, and no endpoint is
// asked more than once in ten seconds on average, even for invented tokens: a few fetches more are in reserve for keys
// that are rotated right after a fetch. One thread fetches; the others ask it.
import { type Clock, HOUR, MINUTE, type Millis, SECOND } from '../clock.ts';
import { withoutFinalSlashes } from '../formats/final-slashes.ts';
import type { Logger } from '../log/logger.ts';
import { type FetchRefusal, FetchRefused } from '../network/fetch-refused.ts';
import type { OutboundClient } from '../network/outbound-client.ts';
import { type IgnoredKeyReason, type JwkSet, readJwkSet, TooManyKeys } from './jwk-set.ts';
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
  /** From the start of one fetch of a set to the start of the next, on average. After a failed one, at least. */
  readonly pauseBetweenFetches: Millis;
  /** How many fetches may follow one another without a pause after a quiet time. */
  readonly fetchesAtOnce: number;
  /** How long a look-up waits for a fetch that has begun, which may take longer. */
  readonly longestWait: Millis;
  readonly maxBytes: number;
}

export const jwksCacheDefaults: JwksCacheLimits = {
  refreshAfter: 5 * MINUTE,
  waitAfter: 15 * MINUTE,
  unusableAfter: 24 * HOUR,
  pauseBetweenFetches: 10 * SECOND,
  fetchesAtOnce: 3,
  longestWait: 2 * SECOND,
  maxBytes: 512 * 1024,
};

/** The owner of keys. Two owners never share a set, even if their URLs are the same. */
export interface KeySetSource {
  readonly id: string;
  /** Null only with an issuer. */
  readonly url: string | null;
  /** The issuer whose discovery document names the address; `url` is for when it cannot be fetched. */
  readonly issuer?: string | undefined;
}

export type KeySetFailure = FetchRefusal | 'not-a-key-set' | 'too-many-keys' | 'no-discovery';

/**
 * Where the discovery document of an issuer or provider is (OpenID Connect Discovery 4). Some providers choose what they
 * describe by a query, which stays: `?p=POLICY` of Azure AD B2C.
 */
export function discoveryAddress(address: string): string {
  return address.replace(
    /(?<!\/)\/*(\?.*)?$/s,
    (_end, query = '') => `/.well-known/openid-configuration${query}`,
  );
}

/** The document is none, is of another issuer, or names no keys. */
class DiscoveryRefused extends Error {}

const longestDiscovery = 64 * 1024;

/** @throws FetchRefused, DiscoveryRefused */
async function publishedAddress(client: OutboundClient, issuer: string): Promise<string> {
  const wanted = { accept: 'application/json', maxBytes: longestDiscovery };
  const body = await client.get(discoveryAddress(issuer), wanted);
  let document: { readonly issuer?: unknown; readonly jwks_uri?: unknown } | null;
  try {
    document = JSON.parse(body.toString().replace(/^\ufeff/, ''));
  } catch {
    throw new DiscoveryRefused('the answer is no discovery document');
  }
  const named = document?.issuer;
  if (typeof named !== 'string' || withoutFinalSlashes(named) !== withoutFinalSlashes(issuer))
    throw new DiscoveryRefused('the discovery document is of another issuer');
  if (typeof document?.jwks_uri !== 'string')
    throw new DiscoveryRefused('the discovery document names no keys');
  return document.jwks_uri;
}

export type KeyLookup =
  /** Never empty. The caller has to check which of them fits the algorithm. */
  | { readonly found: 'keys'; readonly keys: readonly VerificationKey[] }
  | ({ readonly found: 'no-such-key' } & UnfitSet)
  /** There is no set, or only one that is too old; `reason` is that of the last fetch, which began `sinceTry` ago. */
  | { readonly found: 'no-key-set'; readonly reason: KeySetFailure; readonly sinceTry: Millis };

/** A key set without a fitting key. */
export interface UnfitSet {
  /** Why the key with the `kid` cannot be used; null if the set has none. For a null `kid`, that of the first key. */
  readonly ignored: IgnoredKeyReason | null;
  /** Whether the set was fetched for this look-up. If not, it was fetched too recently. */
  readonly isFresh: boolean;
}

export interface JwksCache {
  /**
   * The keys under a `kid` in a set, or all of them for null. Fetches if the set or the `kid` is unknown. Never throws.
   * @param failed a key found before that has not verified the token. The set is fetched again if that key is still in
   *               it: providers that send no `kid`, or always the same, rotate keys too
   */
  find(source: KeySetSource, kid: string | null, failed?: VerificationKey): Promise<KeyLookup>;
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
  /** Whether the asking thread has a key that has not verified the token. */
  readonly hasFailed: boolean;
  /** `fetches` of the last answer about this set; 0: none. */
  readonly seen: number;
}

/** How a set stands in the thread that fetches. Ages instead of times: each thread has its own monotonic clock. */
export interface KeySetNews {
  readonly fetches: number;
  readonly good: { readonly set: JwkSet; readonly age: Millis } | null;
  /** Since the last fetch began. */
  readonly sinceTry: Millis;
  /** The rest at that moment of the time that fetches cost. */
  readonly reserve: Millis;
  readonly failure: KeySetFailure;
}

/** The cache of the thread that fetches. */
export interface FetchingJwksCache extends JwksCache {
  /** Does what `find` does, and tells how the set stands then. @returns null if the asking thread knows */
  answer(question: KeySetQuestion): Promise<KeySetNews | null>;
}

export function jwksCache(
  needs: { client: OutboundClient; clock: Clock; logger: Logger },
  limits: JwksCacheLimits = jwksCacheDefaults,
): FetchingJwksCache {
  let fetches = 0;
  const fetchNow = async (entry: Entry): Promise<void> => {
    const fetchedAt = readings(needs.clock);
    try {
      const { id } = entry;
      const { url, isByHand } = await addressOf(needs, entry);
      // The management API accepts https only, but an imported address may lead to this machine without it.
      const wanted = { accept: acceptedTypes, maxBytes: limits.maxBytes, allowPlainLoopback: isByHand };
      const set = readJwkSet(await needs.client.get(url, wanted));
      entry.good = { set, fetchedAt };
      const counts = { keys: set.keys.size, ignored: set.ignored.length };
      needs.logger.debug('key set fetched', { keySet: id, ...counts });
    } catch (error) {
      entry.reserve = 0;
      entry.failure = failureOf(error);
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
    entry.reserve = reserveOf(entry, needs.clock, limits) - limits.pauseBetweenFetches;
    entry.triedAt = needs.clock.monotonic();
    entry.underWay = fetchNow(entry).finally(() => {
      entry.underWay = null;
    });
    return entry.underWay;
  });
  return {
    ...cache,
    async answer({ source, kid, hasFailed, seen }) {
      const entry = cache.entryOf(source);
      // The asking thread has an earlier set if this one knows more.
      const failed = hasFailed && entry.fetches === seen ? keysIn(entry, kid)?.[0] : undefined;
      await cache.find(source, kid, failed);
      const { good, triedAt, reserve, failure, fetches } = cache.entryOf(source);
      if (fetches === seen) return null;
      const now = readings(needs.clock);
      return {
        fetches,
        good: good === null ? null : { set: good.set, age: elapsed(good.fetchedAt, now) },
        sinceTry: now.monotonic - (triedAt ?? now.monotonic),
        reserve,
        failure,
      };
    },
  };
}

/**
 * The cache of another thread: it asks the fetching thread for unknown sets and renewals, whose pauses and
 * failures are those of all.
 * @param needs.ask `answer` of that thread's cache; may reject when that thread ends
 */
export function remoteJwksCache(
  { clock, ask }: { ask: (question: KeySetQuestion) => Promise<KeySetNews | null>; clock: Clock },
  limits: JwksCacheLimits = jwksCacheDefaults,
): JwksCache {
  // The other thread waits, too, and not before its fetch has begun.
  const patient = { ...limits, longestWait: 2 * limits.longestWait };
  return cacheOver(clock, patient, async (entry, kid, hasFailed) => {
    if (isTooSoon(entry, clock, limits)) return;
    const source = { id: entry.id, url: entry.url, issuer: entry.issuer };
    const news = await ask({ source, kid, hasFailed, seen: entry.fetches }).catch(() => null);
    // Answers arrive in order; of two that bring the same, the first one's keys stay the same objects.
    if (news === null || news.fetches === entry.fetches) return;
    const now = readings(clock);
    const { good, sinceTry, reserve, failure, fetches } = news;
    entry.good = good === null ? null : { set: good.set, fetchedAt: before(now, good.age) };
    entry.triedAt = now.monotonic - sinceTry;
    entry.reserve = reserve;
    entry.failure = failure;
    entry.fetches = fetches;
  });
}

/** @param refresh gets a newer set for a look-up, unless the last fetch was too recent. Never rejects */
function cacheOver(
  clock: Clock,
  limits: JwksCacheLimits,
  refresh: (entry: Entry, kid: string | null, hasFailed: boolean) => Promise<void>,
): JwksCache & { entryOf(source: KeySetSource): Entry } {
  const entries = new Map<string, Entry>();
  const entryOf = (source: KeySetSource): Entry => {
    const known = entries.get(source.id);
    if (known !== undefined && known.url === source.url && known.issuer === source.issuer) return known;
    const { id, url, issuer } = source;
    const entry: Entry = {
      id,
      url,
      issuer,
      good: null,
      triedAt: null,
      reserve: 0,
      failure: 'timeout',
      fetches: 0,
      underWay: null,
    };
    entries.set(id, entry);
    return entry;
  };

  return {
    entryOf,
    async find(source, kid, failed) {
      const entry = entryOf(source);
      const { fetches } = entry;
      const age = ageOf(entry, clock);
      const known = keysIn(entry, kid);
      const hasFailed = failed !== undefined && known?.includes(failed) === true;
      if (known !== undefined && age < limits.waitAfter && !hasFailed) {
        if (age >= limits.refreshAfter) void refresh(entry, kid, false);
        return { found: 'keys', keys: known };
      }
      const refreshed = refresh(entry, kid, hasFailed);
      // Before the first fetch this thread reads the trusted roots, which takes a second on a busy machine.
      await new Promise((resolve) => setImmediate(resolve));
      await atMost(limits.longestWait, refreshed);
      const isFresh = entry.fetches !== fetches;
      if (entry.good === null || ageOf(entry, clock) >= limits.unusableAfter) {
        const now = clock.monotonic();
        return { found: 'no-key-set', reason: entry.failure, sinceTry: now - (entry.triedAt ?? now) };
      }
      const keys = keysIn(entry, kid);
      if (keys !== undefined) return { found: 'keys', keys };
      return { found: 'no-such-key', ignored: ignoredIn(entry.good.set, kid), isFresh };
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
  readonly url: string | null;
  readonly issuer: string | undefined;
  /** The last set that was fetched completely. */
  good: { readonly set: JwkSet; readonly fetchedAt: Reading } | null;
  /** When the last fetch began; monotonic. */
  triedAt: Millis | null;
  /** Time saved when that fetch had begun. Each fetch costs a pause, and time passes. */
  reserve: Millis;
  /** Failure of the last fetch; before one has ended, that it takes too long. */
  failure: KeySetFailure;
  /** Number of the last fetch that has ended, among all of the thread that fetches; 0: none. */
  fetches: number;
  /** In the thread that fetches. */
  underWay: Promise<void> | null;
}

/** @throws FetchRefused, DiscoveryRefused */
async function addressOf(
  needs: { client: OutboundClient; logger: Logger },
  { id, url, issuer }: Entry,
): Promise<{ readonly url: string; readonly isByHand: boolean }> {
  if (issuer === undefined) return { url: url ?? '', isByHand: true };
  try {
    return { url: await publishedAddress(needs.client, issuer), isByHand: false };
  } catch (error) {
    if (url === null) throw error;
    needs.logger.warn('discovery document could not be used', { keySet: id, reason: failureOf(error) });
    return { url, isByHand: true };
  }
}

function failureOf(error: unknown): KeySetFailure {
  if (error instanceof FetchRefused) return error.reason;
  if (error instanceof TooManyKeys) return 'too-many-keys';
  return error instanceof DiscoveryRefused ? 'no-discovery' : 'not-a-key-set';
}

/** Undefined for none. */
function keysIn({ good }: Entry, kid: string | null): readonly VerificationKey[] | undefined {
  if (kid !== null) return good?.set.keys.get(kid);
  return good?.set.all.length ? good.set.all : undefined;
}

function ignoredIn({ ignored }: JwkSet, kid: string | null): IgnoredKeyReason | null {
  return ignored.find((key) => kid === null || key.kid === kid)?.reason ?? null;
}

function readings(clock: Clock): Reading {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

function before({ wall, monotonic }: Reading, age: Millis): Reading {
  return { wall: wall - age, monotonic: monotonic - age };
}

function isTooSoon(entry: Entry, clock: Clock, limits: JwksCacheLimits): boolean {
  return reserveOf(entry, clock, limits) < limits.pauseBetweenFetches;
}

function reserveOf(
  { triedAt, reserve }: Entry,
  clock: Clock,
  { pauseBetweenFetches, fetchesAtOnce }: JwksCacheLimits,
): Millis {
  const most = fetchesAtOnce * pauseBetweenFetches;
  return triedAt === null ? most : Math.min(most, reserve + clock.monotonic() - triedAt);
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
