import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameKeys } from './names.ts';

const passFor = (one: string, other: string) => {
  const keys = new Set(nameKeys(one));
  return nameKeys(other).some((key) => keys.has(key));
};

test('every spelling of a name passes for it', () => {
  for (const spelling of ['root', 'ROOT', 'ｒｏｏｔ', 'rooT ', 'r\u200doot', '𝐫𝐨𝐨𝐭']) {
    assert.ok(passFor(spelling, 'root'), JSON.stringify(spelling));
  }
  assert.ok(passFor('Ju\u0308rgen  Maier', 'jürgen maier'));
  assert.ok(passFor('ΟΔΟΣ', 'οδοσ'));
  assert.ok(passFor('İnci', 'inci'));
});

test('letters of other scripts pass for those that they look like, in either case', () => {
  const lookalikes = [
    ['rооt', 'root'], // Cyrillic о
    ['ΡΑΥΡΑL', 'paypal'], // Greek capitals
    ['ᎪᎠᎷІΝ', 'admin'], // Cherokee, Ukrainian І, Greek Ν
    ['аⅼісе', 'alice'], // Cyrillic, and a Roman numeral
    ['аӏiсе', 'alice'], // palochka as l
    ['bоb', 'BОB'], // the Latin one is not here at all
    ['rο೦t', 'rооt'], // Greek and Kannada, Cyrillic
  ] as const;
  for (const [one, other] of lookalikes) assert.ok(passFor(one, other), `${one} ${other}`);
});

test('names that differ to the eye do not pass for one another', () => {
  const others = [
    ['anna', 'ana'],
    ['jürgen', 'jurgen'],
    ['pc1', 'pcl'],
    ['pc-1', 'pc1'],
    ['Вова', 'Boba'],
    ['Ñandú', 'Nandu'],
    ['ab c', 'abc'],
  ] as const;
  for (const [one, other] of others) assert.ok(!passFor(one, other), `${one} ${other}`);
});

test('a name in ASCII has one key, any name at most three', () => {
  assert.deepEqual(nameKeys('Root  User'), ['root user']);
  for (const name of ['Вова', 'ΙΙΙ', 'ІӀl', 'ሀ', '\u0130', '\ud835\udc1f'])
    assert.ok(nameKeys(name).length <= 3, name);
});
