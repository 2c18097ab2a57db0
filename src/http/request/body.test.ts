import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { assertCostsLess } from '../../../test/support/processor-time.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { parseMediaType, validate } from './body.ts';

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

describe('a body with more mistakes than an answer names', () => {
  const entity = z.strictObject(
    Object.fromEntries([...'abcdefgh'].map((name) => [name.repeat(20), z.string().optional()])),
  );
  const refusal = (sent: unknown, schema: z.ZodType): AuthError => {
    try {
      validate(sent, schema);
    } catch (error) {
      if (error instanceof AuthError) return error;
      throw error;
    }
    throw new Error('it was accepted');
  };

  test('names the first ten', () => {
    const { fields } = refusal({ list: Array(50).fill({ other: 1 }) }, z.object({ list: z.array(entity) }));
    assert.deepEqual(
      fields?.map(({ field }) => field),
      Array.from({ length: 10 }, (_, index) => `list.${index}.other`),
    );
  });

  test('looks for the meant name only for those', () => {
    const sent = { list: Array(5000).fill({ ['unknown'.repeat(9)]: 1 }) };
    assertCostsLess(500, () => refusal(sent, z.object({ list: z.array(entity) })));
  });
});
