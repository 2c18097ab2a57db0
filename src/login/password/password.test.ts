import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usernameKey } from './password.ts';

test('every spelling of a user name has one key', () => {
  for (const spelling of ['alice', 'Alice', 'ALICE', 'ａｌｉｃｅ'])
    assert.equal(usernameKey(spelling), 'alice');
  assert.equal(usernameKey('Ju\u0308rgen'), usernameKey('jürgen'));
});

test('what cannot be a user name has no key', () => {
  const refused = [
    '',
    ' alice',
    'alice ',
    'al\u200Dice',
    'al\u202Eice',
    // Nothing of these is seen either: they are letters and marks, not control or format characters.
    'alice\u034f',
    'alice\ufe0f',
    'al\u115fice',
    'al\u3164ice',
    'alice\u17b4',
    'al\nice',
    'al\0ice',
    'a'.repeat(101),
    '\ud800',
    'a\u2028b',
  ];
  for (const text of refused) assert.equal(usernameKey(text), undefined, JSON.stringify(text));
});

test('names with other content are kept, since a look-up is not a pattern', () => {
  for (const name of ["' or 1=1--", '$' + '{jndi:x}', '%n', 'a b', 'jo@example.org'])
    assert.equal(usernameKey(name), name);
});
