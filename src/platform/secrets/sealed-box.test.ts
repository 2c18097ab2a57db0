import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  deriveKey,
  deriveSecret,
  open,
  openText,
  SealBroken,
  type SealFailure,
  seal,
  sealedWith,
  sealingKey,
  sealText,
} from './sealed-box.ts';

const master = Buffer.alloc(32, 7);
const key = deriveKey(master, 'test v1');

function breaksWith(reason: SealFailure, act: () => unknown): void {
  assert.throws(act, (error) => error instanceof SealBroken && error.reason === reason);
}

describe('a sealed box', () => {
  test('gives back what was sealed, also when empty', () => {
    for (const text of ['', 'a', 'ключ 🔑', 'x'.repeat(10_000)]) {
      assert.equal(open([key], seal(key, text, 'record 1'), 'record 1').toString(), text);
      assert.equal(openText([key], sealText(key, text, 'record 1'), 'record 1'), text);
    }
  });

  test('does not show its content and differs each time', () => {
    const [a, b] = [seal(key, 'same secret', ''), seal(key, 'same secret', '')];
    assert.notDeepEqual(a, b);
    assert.ok(!a.includes('same secret'));
  });

  test('opens only beside the record it was sealed for', () => {
    const box = seal(key, 'seed', 'identity 1');
    for (const other of ['identity 2', '', 'identity 1 '])
      breaksWith('not authentic', () => open([key], box, other));
  });

  test('does not open when any one byte was changed', () => {
    const box = seal(key, 'seed', 'identity 1');
    for (let index = 0; index < box.length; index += 1) {
      const changed = Buffer.from(box);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.throws(() => open([key], changed, 'identity 1'), SealBroken, `byte ${index}`);
    }
  });

  test('cut, extended or foreign input is malformed or not authentic', () => {
    const box = seal(key, 'seed', '');
    for (let length = 0; length < 49; length += 1)
      breaksWith('malformed', () => open([key], box.subarray(0, length), ''));
    for (let length = 49; length < box.length; length += 1)
      breaksWith('not authentic', () => open([key], box.subarray(0, length), ''));
    breaksWith('not authentic', () => open([key], Buffer.concat([box, Buffer.of(0)]), ''));
    for (const text of ['', '=', `${box.toString('base64url')}=`, box.toString('hex').slice(0, 20)])
      breaksWith('malformed', () => openText([key], text, ''));
  });

  test('names its key, so that older keys still open it during a rotation', () => {
    const older = deriveKey(Buffer.alloc(32, 8), 'test v1');
    const box = seal(older, 'seed', '');
    assert.equal(sealedWith(box), older.id);
    assert.equal(open([key, older], box, '').toString(), 'seed');
    assert.throws(
      () => open([key], box, ''),
      (error) => error instanceof SealBroken && error.reason === 'unknown key' && error.keyId === older.id,
    );
    breaksWith('unknown key', () => open([], box, ''));
  });

  test('opens from a view into a larger buffer', () => {
    const box = seal(key, 'seed', '');
    const larger = new Uint8Array(box.length + 10);
    larger.set(box, 5);
    assert.equal(open([key], larger.subarray(5, 5 + box.length), '').toString(), 'seed');
  });
});

describe('derived keys', () => {
  test('differ by label and by master key, and repeat for the same two', () => {
    assert.deepEqual(deriveKey(master, 'test v1'), key);
    const others = [deriveKey(master, 'test v2'), deriveKey(Buffer.alloc(32, 8), 'test v1')];
    for (const other of others) {
      assert.notEqual(other.id, key.id);
      assert.notDeepEqual(other.secret, key.secret);
    }
    assert.deepEqual(deriveSecret(master, 'test v1'), key.secret);
  });

  test('are refused from too little', () => {
    assert.throws(() => deriveKey(Buffer.alloc(31), 'x'), RangeError);
    assert.throws(() => sealingKey(Buffer.alloc(16)), RangeError);
  });
});
