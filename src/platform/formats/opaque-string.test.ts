import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opaqueString } from '../secrets/password-hash.ts';
import { MalformedInput } from './malformed-input.ts';

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

test('what cannot be seen, typed or stored is refused', () => {
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
