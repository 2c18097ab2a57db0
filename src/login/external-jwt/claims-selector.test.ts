import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Claims, isClaimsSelector, selectClaim } from './claims-selector.ts';

const strict = { requireVerifiedEmail: true };
const lenient = { requireVerifiedEmail: false };
const claims: Claims = {
  sub: 'alice',
  'https://example.com/id': 'namespaced',
  'a/b': 'slash',
  'm~n': 'tilde',
  '~1': 'escaped',
  a: { b: 'nested', list: ['zero', { deep: 'one' }] },
  '': 'empty name',
};

describe('a claims selector', () => {
  test('is a name, or a JSON pointer when it begins with a slash', () => {
    const table: readonly (readonly [string, unknown])[] = [
      ['sub', 'alice'],
      ['/sub', 'alice'],
      ['https://example.com/id', 'namespaced'],
      ['/https:~1~1example.com~1id', 'namespaced'],
      ['a/b', 'slash'],
      ['/a/b', 'nested'],
      ['/a~1b', 'slash'],
      ['/m~0n', 'tilde'],
      ['/~01', 'escaped'],
      ['/a/list/0', 'zero'],
      ['/a/list/1/deep', 'one'],
    ];
    for (const [selector, value] of table) {
      assert.equal(isClaimsSelector(selector), true, selector);
      const found = { value, isVouchedFor: true, emailVerified: undefined };
      assert.deepEqual(selectClaim(claims, selector, strict), found, selector);
    }
  });

  test('finds nothing where there is nothing', () => {
    const absent = [
      'SUB',
      'sub ',
      '/a/c',
      '/sub/0',
      '/sub/length',
      '/a/list/2',
      '/a/list/01',
      '/a/list/-',
      '/a/list/-1',
    ];
    const inherited = [
      'constructor',
      '__proto__',
      'toString',
      '/a/list/length',
      '/a/constructor/name',
      '/a/list/1e0',
    ];
    for (const selector of [...absent, ...inherited])
      assert.equal(selectClaim(claims, selector, strict).value, undefined, selector);
  });

  test('is refused when it is empty, too long or wrongly escaped', () => {
    for (const text of ['', '/', '/a~', '/a~2', '/~', 'x'.repeat(257)]) {
      assert.equal(isClaimsSelector(text), false, text);
      assert.equal(selectClaim(claims, text, strict).value, undefined, text);
    }
  });

  test('accepts an email address only with email_verified: true, which may be a text', () => {
    const email = 'root@example.com';
    for (const selector of ['email', '/email']) {
      for (const verified of [true, 'true'])
        assert.equal(selectClaim({ email, email_verified: verified }, selector, strict).isVouchedFor, true);
      for (const verified of [false, 'false', 'True', 1, null, undefined, [true]])
        assert.equal(selectClaim({ email, email_verified: verified }, selector, strict).isVouchedFor, false);
      assert.equal(selectClaim({ email }, selector, strict).isVouchedFor, false);
    }
    assert.equal(
      selectClaim({ email_verified: true, user: { email } }, '/user/email', strict).isVouchedFor,
      false,
    );
    assert.equal(
      selectClaim({ user: { email, email_verified: true } }, '/user/email', strict).isVouchedFor,
      true,
    );
    assert.equal(selectClaim({ email: [email] }, '/email/0', strict).isVouchedFor, false);
  });

  test('accepts an email address without email_verified if the signer does not require it', () => {
    assert.equal(selectClaim({ email: 'a@b' }, 'email', lenient).isVouchedFor, true);
    for (const verified of [false, 'false', 1, null])
      assert.equal(
        selectClaim({ email: 'a@b', email_verified: verified }, 'email', lenient).isVouchedFor,
        false,
      );
  });
});
