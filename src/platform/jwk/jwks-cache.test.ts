import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import { memoryLogger } from '../../../test/support/memory-logger.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../clock.ts';
import { FetchRefused } from '../network/fetch-refused.ts';
import { jwksCache, jwksCacheDefaults, remoteJwksCache } from './jwks-cache.ts';

const source = { id: 'signer-1', url: 'https://idp.example/jwks' };

const jwks = ['a', 'b', 'c'].map((kid) => ({
  ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }),
  kid,
}));

type Body = string | Error;

function published(...kids: readonly string[]): Body {
  return JSON.stringify({ keys: jwks.filter(({ kid }) => kids.includes(kid)) });
}

/** A cache over an endpoint that answers `answer`, or waits while it is held. */
function setUp(limits = jwksCacheDefaults) {
  const clock = fixedClock('2026-11-21T10:00:00Z');
  const logger = memoryLogger();
  const endpoint = {
    answer: published('a'),
    urls: [] as string[],
    held: null as { readonly released: Promise<void>; readonly release: () => void } | null,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      endpoint.held = { released: promise, release: resolve };
    },
  };
  const client = {
    async get(url: string) {
      endpoint.urls.push(url);
      await endpoint.held?.released;
      if (endpoint.answer instanceof Error) throw endpoint.answer;
      return Buffer.from(endpoint.answer);
    },
  };
  const cache = jwksCache({ client, clock, logger }, limits);
  return {
    clock,
    logger,
    endpoint,
    client,
    cache,
    fetches: () => endpoint.urls.length,
    async found(kid: string, from = source) {
      return (await cache.find(from, kid)).found;
    },
    /** Lets a refresh in the background come to its end, be it in the other thread. */
    async settled() {
      for (let turn = 0; turn < 4; turn += 1) await nextTurn();
    },
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('the keys of a signer', () => {
  test('are fetched on first use and then come from memory', async () => {
    const { found, fetches } = setUp();
    assert.equal(fetches(), 0);
    for (let n = 0; n < 5; n += 1) assert.equal(await found('a'), 'keys');
    assert.equal(fetches(), 1);
  });

  test('are fetched once for many look-ups at the same time', async () => {
    const { cache, endpoint, fetches } = setUp();
    endpoint.hold();
    const lookups = Array.from({ length: 100 }, (_, n) => cache.find(source, n % 2 === 0 ? 'a' : `x${n}`));
    endpoint.held?.release();
    const outcomes = (await Promise.all(lookups)).map(({ found }) => found);
    assert.equal(outcomes.filter((outcome) => outcome === 'keys').length, 50);
    assert.equal(outcomes.filter((outcome) => outcome === 'no-such-key').length, 50);
    assert.equal(fetches(), 1);
  });

  test('are fetched once in ten seconds on average and thrice at once, with any requested kids', async () => {
    const { found, fetches, clock } = setUp();
    await found('a');
    for (let n = 0; n < 200; n += 1) assert.equal(await found(`first-${n}`), 'no-such-key');
    assert.equal(fetches(), 3);
    for (let second = 0; second < 60; second += 1) {
      for (let n = 0; n < 200; n += 1) assert.equal(await found(`${second}-${n}`), 'no-such-key');
      clock.advance(1 * SECOND);
    }
    assert.equal(await found('a'), 'keys');
    assert.equal(fetches(), 8);
  });

  test('are renewed in the background from five minutes on', async () => {
    const { found, fetches, endpoint, clock, settled } = setUp();
    await found('a');
    clock.advance(5 * MINUTE - 1);
    await found('a');
    assert.equal(fetches(), 1);
    clock.advance(1);
    endpoint.hold();
    assert.equal(await found('a'), 'keys');
    assert.equal(fetches(), 2);
    endpoint.held?.release();
    await settled();
    clock.advance(5 * MINUTE - 1);
    await found('a');
    assert.equal(fetches(), 2);
  });

  test('stop working at the next refresh when they are withdrawn', async () => {
    const { found, endpoint, clock, settled } = setUp();
    endpoint.answer = published('a', 'b');
    assert.equal(await found('a'), 'keys');
    endpoint.answer = published('b');
    clock.advance(5 * MINUTE);
    await found('b');
    await settled();
    assert.equal(await found('a'), 'no-such-key');
    assert.equal(await found('b'), 'keys');
  });

  test('are gone when the set becomes empty', async () => {
    const { found, endpoint, clock } = setUp();
    await found('a');
    endpoint.answer = published();
    clock.advance(15 * MINUTE);
    assert.equal(await found('a'), 'no-such-key');
  });

  test('stay while the endpoint is down, for a day, and come back without a restart', async () => {
    const { found, cache, endpoint, clock, fetches } = setUp();
    await found('a');
    endpoint.answer = new FetchRefused('connection');
    for (let hour = 1; hour < 24; hour += 1) {
      clock.advance(HOUR);
      assert.equal(await found('a'), 'keys', `after ${hour} h`);
    }
    clock.advance(HOUR);
    const down = { found: 'no-key-set', reason: 'connection', sinceTry: 0 };
    assert.deepEqual(await cache.find(source, 'a'), down);
    const triesBefore = fetches();
    endpoint.answer = published('b');
    clock.advance(9 * SECOND);
    assert.equal(await found('b'), 'no-key-set');
    assert.equal(fetches(), triesBefore);
    clock.advance(1 * SECOND);
    assert.equal(await found('b'), 'keys');
  });

  test('stay when the endpoint answers with something else, and the reason is logged', async () => {
    const { found, endpoint, clock, logger } = setUp();
    await found('a');
    const page = '<!doctype html><p>secret of the page</p>';
    for (const answer of [page, '{"keys":{}}', new FetchRefused('too-large'), new FetchRefused('status')]) {
      endpoint.answer = answer;
      clock.advance(20 * MINUTE);
      assert.equal(await found('a'), 'keys', String(answer));
    }
    const warnings = logger.entries.filter(({ level }) => level === 'warn');
    assert.deepEqual(
      warnings.map(({ fields }) => fields.reason),
      ['not-a-key-set', 'not-a-key-set', 'too-large', 'status'],
    );
    assert.ok(!JSON.stringify(logger.entries).includes('secret of the page'));
  });

  test('that were never there are fetched at most once in ten seconds', async () => {
    const { cache, endpoint, clock, fetches } = setUp();
    endpoint.answer = new FetchRefused('name');
    for (let n = 0; n < 50; n += 1) {
      const missing = { found: 'no-key-set', reason: 'name', sinceTry: n * 100 };
      assert.deepEqual(await cache.find(source, 'a'), missing);
      clock.advance(100);
    }
    assert.equal(fetches(), 1);
    endpoint.answer = published('a');
    clock.advance(10 * SECOND);
    assert.equal((await cache.find(source, 'a')).found, 'keys');
  });

  test('are not awaited longer than the limit, while the fetch continues', async () => {
    const { cache, found, endpoint, settled } = setUp({ ...jwksCacheDefaults, longestWait: 5 });
    endpoint.hold();
    const slow = { found: 'no-key-set', reason: 'timeout', sinceTry: 0 };
    assert.deepEqual(await cache.find(source, 'a'), slow);
    endpoint.held?.release();
    await settled();
    assert.equal(await found('a'), 'keys');
  });

  test('are awaited from the moment of the request, however long it takes to begin', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    for (const { cache, client } of [setUp(), beside()]) {
      const { get } = client;
      client.get = (url) => {
        // As when the trusted roots are read on a busy machine.
        t.mock.timers.tick(jwksCacheDefaults.longestWait);
        return get(url);
      };
      assert.equal((await cache.find(source, 'a')).found, 'keys');
    }
  });

  test('of two signers stay separate, even with the same kid and URL, in a flood', async () => {
    const { found, endpoint, fetches } = setUp();
    const second = { id: 'signer-2', url: source.url };
    await found('a');
    for (let n = 0; n < 20; n += 1) await found(`x${n}`);
    assert.equal(fetches(), 3);
    endpoint.answer = published('b');
    assert.equal(await found('b', second), 'keys');
    assert.equal(await found('a', second), 'no-such-key');
    assert.equal(await found('a'), 'keys');
    assert.equal(await found('b'), 'no-such-key');
    assert.equal(fetches(), 5);
  });

  test('are forgotten on demand, and when the URL changes', async () => {
    const { cache, found, endpoint } = setUp();
    await found('a');
    endpoint.answer = published('b');
    assert.equal(await found('a', { ...source, url: 'https://idp.example/other' }), 'no-such-key');
    endpoint.answer = published('c');
    cache.forget(source.id);
    assert.equal(await found('c'), 'keys');
  });

  test('that arrive after they were forgotten are not kept', async () => {
    const { cache, found, endpoint } = setUp();
    endpoint.hold();
    const early = cache.find(source, 'a');
    cache.forget(source.id);
    const release = endpoint.held?.release;
    endpoint.held = null;
    endpoint.answer = published('b');
    assert.equal(await found('b'), 'keys');
    endpoint.answer = published('a');
    release?.();
    await early;
    assert.equal(await found('b'), 'keys');
    assert.equal(cache.peek(source.id, 'a'), undefined);
  });

  test('age while the machine sleeps, which the monotonic clock may not notice', async () => {
    const { found, endpoint, clock } = setUp();
    await found('a');
    endpoint.answer = published('b');
    clock.set('2026-11-21T12:00:00Z');
    clock.advance(10 * SECOND);
    assert.equal(await found('a'), 'no-such-key');
  });

  test('do not become younger when the wall clock is set back', async () => {
    const { found, endpoint, clock } = setUp();
    await found('a');
    endpoint.answer = new FetchRefused('connection');
    clock.set('2026-11-20T10:00:00Z');
    clock.advance(DAY - 1);
    assert.equal(await found('a'), 'keys');
    clock.advance(1);
    assert.equal(await found('a'), 'no-key-set');
  });
});

