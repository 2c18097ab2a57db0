import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from '../platform/time-units.ts';
import { usedProofs } from './used-proofs.ts';

const proof = (id: string, owner = 'ana', until = MINUTE) => ({ id, owner, until });

test('a proof is new once, until it has expired, with any time in its successor', () => {
  const use = usedProofs();
  assert.equal(use(proof('a'), 0), 'new');
  assert.equal(use(proof('a'), 0), 'used');
  assert.equal(use(proof('a', 'ana', 3 * MINUTE), 59 * SECOND), 'used');
  assert.equal(use(proof('a', 'ana', 3 * MINUTE), 2 * MINUTE), 'new');
});

test('used proofs are remembered within bounds, and one owner takes no more than half of the room', () => {
  const use = usedProofs(320);
  for (let count = 0; count < 160; count += 1) assert.equal(use(proof(`a${count}`), 0), 'new');
  assert.equal(use(proof('one more'), 0), 'full');
  // Sixteen others have their shares of 20, as far as there is room.
  for (let owner = 0; owner < 8; owner += 1) {
    for (let count = 0; count < 20; count += 1)
      assert.equal(use(proof(`${owner}.${count}`, `owner ${owner}`), 0), 'new');
    if (owner < 7) assert.equal(use(proof(`${owner}.21`, `owner ${owner}`), 0), 'full');
  }
  assert.equal(use(proof('last', 'new'), 0), 'full');
  assert.equal(use(proof('later', 'ana', 4 * MINUTE), 2 * MINUTE), 'new');
});
