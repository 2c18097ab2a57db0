import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterTokens } from '../../../admin/filter-tokens.ts';
import { filterText } from './lookup.ts';

test('any name survives the filter language as one text', () => {
  for (const name of [
    'ada',
    'a "b" c',
    'back\\slash',
    '" or name != "',
    'tab\tline\nreturn\r',
    '\\"',
    'é',
    '',
  ]) {
    const [token, end] = filterTokens(filterText(name));
    assert.deepEqual(token?.kind === 'string' ? token.value : token, name);
    assert.equal(end?.kind, 'end');
  }
});
