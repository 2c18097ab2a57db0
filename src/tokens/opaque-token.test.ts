import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../platform/digest.ts';
import { systemRandom } from '../platform/random.ts';
import { mintOpaqueToken, readOpaqueToken } from './opaque-token.ts';

const tagKey = Buffer.alloc(32, 7);
const needs = { random: systemRandom, tagKey };

test('a token is read back with its id, generation and hash', () => {
  const id = systemRandom.id();
  const token = mintOpaqueToken(needs, 'refresh', id, 42);
  assert.match(token.text, /^[A-Za-z0-9_-]{91}$/);
  assert.deepEqual(readOpaqueToken(tagKey, 'refresh', token.text), {
    id,
    generation: 42,
    hash: sha256(token.text),
  });
});

test('two tokens of one row and generation differ', () => {
  const id = systemRandom.id();
  assert.notEqual(mintOpaqueToken(needs, 'code', id, 1).text, mintOpaqueToken(needs, 'code', id, 1).text);
});

test('a token of one kind is not read as another', () => {
  const { text } = mintOpaqueToken(needs, 'refresh', systemRandom.id(), 1);
  for (const kind of ['code', 'zt-session'] as const)
    assert.equal(readOpaqueToken(tagKey, kind, text), undefined);
});

test('a token under another server secret is not ours', () => {
  const { text } = mintOpaqueToken(needs, 'code', systemRandom.id(), 1);
  assert.equal(readOpaqueToken(Buffer.alloc(32, 8), 'code', text), undefined);
});

test('every altered character, cut and addition is refused', () => {
  const { text } = mintOpaqueToken(needs, 'code', systemRandom.id(), 1);
  for (let at = 0; at < text.length; at += 1) {
    const altered = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    assert.equal(readOpaqueToken(tagKey, 'code', altered), undefined, `position ${at}`);
  }
  for (const other of [
    '',
    '.',
    text.slice(1),
    text.slice(0, -1),
    text.slice(0, -20),
    `${text}A`,
    `${text}=`,
    ` ${text}`,
    text.toUpperCase(),
    encodeURIComponent(`${text} `),
  ]) {
    assert.equal(readOpaqueToken(tagKey, 'code', other), undefined, JSON.stringify(other));
  }
});
