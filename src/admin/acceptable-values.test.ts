import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AuthError } from '../errors/auth-error.ts';
import { AlreadyTaken, StoreUnavailable } from '../store/contracts/store.ts';
import {
  acceptableExternalId,
  acceptableName,
  acceptablePage,
  acceptableRoleAttributes,
  acceptableTags,
  takenRefused,
  trimmedName,
} from './acceptable-values.ts';

const refuses = (field: string) => (error: unknown) =>
  error instanceof AuthError && error.code === 'could_not_validate' && error.fields[0]?.field === field;

describe('a name', () => {
  test('is stored in one form: normal form C, one kind of space', () => {
    assert.equal(acceptableName('name', 'a\u0308\u00a0b'), 'ä b');
    assert.equal(acceptableName('name', '😀'.repeat(255)), '😀'.repeat(255));
    assert.equal(acceptableName('name', "Ölçü-'1' <b>"), "Ölçü-'1' <b>");
  });

  test('is refused when empty, too long or not what people see', () => {
    const hostile = [
      '',
      ' ',
      '\u00a0',
      '😀'.repeat(256),
      'a\0',
      'a\u001bb',
      'a\u2028b',
      'a\u202eb',
      '\ud800',
    ];
    for (const name of hostile) {
      assert.throws(() => acceptableName('name', name), refuses('name'), JSON.stringify(name));
    }
  });

  test('with a space at its ends is refused in one sentence', () => {
    for (const name of [' a', 'a ', '\u00a0a', 'a\u3000', `${'x'.repeat(254)} `]) {
      assert.throws(
        () => acceptableName('name', name),
        (error) =>
          refuses('name')(error) &&
          /: The field name must not begin or end with a space$/.test(String((error as Error).message)),
        JSON.stringify(name),
      );
    }
  });

  test('from a claim, a certificate or another database loses the spaces around it, and nothing else is let through', () => {
    assert.equal(trimmedName('name', ' a\u0308 b\u00a0'), 'ä b');
    for (const name of ['', ' ', 'x'.repeat(256), ' a\u202eb ']) {
      assert.throws(() => trimmedName('name', name), refuses('name'), JSON.stringify(name));
    }
  });

  test('is shown in the refusal, shortened and well-formed', () => {
    try {
      acceptableName('name', `${'x'.repeat(300)}\ud800`);
      assert.fail('accepted');
    } catch (error) {
      assert(error instanceof AuthError);
      assert.equal(error.fields[0]?.value, 'x'.repeat(100));
    }
  });
});

test('an external id is stored as it is, because claims are not trimmed either', () => {
  assert.equal(acceptableExternalId(' a '), ' a ');
  for (const none of ['', ' ', null]) assert.equal(acceptableExternalId(none), null);
  assert.throws(() => acceptableExternalId('a\0'), refuses('externalId'));
});

test('role attributes are a set', () => {
  assert.deepEqual(acceptableRoleAttributes(['a', ' a', 'b'], 'assignTo'), ['a', 'b']);
  assert.throws(() => acceptableRoleAttributes(['a', ''], 'assignTo'), refuses('assignTo'));
});

test('tags have names and plain values', () => {
  const tags = { a: 'two\nlines', b: 1, c: true, d: null };
  assert.deepEqual(acceptableTags(tags), tags);
  for (const refused of [
    { '': 1 },
    { ['__proto__']: 1 },
    { 'a\0': 1 },
    { a: 'x\0' },
    { a: '\udc00' },
    { a: 'x'.repeat(1025) },
  ]) {
    assert.throws(() => acceptableTags(refused), refuses('tags'), JSON.stringify(refused));
  }
});

test('an address that browsers open is one of the web, with a scheme in any case and without a password', () => {
  for (const url of [null, 'https://id.example/', 'HTTPS://id.example/', 'http://id.example'])
    assert.equal(acceptablePage('externalAuthUrl', url), url);
  for (const url of [
    'ftp://id.example',
    'https://a b',
    'https://id.\texample',
    'https://:secret@id.example/',
  ])
    assert.throws(() => acceptablePage('externalAuthUrl', url), refuses('externalAuthUrl'), url);
  assert.equal(acceptablePage('initiateLoginUri', 'HTTPS://app.example'), 'HTTPS://app.example');
  assert.throws(() => acceptablePage('initiateLoginUri', 'http://app.example'), refuses('initiateLoginUri'));
});

test('a value that is taken is refused with the name of its field; other failures are not changed', async () => {
  const taken = Promise.reject(new AlreadyTaken('username'));
  await assert.rejects(takenRefused({ username: 'x' }, taken), refuses('username'));
  const down = new StoreUnavailable('disk full');
  await assert.rejects(takenRefused({}, Promise.reject(down)), (error) => error === down);
});
