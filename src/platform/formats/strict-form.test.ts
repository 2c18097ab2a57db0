import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertCostsLess } from '../../../test/support/processor-time.ts';
import { MalformedInput } from './malformed-input.ts';
import { parseStrictForm } from './strict-form.ts';

describe('a form', () => {
  test('returns its names and values, decoded exactly once', () => {
    const cases: [string, Record<string, string>][] = [
      ['', {}],
      ['a=1&b=2', { a: '1', b: '2' }],
      ['a=1&&b=2&', { a: '1', b: '2' }],
      ['a', { a: '' }],
      ['a=', { a: '' }],
      ['=1', { '': '1' }],
      ['a=b=c', { a: 'b=c' }],
      ['scope=openid+email', { scope: 'openid email' }],
      ['a=%2B%20%26%3D', { a: '+ &=' }],
      ['a=%2561', { a: '%61' }],
      ['%61=1', { a: '1' }],
      ['a=%C3%A9&b=é', { a: 'é', b: 'é' }],
      ['a=%F0%9F%94%91', { a: '🔑' }],
      ['a[]=1&a[x]=2', { 'a[]': '1', 'a[x]': '2' }],
      ['a;b=1', { 'a;b': '1' }],
      ['a=?&?b=1', { a: '?', '?b': '1' }],
    ];
    for (const [text, expected] of cases) assert.deepEqual({ ...parseStrictForm(text) }, expected, text);
  });

  test('lists repeated names, however they are spelled, with every value', () => {
    assert.deepEqual({ ...parseStrictForm('a=1&b=2&%61=3&a=&c=4') }, { a: ['1', '3', ''], b: '2', c: '4' });
    assert.deepEqual({ ...parseStrictForm('a=&a=') }, { a: ['', ''] });
    assert.deepEqual({ ...parseStrictForm('a=1&A=1') }, { a: '1', A: '1' });
  });

  test('may use the names that ordinary objects have', () => {
    const form = parseStrictForm('__proto__=1&constructor=2&toString=3&__proto__=4');
    assert.deepEqual(Object.entries(form), [
      ['__proto__', ['1', '4']],
      ['constructor', '2'],
      ['toString', '3'],
    ]);
    assert.equal(Object.getPrototypeOf(form), null);
  });

  test('with broken escapes, foreign encodings or U+0000 is refused', () => {
    const hostile = [
      'a=%',
      'a=%4',
      'a=%GG',
      '%=1',
      'a=%C3',
      'a=%C0%80',
      'a=%ED%A0%80',
      'a=%FF',
      'a=%E9',
      'a=%u0061',
      'a=% 41',
    ];
    hostile.push(
      'a=%00',
      'a=\0',
      '%00=1',
      'a=\ud800',
      '\ufeffa=1',
      'a=1&b=%',
      'a=%F4%90%80%80',
      'a=%C0%AF',
      'a=%2',
    );
    for (const text of hostile)
      assert.throws(() => parseStrictForm(text), MalformedInput, JSON.stringify(text));
  });

  test('with too many fields is refused quickly, and before they are all read', () => {
    for (const text of [
      'a=1&'.repeat(100_000),
      Array.from({ length: 100_000 }, (_, i) => `k${i}=1`).join('&'),
    ]) {
      assertCostsLess(50, () => assert.throws(() => parseStrictForm(text), MalformedInput));
    }
    assert.doesNotThrow(() => parseStrictForm('&'.repeat(100_000)));
    assert.doesNotThrow(() => parseStrictForm('a=1&b=2', { maxFields: 2 }));
    assert.throws(() => parseStrictForm('a=1&b=2&c', { maxFields: 2 }), MalformedInput);
  });
});
