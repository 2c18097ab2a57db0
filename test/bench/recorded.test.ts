import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePerfStat } from '../../bench/instructions.ts';
import { dearerThanRecorded, readRecorded } from '../../bench/recorded.ts';
import type { Verdict } from '../../bench/report.ts';

const verdict = (ratio?: number): Verdict => ({
  what: 'refresh',
  budget: '',
  measured: '',
  isKept: true,
  ...(ratio === undefined ? {} : { ratio }),
});

test('a ratio more than 15 per cent beyond the recorded one fails', () => {
  const found = (ratio?: number) => dearerThanRecorded([verdict(ratio)], { refresh: 2 }).length;
  for (const ratio of [0.1, 1.9, 2, 2.29, undefined]) assert.equal(found(ratio), 0, String(ratio));
  for (const ratio of [2.31, 5, Number.NaN, Number.POSITIVE_INFINITY])
    assert.equal(found(ratio), 1, String(ratio));
});

test('a ratio without a recorded one fails', () => {
  assert.match(dearerThanRecorded([verdict(1)], {})[0] ?? '', /nothing is recorded/);
});

test('the recorded ratios are numbers', () => {
  const ratios = Object.entries(readRecorded());
  assert.ok(ratios.length > 5);
  for (const [what, ratio] of ratios) assert.ok(ratio > 0 && ratio < 100, what);
});

test('the count of perf is read, and so is that it counts none', () => {
  assert.equal(parsePerfStat('123456789,,instructions:u,1000000,100.00,,\n'), 123_456_789);
  assert.equal(parsePerfStat('# started on\n\n42,,instructions:u,1,100.00,,\n'), 42);
  for (const text of [
    '',
    '<not supported>,,instructions:u,0,100.00,,\n',
    '<not counted>,,instructions:u,0,0.00,,',
  ]) {
    assert.equal(parsePerfStat(text), undefined, text);
  }
});
