import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import { memoryLogger } from '../../../test/support/memory-logger.ts';
import { SECOND } from '../clock.ts';
import { sampledLines } from './sampled-lines.ts';

test('a limited number of lines per second is written, of a kind and of all, and the next one counts the rest', () => {
  const clock = fixedClock('2026-01-01T00:00:00Z');
  const log = memoryLogger();
  const lines = sampledLines(
    { clock, write: ({ message, fields }) => log.info(message, fields) },
    { period: SECOND, ofKind: 3, inAll: 5 },
  );
  const repeat = (kind: string, times: number) => {
    const before = log.entries.length;
    for (let at = 0; at < times; at += 1)
      lines.write({ level: 'info', kind, message: 'refused', fields: { kind, at } });
    return log.entries.slice(before).map(({ fields }) => ({ ...fields }));
  };
  assert.deepEqual(repeat('a', 1000), [
    { kind: 'a', at: 0 },
    { kind: 'a', at: 1 },
    { kind: 'a', at: 2 },
  ]);
  assert.equal(repeat('b', 10).length, 2, 'the fifth of all was the second of its kind');
  assert.equal(repeat('c', 10).length, 0);
  clock.advance(SECOND - 1);
  assert.equal(repeat('a', 1).length, 0);
  clock.advance(1);
  assert.deepEqual(repeat('a', 2), [
    { kind: 'a', at: 0, unlogged: 998 },
    { kind: 'a', at: 1 },
  ]);
  assert.deepEqual(repeat('c', 1), [{ kind: 'c', at: 0, unlogged: 10 }]);
  assert.deepEqual(repeat('b', 1), [{ kind: 'b', at: 0, unlogged: 8 }]);
  // Kinds that are quiet for long owe what they left out.
  clock.advance(3600 * SECOND);
  assert.deepEqual(repeat('b', 1), [{ kind: 'b', at: 0 }]);
});

test('lines that were sampled before count what was left out there too', () => {
  const clock = fixedClock('2026-01-01T00:00:00Z');
  const log = memoryLogger();
  const whole = sampledLines(
    { clock, write: ({ message, fields }) => log.info(message, fields) },
    { period: SECOND, ofKind: 3, inAll: 5 },
  );
  // Two threads, each with the limits of the whole.
  const threads = [1, 2].map(() =>
    sampledLines({ clock, write: whole.write }, { period: SECOND, ofKind: 3, inAll: 5 }),
  );
  const repeat = (times: number) => {
    for (let at = 0; at < times; at += 1)
      for (const lines of threads) lines.write({ level: 'info', kind: 'a', message: 'refused', fields: {} });
  };
  repeat(100);
  assert.equal(log.entries.length, 3);
  clock.advance(SECOND);
  repeat(1);
  clock.advance(SECOND);
  repeat(1);
  const unlogged = log.entries.map(({ fields }) => Number(fields.unlogged ?? 0));
  assert.equal(
    unlogged.reduce((sum, one) => sum + one + 1, 0),
    204,
    String(unlogged),
  );
});
