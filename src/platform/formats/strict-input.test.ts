import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertCostsLess } from '../../../test/support/processor-time.ts';
import { MalformedInput, parseStrictForm, parseStrictJson } from './strict-input.ts';

/** Input within the body limit. */
function refusedFast(text: string, label: string): void {
  assertCostsLess(20, () => assert.throws(() => parseStrictJson(text), MalformedInput, label), label);
}

describe('well-formed JSON', () => {
  test('has the same value as JSON.parse gives', () => {
    const texts = [
      '0',
      '-0',
      '-1.5e+3',
      '1E2',
      '0.25',
      '9007199254740991',
      '""',
      '" \\u00e9\\n\\/\\"\\\\\\b\\f\\r\\t"',
      'true',
      'false',
    ];
    texts.push(
      'null',
      '[]',
      '{}',
      ' [ 1 , "a" , [ ] , { } ] ',
      '\t{"a":{"b":[1,2,{"c":null}]},"":0}\r\n',
      '"🔑\\ud83d\\udd11"',
    );
    texts.push(
      '{"1":1,"0":2,"a":3,"constructor":4,"toString":5}',
      '"\u007f\u0085\u009f\u2028\u2029 ключ"',
      '"https:\\/\\/a"',
    );
    for (const text of texts) {
      assert.deepEqual(JSON.stringify(parseStrictJson(text)), JSON.stringify(JSON.parse(text)), text);
    }
  });

  test('gives objects without a prototype, at every depth', () => {
    const value = parseStrictJson('{"a":[{"b":{}}]}') as { a: [{ b: object }] };
    for (const object of [value, value.a[0], value.a[0].b]) assert.equal(Object.getPrototypeOf(object), null);
    assert.equal('toString' in value, false);
  });
});

describe('malformed JSON is refused', () => {
  test('in its grammar', () => {
    const texts = [
      '',
      ' ',
      'nul',
      'True',
      'undefined',
      'NaN',
      'Infinity',
      '01',
      '-',
      '+1',
      '1.',
      '.5',
      '1e',
      '0x10',
      "'a'",
      '"a',
      '"',
    ];
    texts.push(
      '[1,]',
      '[,1]',
      '[1 2]',
      '[',
      ']',
      '{',
      '}',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{a:1}',
      '{1:1}',
      '{"a":1 "b":2}',
    );
    texts.push(
      '1 2',
      '{}{}',
      '[]x',
      '// c\n1',
      '/**/1',
      '"\n"',
      '"\t"',
      '"\u001f"',
      '"\\x41"',
      '"\\u12"',
      '"\\u12G4"',
      '"\\',
      '"\\"',
    );
    texts.push('"\\u+123"', '"\\u 123"', '\ufeff{}', '\u00a01', '\u20281', '1\0', '\v1', 'true1', 'nullnull');
    for (const text of texts)
      assert.throws(() => parseStrictJson(text), MalformedInput, JSON.stringify(text));
  });

  test('when a member name comes twice, however it is spelled', () => {
    const texts = [
      '{"username":"alice","username":"root"}',
      '{"a":1,"\\u0061":1}',
      '{"x":[{"a":1,"b":2,"a":1}]}',
      '{"":1,"":2}',
    ];
    for (const text of texts)
      assert.throws(() => parseStrictJson(text), /^MalformedInput: member name twice$/, text);
    assert.doesNotThrow(() => parseStrictJson('{"a":{"a":1},"b":[{"a":1},{"a":1}],"A":1}'));
  });

  test('when a member could reach the prototype of an ordinary object', () => {
    for (const text of ['{"__proto__":{"admin":true}}', '{"a":{"\\u005f_proto__":1}}'])
      assert.throws(() => parseStrictJson(text), MalformedInput, text);
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });

  test('with lone surrogates or U+0000, written out or escaped, in names and in values', () => {
    for (const bad of [
      '\ud800',
      '\udfff',
      '\\ud800',
      '\\udfff',
      '\\udd11\\ud83d',
      '\\ud83d\\n',
      '\\u0000',
      '\0',
    ]) {
      for (const text of [`"${bad}"`, `{"${bad}":1}`, `["a${bad}b"]`])
        assert.throws(() => parseStrictJson(text), MalformedInput, JSON.stringify(text));
    }
  });

  test('beyond its limits, and quickly', () => {
    refusedFast(`${'['.repeat(65)}${']'.repeat(65)}`, 'depth 65');
    refusedFast(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, 'depth 65 of objects');
    refusedFast('['.repeat(65_536), 'open arrays');
    refusedFast(`{${Array.from({ length: 10_000 }, (_, i) => `"k${i}":1`).join()}}`, '10,000 names');
    refusedFast(`[${'{"a":1},'.repeat(1001)}1]`, '1,001 names in many objects');
    refusedFast(`{"${'k'.repeat(60_000)}":1}`, 'a long name');
    refusedFast('9'.repeat(60_000), 'a long number');
    refusedFast(`0.${'0'.repeat(60_000)}`, 'a long fraction');
    refusedFast('1e999', 'an infinite number');
    refusedFast('-1e309', 'a negative infinite number');
    refusedFast(`"${'\\u0041'.repeat(10_000)}`, 'a string that does not end');
    refusedFast(' '.repeat(65_536), 'white space');
  });

  test('but not within them', () => {
    assert.doesNotThrow(() => parseStrictJson(`${'['.repeat(64)}${']'.repeat(64)}`));
    assert.doesNotThrow(() =>
      parseStrictJson(`{${Array.from({ length: 1000 }, (_, i) => `"k${i}":1`).join()}}`),
    );
    assert.doesNotThrow(() => parseStrictJson(JSON.stringify('x'.repeat(1_000_000))));
    assert.throws(() => parseStrictJson('[[1]]', { maxDepth: 1 }), MalformedInput);
    assert.throws(() => parseStrictJson('{"a":1,"b":1}', { maxKeys: 1 }), MalformedInput);
    assert.throws(() => parseStrictJson('{"ab":1}', { maxNameLength: 1 }), MalformedInput);
    assert.throws(() => parseStrictJson('12', { maxNumberLength: 1 }), MalformedInput);
  });

  test('without quoting it in the error', () => {
    for (const text of ['{"password":"canary","password":"canary"}', 'canary', '{"canary\\q":1}', '["canary'])
      assert.throws(
        () => parseStrictJson(text),
        (error) =>
          error instanceof MalformedInput && !error.reason.includes('canary') && error.reason.length < 50,
      );
  });
});

test('names chosen to collide in a hash table cost no more than the limits allow', () => {
  const hostile = [
    (i: number) => String(i * 65_536),
    (i: number) => String(4_294_967_294 - i),
    (i: number) => Array.from({ length: 10 }, (_, bit) => (i & (1 << bit) ? 'Aa' : 'BB')).join(''),
  ];
  for (const name of hostile) {
    const text = `{${Array.from({ length: 1000 }, (_, i) => `"${name(i)}":1`).join()}}`;
    assertCostsLess(50, () => assert.equal(Object.keys(parseStrictJson(text) as object).length, 1000));
  }
});

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
