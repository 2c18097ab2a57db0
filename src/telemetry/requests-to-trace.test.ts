import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, SECOND } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { readTraceParent, requestsToTrace, type TraceParent } from './spans.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

test('a trace context is read exactly, and what is not one counts as absent', () => {
  assert.deepEqual(readTraceParent(`00-${traceId}-${spanId}-01`), { traceId, spanId, isSampled: true });
  assert.equal(readTraceParent(`00-${traceId}-${spanId}-00`)?.isSampled, false);
  // Other flags and later versions have the same in these places.
  assert.equal(readTraceParent(`00-${traceId}-${spanId}-03`)?.isSampled, true);
  assert.equal(readTraceParent(`cc-${traceId}-${spanId}-01-what-comes-later`)?.traceId, traceId);
  const hostile = [
    undefined,
    '',
    '00',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}x-${spanId}-01`,
    `cc-${traceId}-${spanId}-01-${'x'.repeat(100_000)}`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-0g`,
  ];
  for (const header of hostile) assert.equal(readTraceParent(header), null, String(header).slice(0, 100));
});

const asking: TraceParent = { traceId, spanId, isSampled: true };
const notAsking: TraceParent = { ...asking, isSampled: false };

function choosing(settings: { sampling: number; callersPerSecond: number }, dice = 0.5) {
  const time = { now: 0 };
  const clock = { now: () => time.now, monotonic: () => time.now } as Clock;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Math.floor(dice * 2 ** 32));
  const random = { bytes: () => bytes } as unknown as Random;
  return { time, isTraced: requestsToTrace({ clock, random }, settings) };
}

test('a caller who always asks is followed a limited number of times a second, even after a silence', () => {
  const { time, isTraced } = choosing({ sampling: 0, callersPerSecond: 5 });
  const traced = () => Array.from({ length: 1000 }, () => isTraced(asking)).filter(Boolean).length;
  assert.equal(traced(), 5);
  time.now += SECOND / 2;
  assert.equal(traced(), 2);
  time.now += 3600 * SECOND;
  assert.equal(traced(), 5);
});

test('a share of a request a second is followed every few seconds', () => {
  const { time, isTraced } = choosing({ sampling: 0, callersPerSecond: 0.25 });
  assert.equal(isTraced(asking), true);
  time.now += 3 * SECOND;
  assert.equal(isTraced(asking), false);
  time.now += SECOND;
  assert.equal(isTraced(asking), true);
});

test("callers' decisions are ignored where they have no say, and requests of our own choice are traced anyway", () => {
  const never = choosing({ sampling: 0, callersPerSecond: 0 });
  assert.deepEqual([asking, notAsking, null].map(never.isTraced), [false, false, false]);
  const chosen = choosing({ sampling: 0.6, callersPerSecond: 0 });
  assert.deepEqual([asking, null].map(chosen.isTraced), [true, true]);
  const notChosen = choosing({ sampling: 0.4, callersPerSecond: 0 });
  assert.deepEqual([asking, null].map(notChosen.isTraced), [false, false]);
  const all = choosing({ sampling: 1, callersPerSecond: 0 }, 0.9999999);
  assert.deepEqual([asking, null].map(all.isTraced), [true, true]);
});

test('a request that its caller does not trace is not traced here either', () => {
  const { isTraced } = choosing({ sampling: 1, callersPerSecond: 100 });
  assert.equal(isTraced(notAsking), false);
});
