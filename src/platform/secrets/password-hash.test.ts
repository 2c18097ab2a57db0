import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashSync } from '@node-rs/argon2';
import { assertCostsLess } from '../../../test/support/processor-time.ts';
import { MalformedInput } from '../formats/strict-input.ts';
import { defaultHashCost, type HashCost } from './hash-cost.ts';
import {
  hashCost,
  hashPasswordBlocking,
  needsRehash,
  opaqueString,
  preparePassword,
  unmatchableHash,
  verifyPasswordBlocking,
} from './password-hash.ts';

const cheap: HashCost = { memoryKiB: 64, passes: 1, lanes: 1 };

describe('a password', () => {
  test('of 1024 bytes is accepted, of 1025 refused, with any characters', () => {
    assert.equal(preparePassword('a'.repeat(1024)).length, 1024);
    assert.equal(preparePassword('🔑'.repeat(256)), '🔑'.repeat(256));
    for (const text of ['a'.repeat(1025), `${'🔑'.repeat(256)}a`, 'é'.repeat(513)])
      assert.throws(() => preparePassword(text), MalformedInput);
  });

  test('is measured in its one form, so that two spellings are accepted or refused together', () => {
    const composed = 'é'.repeat(512);
    assert.equal(preparePassword(composed.normalize('NFD')), preparePassword(composed));
  });

  test('of ten megabytes is refused without looking at it', () => {
    const text = '\u0301'.repeat(5_000_000);
    assertCostsLess(50, () => assert.throws(() => preparePassword(text), MalformedInput));
  });
});

describe('a password hash', () => {
  const password = preparePassword('correct horse battery staple');

  test('is argon2id with its cost and a salt of 16 bytes, and never the same twice', () => {
    const phc = hashPasswordBlocking(password, defaultHashCost);
    assert.match(phc, /^\$argon2id\$v=19\$m=47104,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.ok(verifyPasswordBlocking(phc, password));
    assert.notEqual(hashPasswordBlocking(password, cheap), hashPasswordBlocking(password, cheap));
  });

  test('does not match any other password, not even one equal in the first 72 or 128 bytes', () => {
    for (const length of [72, 128, 1023]) {
      const phc = hashPasswordBlocking(preparePassword('a'.repeat(length)), cheap);
      assert.ok(!verifyPasswordBlocking(phc, preparePassword('a'.repeat(length + 1))));
      assert.ok(!verifyPasswordBlocking(phc, preparePassword('a'.repeat(length - 1))));
    }
    assert.ok(
      !verifyPasswordBlocking(
        hashPasswordBlocking(password, cheap),
        preparePassword('Correct horse battery staple'),
      ),
    );
  });

  test('is renewed exactly when the cost has changed', () => {
    const phc = hashPasswordBlocking(password, cheap);
    assert.deepEqual(hashCost(phc), cheap);
    assert.ok(!needsRehash(phc, cheap));
    for (const other of [{ memoryKiB: 128 }, { passes: 2 }, { lanes: 2 }])
      assert.ok(needsRehash(phc, { ...cheap, ...other }));
  });

  test('for an unknown user is well-formed and costs the same', () => {
    assert.ok(!needsRehash(unmatchableHash(cheap), cheap));
    assert.ok(!verifyPasswordBlocking(unmatchableHash(cheap), password));
  });

  test('that is damaged, of another kind or absurdly costly is an error, not a wrong password', () => {
    const phc = hashPasswordBlocking(password, cheap);
    const argon2i = hashSync('x', { algorithm: 1, memoryCost: 64, timeCost: 1 });
    // 41 characters are no base64 of anything; 42 sometimes are.
    const hostile = ['', 'x', phc.slice(0, -2), phc.slice(0, 30), phc.replace('m=64', 'm=4194304'), argon2i];
    hostile.push(
      phc.replace('t=1', 't=4000000000'),
      phc.replace('v=19', 'v=16'),
      phc.replace('argon2id', 'argon2d'),
    );
    for (const bad of hostile)
      assert.throws(
        () => verifyPasswordBlocking(bad, password),
        (error) => error instanceof Error && error.message.startsWith('a stored password hash'),
        bad,
      );
  });
});

test('one password typed on different keyboards has one form', () => {
  assert.equal(opaqueString('Stra\u00dfe \u00e9'), opaqueString('Stra\u00dfe\u00a0e\u0301'));
  for (const space of ['\u00a0', '\u1680', '\u2000', '\u2009', '\u202f', '\u205f', '\u3000'])
    assert.equal(opaqueString(`a${space}b`), 'a b');
  assert.equal(opaqueString('\u212b'), '\u00c5');
});

test('case, width and outer spaces are part of a password', () => {
  for (const text of ['Secret', ' secret ', '  ', 'Ａ', 'ﬁ', 'ı', '"\\\u0027<>%00'])
    assert.equal(opaqueString(text), text);
});

test('emoji and all scripts are accepted', () => {
  for (const text of [
    '👨‍👩‍👧‍👦',
    '❤️',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '1️⃣',
    'пароль',
    '密码',
    'كلمة',
    'क्‍ष',
  ])
    assert.equal(opaqueString(text), text.normalize('NFC'));
});

test('invisible characters, and those that cannot be typed or stored, are refused', () => {
  const hostile = [
    '',
    '\0',
    'a\0',
    'a\n',
    '\t',
    'a\u001b[1m',
    '\u007f',
    '\u0085',
    '\u009b',
    '\ud800',
    'a\udfff',
    '\ud800a',
  ];
  hostile.push(
    '\ufffe',
    '\u{10ffff}',
    '\u0378',
    '\ue000',
    '\u200b',
    '\u202e',
    '\u2066',
    '\ufeff',
    '\u00ad',
    '\u3164',
  );
  for (const text of hostile) assert.throws(() => opaqueString(text), MalformedInput, JSON.stringify(text));
});
