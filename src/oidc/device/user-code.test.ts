import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../platform/random.ts';
import { newUserCode, readUserCode, shownUserCode, userCodeHash } from './user-code.ts';

test('a user code has eight letters, none of which looks like another character', () => {
  const codes = Array.from({ length: 500 }, () => newUserCode(systemRandom));
  for (const code of codes) assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
  assert.equal(new Set(codes).size, codes.length);
});

test('every letter is as likely as every other', () => {
  // Bytes from 240 on are left out: with them, the first sixteen letters would come more often.
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => 255 - byte));
  let at = 0;
  const random = {
    id: () => '',
    bytes(n: number) {
      const given = bytes.subarray(at, at + n);
      at += n;
      return given;
    },
  };
  const all = Array.from({ length: 30 }, () => newUserCode(random)).join('');
  const counts = new Map<string, number>();
  for (const letter of all) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  assert.deepEqual([...new Set(counts.values())], [12]);
});

test('a typed code is read in any case and with any separators', () => {
  for (const typed of ['BCDF-GHJK', 'bcdfghjk', ' bcdf ghjk ', 'BCDF\u2013GHJK', 'b.c.d.f.g.h.j.k']) {
    assert.equal(readUserCode(typed), 'BCDFGHJK', typed);
  }
  assert.equal(shownUserCode('BCDFGHJK'), 'BCDF-GHJK');
});

test('a text that cannot be a code is refused', () => {
  for (const typed of [
    '',
    'BCDFGHJ',
    'BCDFGHJKL',
    'ABCDEFGH',
    'BCDF1HJK',
    'BCDF/GHJK',
    'ＢCDFGHJK',
    '\0BCDFGHJK',
  ]) {
    assert.equal(readUserCode(typed), null, typed);
  }
});

test('the hash depends on a secret of the service', () => {
  const one = userCodeHash(Buffer.alloc(32, 1), 'BCDFGHJK');
  assert.notEqual(one, userCodeHash(Buffer.alloc(32, 2), 'BCDFGHJK'));
  assert.match(one, /^[\w-]{43}$/);
});
