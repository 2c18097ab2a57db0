import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMemorySize, parseMemorySize } from './memory-sizes.ts';
import { Refusal } from './refusal.ts';

test('sizes are read and written with their unit', () => {
  const table: readonly [string, number, string][] = [
    ['46MiB', 47_104, '46MiB'],
    ['19456KiB', 19_456, '19MiB'],
    ['19457KiB', 19_457, '19457KiB'],
    ['1GiB', 1_048_576, '1GiB'],
    ['1024MiB', 1_048_576, '1GiB'],
    ['0MiB', 0, '0KiB'],
  ];
  for (const [text, kib, written] of table) {
    assert.equal(parseMemorySize(text), kib, text);
    assert.equal(formatMemorySize(kib), written, text);
  }
});

test('a text that is not a size is refused', () => {
  const texts = [
    '',
    '46',
    '46MB',
    '46 MiB',
    '46mib',
    '-1MiB',
    '1.5GiB',
    '1e3MiB',
    'MiB',
    `${'1'.repeat(10)}MiB`,
    '46MiB\n',
    '٤٦MiB',
    '46__proto__',
  ];
  for (const text of texts) assert.throws(() => parseMemorySize(text), Refusal, text);
});
