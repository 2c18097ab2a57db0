import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthError } from '../../errors/auth-error.ts';
import { type ExchangePlaces, exchangePlaces } from './exchange-limit.ts';

function isBusy(error: unknown): boolean {
  return error instanceof AuthError && error.code === 'busy' && error.retryAfterSeconds === 3;
}

/** Takes places until there is none. @returns gives each back */
function takeAll(places: ExchangePlaces, issuer: string, sourceOf: (at: number) => string) {
  const taken: (() => void)[] = [];
  for (let at = 0; at < 1000; at += 1) {
    try {
      taken.push(places.take(issuer, sourceOf(at)));
    } catch (error) {
      assert.ok(isBusy(error), String(error));
      return taken;
    }
  }
  throw new Error('there is no end to the places');
}

test('sixteen codes are redeemed at one provider at once, half of them for one source', () => {
  const places = exchangePlaces();
  const held = takeAll(places, 'slow', () => '192.0.2.1');
  assert.equal(held.length, 8);
  assert.equal(takeAll(places, 'slow', (at) => `198.51.100.${at}`).length, 8);
  assert.throws(() => places.take('slow', '203.0.113.9'), isBusy);
  // Others are not delayed.
  places.take('quick', '192.0.2.1');
  held[0]?.();
  held[0]?.();
  places.take('slow', '203.0.113.9');
  assert.throws(() => places.take('slow', '203.0.113.8'), isBusy);
});

test('sixty-four are under way in all', () => {
  const places = exchangePlaces();
  const taken = Array.from({ length: 64 }, (_, at) => places.take(`p${at % 8}`, `192.0.2.${at}`));
  assert.throws(() => places.take('another', '198.51.100.1'), isBusy);
  taken[0]?.();
  places.take('another', '198.51.100.1');
});

test('however many threads there are, none gives all its places to one source', () => {
  for (const threads of [1, 2, 4, 8, 16, 64]) {
    const places = exchangePlaces(threads);
    const mine = takeAll(places, 'p', () => '192.0.2.1').length;
    assert.ok(mine >= 1, `${threads}`);
    places.take('p', '198.51.100.1');
  }
});
