import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR, MINUTE, SECOND } from '../clock.ts';
import { DurationError, formatDuration, inDays, parseDuration } from './durations.ts';

describe('durations', () => {
  test('a duration is the sum of its numbers with units', () => {
    const table: readonly [string, number][] = [
      ['0', 0],
      ['0s', 0],
      ['0h0m', 0],
      ['30m', 30 * MINUTE],
      ['24h', 24 * HOUR],
      ['1h30m', HOUR + 30 * MINUTE],
      ['500ms', 500],
      ['1.5h', HOUR + 30 * MINUTE],
      ['.5h', 30 * MINUTE],
      ['5.h', 5 * HOUR],
      ['1h.5m', HOUR + 30 * SECOND],
      ['+1m', MINUTE],
      ['+0', 0],
      ['0.1s', 100],
      ['0.001s', 1],
      ['1m1.001s', MINUTE + SECOND + 1],
      ['1000us', 1],
      ['1000\u00b5s', 1],
      ['1000\u03bcs', 1],
      ['1000000ns', 1],
      ['90s90s', 3 * MINUTE],
      ['720h', 720 * HOUR],
      ['7d', 168 * HOUR],
      ['1d12h', 36 * HOUR],
      ['000001m', MINUTE],
      ['1.000000000s', SECOND],
      ['2562047h47m16.854s', 2562047 * HOUR + 47 * MINUTE + 16854],
    ];
    for (const [text, millis] of table) assert.equal(parseDuration(text), millis, text);
  });

  test('a text that is not a duration is refused with a sentence', () => {
    const hostile = [
      '',
      ' ',
      '30',
      '1.5',
      '-1m',
      '+',
      '++1m',
      '+-1m',
      '1h+1m',
      '+30',
      '30 m',
      ' 30m',
      '30m ',
      '30m\n',
      'm',
      '.h',
      '.',
      '.5',
      '1..5h',
      '1,5h',
      '1h-30m',
      '1D',
      '1w',
      '1H',
      '1M',
      '1 hour',
      '1hour',
      '1e3s',
      '0x10s',
      '١m',
      'Infinity',
      'NaN',
      'null',
      '1__proto__',
      '1constructor',
      '1h30',
      '1ns',
      '1.0001ms',
      '0.0001s',
      '0.0000000000001h',
      '2562048h',
      '106752d',
      '99999999999999999999h',
      `${'9'.repeat(10_000)}h`,
      '1s'.repeat(10_000),
      `0.${'0'.repeat(10_000)}1s`,
    ];
    for (const text of hostile) {
      assert.throws(
        () => parseDuration(text),
        (error: unknown) => {
          assert.ok(error instanceof DurationError, text);
          assert.ok(error.message.includes('is not a duration: '), error.message);
          assert.ok(error.message.length < 250, 'hostile text is not repeated at length');
          return true;
        },
        JSON.stringify(text.slice(0, 40)),
      );
    }
  });

  test('a written duration reads back as the same number', () => {
    // A fixed linear congruential sequence, so that failures can be repeated.
    let seed = 12345;
    for (let round = 0; round < 2000; round += 1) {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      const millis = seed % 10 ** ((round % 9) + 1);
      assert.equal(parseDuration(formatDuration(millis)), millis, formatDuration(millis));
    }
  });

  test('durations are written as people write them', () => {
    const table: readonly [number, string][] = [
      [0, '0s'],
      [1, '1ms'],
      [500, '500ms'],
      [SECOND, '1s'],
      [1500, '1.5s'],
      [1001, '1.001s'],
      [MINUTE, '1m'],
      [30 * MINUTE, '30m'],
      [HOUR + 30 * MINUTE, '1h30m'],
      [24 * HOUR, '24h'],
      [HOUR + 5, '1h0.005s'],
    ];
    for (const [millis, text] of table) assert.equal(formatDuration(millis), text);
    for (const wrong of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => formatDuration(wrong), RangeError);
    }
  });
});

test('whole days are shown as days, and any other text as it is', () => {
  for (const [text, shown] of [
    ['2160h', '90d'],
    ['48h', '2d'],
    ['24h', '24h'],
    ['25h', '25h'],
    ['48h1m', '48h1m'],
    ['0s', '0s'],
    ['', ''],
    ['h', 'h'],
  ] as const) {
    assert.equal(inDays(text), shown);
    if (/\d/.test(text)) assert.equal(parseDuration(inDays(text)), parseDuration(text));
  }
});
