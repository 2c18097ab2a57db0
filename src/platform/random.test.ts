import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixedClock } from '../../test/support/fixed-clock.ts';
import { SECOND } from './clock.ts';
import { createRandom, systemRandom } from './random.ts';

describe('ids', () => {
  test('are version 7 UUIDs that begin with the time', () => {
    const random = createRandom(fixedClock('2026-01-01T00:00:00Z'));
    const id = random.id();
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), Date.UTC(2026, 0, 1));
  });

  test('sort in the order of their making, within a millisecond and when the clock steps back', () => {
    const clock = fixedClock('2026-01-01T00:00:00Z');
    const random = createRandom(clock);
    const ids: string[] = [];
    for (let i = 0; i < 10_000; i += 1) {
      if (i === 6_000) clock.set('2025-12-31T23:00:00Z');
      if (i === 8_000) clock.set(Date.UTC(2026, 0, 1) + SECOND);
      ids.push(random.id());
    }
    assert.deepEqual(ids, [...ids].sort());
    assert.equal(new Set(ids).size, ids.length);
  });

  test('of two sources with the same clock differ', () => {
    const clock = fixedClock('2026-01-01T00:00:00Z');
    assert.notEqual(createRandom(clock).id(), createRandom(clock).id());
  });
});

test('random bytes have the length asked for and differ', () => {
  assert.equal(systemRandom.bytes(32).length, 32);
  assert.notDeepEqual(systemRandom.bytes(32), systemRandom.bytes(32));
});
