import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseMediaType } from './body.ts';

describe('media types', () => {
  test('essence and charset are read without regard to case, quotes and space', () => {
    const table: readonly [string, string, string | null][] = [
      ['application/json', 'application/json', null],
      ['Application/JSON', 'application/json', null],
      ['application/json;charset=UTF-8', 'application/json', 'utf-8'],
      ['application/json ; charset="utf-8"', 'application/json', 'utf-8'],
      ['application/json; charset="u\\tf-16"', 'application/json', 'utf-16'],
      ['application/json;', 'application/json', null],
      ['text/plain; boundary=x; charset=utf-16', 'text/plain', 'utf-16'],
    ];
    for (const [text, essence, charset] of table) {
      assert.deepEqual(parseMediaType(text), { essence, charset }, text);
    }
  });

  test('a text that is not a media type is null', () => {
    const hostile = [
      '',
      'json',
      'application/',
      '/json',
      'application/json, text/html',
      'application/json; charset',
      'application/json; charset=utf-8; charset=utf-16',
      'application/json; charset="utf-8',
      'application /json',
      `application/${'j'.repeat(500)}`,
      `application/json${'; a="\\'.repeat(60)}`,
    ];
    for (const text of hostile) assert.equal(parseMediaType(text), null, text.slice(0, 40));
  });
});