/** A cache that fetches, and one of another thread, whose monotonic clock began at another time. */
function beside(limits = jwksCacheDefaults) {
  const first = setUp(limits);
  const clock = { ...first.clock, monotonic: () => first.clock.monotonic() + HOUR };
  const state = { isGone: false, asked: 0 };
  const cache = remoteJwksCache(
    {
      clock,
      async ask(question) {
        state.asked += 1;
        // A message to another thread takes time.
        await nextTurn();
        if (state.isGone) throw new Error('ended');
        return first.cache.answer(question);
      },
    },
    limits,
  );
  return {
    ...first,
    state,
    cache,
    foundByThread: async (kid: string) => (await cache.find(source, kid)).found,
  };
}

describe('the keys of a signer in another thread', () => {
  test('come from the thread that fetches, and then from memory', async () => {
    const { found, foundByThread, cache, fetches, state } = beside();
    assert.equal(await found('a'), 'keys');
    for (let n = 0; n < 5; n += 1) assert.equal(await foundByThread('a'), 'keys');
    assert.equal(cache.peek(source.id, 'a'), cache.peek(source.id, 'a'));
    assert.deepEqual([fetches(), state.asked], [1, 1]);
  });

  test('have the pauses of all: unknown kids neither fetch nor ask more often', async () => {
    const { found, foundByThread, clock, fetches, state, endpoint } = beside();
    await found('a');
    clock.advance(4 * SECOND);
    for (let n = 0; n < 20; n += 1) assert.equal(await foundByThread(`x${n}`), 'no-such-key');
    assert.deepEqual([fetches(), state.asked], [3, 2]);
    endpoint.answer = published('b');
    clock.advance(6 * SECOND);
    assert.equal(await foundByThread('b'), 'keys');
    assert.equal(await found('b'), 'keys');
    assert.deepEqual([fetches(), state.asked], [4, 3]);
  });

  test('are there for each look-up that asked while another one was answered', async () => {
    const { found, cache, foundByThread, clock, endpoint, fetches } = beside();
    await found('a');
    clock.advance(10 * SECOND);
    endpoint.answer = published('a', 'b');
    assert.deepEqual(await Promise.all([foundByThread('a'), foundByThread('b')]), ['keys', 'keys']);
    assert.equal(cache.peek(source.id, 'a')?.length, 1);
    assert.equal(fetches(), 2);
  });

  test('are those that the other thread had before the endpoint went down, and no longer than there', async () => {
    const { found, foundByThread, clock, endpoint } = beside();
    await found('a');
    endpoint.answer = new FetchRefused('connection');
    clock.advance(23 * HOUR);
    assert.equal(await foundByThread('a'), 'keys');
    clock.advance(HOUR - 1);
    assert.equal(await foundByThread('a'), 'keys');
    clock.advance(1);
    assert.equal(await foundByThread('a'), 'no-key-set');
  });

  test('do not become younger on the way', async () => {
    const { found, foundByThread, clock, endpoint, settled, fetches } = beside();
    await found('a');
    clock.advance(4 * MINUTE);
    await foundByThread('a');
    endpoint.answer = published('b');
    clock.advance(1 * MINUTE);
    assert.equal(await foundByThread('a'), 'keys', 'renewed in the background');
    await settled();
    assert.equal(fetches(), 2);
    clock.advance(10 * SECOND);
    await foundByThread('a');
    await settled();
    assert.equal(await foundByThread('a'), 'no-such-key');
  });

  test('are refused, and nothing is thrown, when that thread ends', async () => {
    const { foundByThread, state } = beside();
    state.isGone = true;
    assert.equal(await foundByThread('a'), 'no-key-set');
    state.isGone = false;
    assert.equal(await foundByThread('a'), 'keys');
  });
});
