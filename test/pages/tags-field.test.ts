// The field of the console that shows tags, one a line. Untouched tags stay unchanged.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairsIn, pairsText } from '../../web/console/forms/pairs.ts';

const tags = {
  team: 'blue',
  level: 3,
  on: true,
  none: null,
  note: 'two\nlines',
  say: '"quoted"',
  path: 'a\\n=b',
  'a=b': 'c',
};

test('a tag keeps its type and its line breaks when another one is changed', () => {
  const text = pairsText(tags);
  assert.equal(text.split('\n').length, Object.keys(tags).length);
  assert.deepEqual(pairsIn(text, tags), tags);
  assert.deepEqual(pairsIn(`${text.replace('team=blue', 'team=red')}\nmore=1\n`, tags), {
    ...tags,
    team: 'red',
    more: '1',
  });
});

test('a typed value is text; a line break is typed as in JSON', () => {
  assert.deepEqual(pairsIn('level=4\non = false\nnote="three\\nlines"', tags), {
    level: '4',
    on: 'false',
    note: 'three\nlines',
  });
  for (const note of ['"', '"no end', '"one line"', '{"a":1}', '"a\\q"', '"a"b"']) {
    assert.deepEqual(pairsIn(`note=${note}`, tags), { note });
  }
});

test('lines without a name are no tags yet, and no name is special', () => {
  assert.deepEqual(pairsIn('=x\n\nname\n', tags), {});
  assert.deepEqual(Object.entries(pairsIn('__proto__=x\nconstructor=y', {})), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
});
