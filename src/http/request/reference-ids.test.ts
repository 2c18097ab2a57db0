import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../platform/random.ts';
import { referenceIds } from './request-context.ts';

test('reference ids are ten readable characters and do not repeat', () => {
  const next = referenceIds(systemRandom);
  const ids = new Set(Array.from({ length: 5000 }, next));
  assert.equal(ids.size, 5000);
  for (const id of ids) assert.match(id, /^[0-9A-HJKMNP-TV-Z]{10}$/);
});
