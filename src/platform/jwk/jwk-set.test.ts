import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { MalformedInput } from '../formats/strict-input.ts';
import { type IgnoredKeyReason, mostKeys, readJwkSet } from './jwk-set.ts';

const ec = exported(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
const otherEc = exported(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
const p384 = exported(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey);
const p521 = exported(generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey);
const rsa = exported(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey);
const ed25519 = exported(generateKeyPairSync('ed25519').publicKey);

function exported(key: { export(options: { format: 'jwk' }): object }): Record<string, unknown> {
  return { ...key.export({ format: 'jwk' }) };
}

function setOf(...keys: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify({ keys }));
}

function withBytes(bytes: number, first = 0xff): string {
  const number = Buffer.alloc(bytes, 0x01);
  number[0] = first;
  return number.toString('base64url');
}

describe('a JWK set', () => {
  test('gives keys by kid, with the algorithms that their kind allows', () => {
    const rs = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
    const table: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
      [ec, ['ES256']],
      [p384, ['ES384']],
      [p521, ['ES512']],
      [ed25519, ['EdDSA', 'Ed25519']],
      [rsa, rs],
      [{ ...rsa, use: 'sig', key_ops: ['verify'], x5c: ['ignored'], unknown: {} }, rs],
      [{ ...rsa, alg: 'PS384' }, ['PS384']],
      [{ ...ed25519, alg: 'Ed25519' }, ['EdDSA', 'Ed25519']],
    ];
    for (const [jwk, algorithms] of table) {
      const { keys, ignored } = readJwkSet(setOf({ ...jwk, kid: 'k' }));
      assert.deepEqual(
        keys.get('k')?.map((key) => key.algorithms),
        [algorithms],
      );
      assert.deepEqual(ignored, []);
    }
  });

  test('leaves out keys that cannot be used, says why, and keeps the others', () => {
    const table: readonly (readonly [unknown, IgnoredKeyReason])[] = [
      [null, 'not-a-key'],
      ['key', 'not-a-key'],
      [[ec], 'not-a-key'],
      [{ ...ec, kid: 7 }, 'kid'],
      [{ ...ec, kid: ['k'] }, 'kid'],
      [{ ...ec, kid: 'k'.repeat(257) }, 'kid'],
      [{ ...ec, kid: 'k', use: 'enc' }, 'purpose'],
      [{ ...ec, kid: 'k', use: ['sig'] }, 'purpose'],
      [{ ...ec, kid: 'k', key_ops: ['encrypt'] }, 'purpose'],
      [{ ...ec, kid: 'k', key_ops: 'verify' }, 'purpose'],
      [{ kty: 'oct', k: 'c2VjcmV0', kid: 'k', alg: 'HS256' }, 'kind'],
      [{ ...ec, kid: 'k', crv: 'secp256k1' }, 'kind'],
      [{ ...ed25519, kid: 'k', crv: 'X25519' }, 'kind'],
      [{ kid: 'k' }, 'kind'],
      [{ ...ec, kid: 'k', kty: 'ec' }, 'kind'],
      [{ ...ec, kid: 'k', alg: 'ES384' }, 'algorithm'],
      [{ ...ec, kid: 'k', alg: 'HS256' }, 'algorithm'],
      [{ ...rsa, kid: 'k', alg: 'none' }, 'algorithm'],
      [{ ...rsa, kid: 'k', alg: 'RSA-OAEP' }, 'algorithm'],
      [{ ...rsa, kid: 'k', alg: ['RS256'] }, 'algorithm'],
      [{ ...ec, kid: 'k', d: ec.x }, 'private'],
      [{ ...rsa, kid: 'k', d: rsa.n }, 'private'],
      [{ ...rsa, kid: 'k', p: rsa.n, d: null }, 'private'],
      [{ ...rsa, kid: 'k', oth: [{}] }, 'private'],
      [{ ...ec, kid: 'k', y: ec.x }, 'unsound'],
      [{ ...ec, kid: 'k', x: 'AA', y: 'AA' }, 'encoding'],
      [{ ...ec, kid: 'k', x: `AAAA${ec.x}` }, 'encoding'],
      [{ ...ec, kid: 'k', x: 7 }, 'encoding'],
      [{ ...ec, kid: 'k', x: undefined }, 'encoding'],
      [{ ...ed25519, kid: 'k', x: 'AAAA' }, 'encoding'],
      [{ ...rsa, kid: 'k', n: withBytes(64) }, 'unsound'],
      [{ ...rsa, kid: 'k', n: withBytes(255) }, 'unsound'],
      [{ ...rsa, kid: 'k', n: withBytes(1025) }, 'encoding'],
      [{ ...rsa, kid: 'k', n: withBytes(8193) }, 'encoding'],
      [{ ...rsa, kid: 'k', n: '' }, 'encoding'],
      [{ ...rsa, kid: 'k', n: `${rsa.n}=` }, 'encoding'],
      [{ ...rsa, kid: 'k', e: 'AQ' }, 'unsound'],
      [{ ...rsa, kid: 'k', e: 'AAAA' }, 'unsound'],
      [{ ...rsa, kid: 'k', e: 'AQAA' }, 'unsound'],
      [{ ...rsa, kid: 'k', e: withBytes(5) }, 'unsound'],
      [{ ...rsa, kid: 'k', e: withBytes(256) }, 'encoding'],
    ];
    for (const [jwk, reason] of table) {
      const { keys, ignored } = readJwkSet(setOf(jwk, { ...p384, kid: 'good' }));
      assert.deepEqual([...keys.keys()], ['good'], JSON.stringify(jwk));
      assert.deepEqual(
        ignored.map((key) => key.reason),
        [reason],
        JSON.stringify(jwk),
      );
    }
  });

  test('does not mind members that are null or empty, as serializers of typed languages write them', () => {
    const ofDotNet = { key_ops: [], x5c: [], oth: [], k: null, d: null, p: null };
    const nothing = { alg: '', use: '', x5t: null, crv: rsa.crv ?? '', key_ops: null, x: null, y: null };
    for (const empty of [ofDotNet, nothing, { alg: null, use: null }, { d: '', qi: '' }]) {
      const { keys, ignored } = readJwkSet(setOf({ ...rsa, kid: 'k', ...empty }));
      assert.deepEqual([[...keys.keys()], ignored], [['k'], []], JSON.stringify(empty));
    }
    assert.equal(readJwkSet(setOf({ ...ec, kid: '' }, { ...p384, kid: null })).all.length, 2);
  });

  test('drops keys that share a kid and an algorithm, because it cannot be said which one is meant', () => {
    const { keys, ignored } = readJwkSet(
      setOf({ ...ec, kid: 'k' }, { ...otherEc, kid: 'k' }, { ...p384, kid: 'good' }),
    );
    assert.deepEqual([...keys.keys()], ['good']);
    assert.deepEqual(ignored, [
      { kid: 'k', reason: 'ambiguous' },
      { kid: 'k', reason: 'ambiguous' },
    ]);
  });

  test('keeps keys that share a kid when they are for different algorithms or the same key twice', () => {
    const { keys, ignored } = readJwkSet(
      setOf({ ...ec, kid: 'k' }, { ...rsa, kid: 'k' }, { ...ec, kid: 'k' }),
    );
    assert.equal(keys.get('k')?.length, 3);
    assert.deepEqual(ignored, []);
  });

  test('returns all of its keys if no kid is known, including those without a kid and those that share one', () => {
    const set = readJwkSet(
      setOf(
        { ...ec, kid: 'k' },
        { ...otherEc, kid: 'k' },
        p384,
        { ...rsa, kid: 'r' },
        { ...p521, use: 'enc' },
      ),
    );
    assert.deepEqual([...set.keys.keys()], ['r']);
    assert.deepEqual(
      set.all.map(({ algorithms }) => algorithms[0]),
      ['ES256', 'ES256', 'ES384', 'RS256'],
    );
  });

  test('may be empty', () => {
    assert.equal(readJwkSet(setOf()).keys.size, 0);
    assert.equal(readJwkSet(setOf({ ...ec, kid: 'k', use: 'enc' })).keys.size, 0);
    assert.equal(readJwkSet(Buffer.from('\ufeff{"keys":[]}')).keys.size, 0);
  });

  test('is refused as a whole when it is not a JWK set, or too long', () => {
    const long = Array.from({ length: mostKeys + 1 }, (_, at) => ({ ...ec, kid: `k${at}` }));
    const hostile: readonly (string | Buffer)[] = [
      '',
      '<!doctype html><title>Sign in</title>',
      'null',
      '[]',
      '{}',
      '{"keys":null}',
      '{"keys":{"0":{}}}',
      '{"keys":[],"keys":[]}',
      `{"keys":[]}${' '.repeat(10)}x`,
      '{"keys":[',
      `{"keys":${'['.repeat(5000)}`,
      `{"keys":[${'{},'.repeat(100_000)}{}]}`,
      Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
      `\ufeff\ufeff{"keys":[]}`,
      setOf(...long),
    ];
    for (const body of hostile) {
      const refused = () => readJwkSet(Buffer.from(body));
      assert.throws(refused, MalformedInput, String(body).slice(0, 60));
    }
    assert.equal(readJwkSet(setOf(...long.slice(1))).keys.size, mostKeys);
  });
});
