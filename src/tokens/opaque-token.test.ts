import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../platform/digest.ts';
import { systemRandom } from '../platform/random.ts';
import { foreignToken, mintOpaqueToken, readOpaqueToken } from './opaque-token.ts';

const tagKey = Buffer.alloc(32, 7);
const needs = { random: systemRandom, tagKey };

test('a token is read back with its id, generation and hash', () => {
  const id = systemRandom.id();
  const token = mintOpaqueToken(needs, 'refresh', { id, generation: 42 });
  assert.match(token.text, /^[A-Za-z0-9_-]{91}$/);
  assert.deepEqual(readOpaqueToken(tagKey, 'refresh', token.text), {
    id,
    generation: 42,
    hash: sha256(token.text),
  });
});

test('two tokens of one row and generation differ', () => {
  const id = systemRandom.id();
  assert.notEqual(
    mintOpaqueToken(needs, 'code', { id, generation: 1 }).text,
    mintOpaqueToken(needs, 'code', { id, generation: 1 }).text,
  );
});

test('a token of one kind is not read as another', () => {
  const { text } = mintOpaqueToken(needs, 'refresh', { id: systemRandom.id(), generation: 1 });
  for (const kind of ['code', 'zt-session'] as const)
    assert.equal(readOpaqueToken(tagKey, kind, text), undefined);
});

test('a token under another server secret is not ours', () => {
  const { text } = mintOpaqueToken(needs, 'code', { id: systemRandom.id(), generation: 1 });
  assert.equal(readOpaqueToken(Buffer.alloc(32, 8), 'code', text), undefined);
});

test('every altered character, cut and addition is refused', () => {
  const { text } = mintOpaqueToken(needs, 'code', { id: systemRandom.id(), generation: 1 });
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

test('text as long as a token that is not base64url is refused without an error', () => {
  for (const character of ['=', ' ', '*', 'é', '+'])
    assert.equal(readOpaqueToken(tagKey, 'code', character.repeat(91)), undefined, character);
});

test('the text of a UUID is a token of another controller, and nothing else is', () => {
  const text = '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';
  assert.deepEqual(foreignToken(text), { text, hash: sha256(text) });
  for (const other of [
    '',
    `${text}0`,
    `0${text}`,
    ` ${text}`,
    `${text}\n`,
    text.toUpperCase(),
    text.replaceAll('-', ''),
    text.replace('a', 'g'),
    text.replace('4e5f-', ''),
    text.replace('4e5f', '4e5'),
    text.slice(0, -1),
    mintOpaqueToken(needs, 'code', { id: systemRandom.id(), generation: 1 }).text,
  ]) {
    assert.equal(foreignToken(other), undefined, JSON.stringify(other));
  }
});
