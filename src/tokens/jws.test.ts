import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import type { SigningAlgorithm } from '../model/signing-key.ts';
import { headerSegment, isSignedBy, type SigningMaterial, signJwt, splitJwt } from './jws.ts';

const pairs = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: generateKeyPairSync('ed25519'),
};
const material = (alg: SigningAlgorithm): SigningMaterial => ({ kid: 'k1', alg, ...pairs[alg] });
const algorithms = ['ES256', 'RS256', 'EdDSA'] as const;

describe('a token', () => {
  test('has the header that its key and type make, and the claims', () => {
    for (const alg of algorithms) {
      const header = headerSegment(material(alg), 'at+jwt');
      assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), {
        alg,
        kid: 'k1',
        typ: 'at+jwt',
      });
      const parts = splitJwt(signJwt(material(alg), header, { sub: 'ana' }));
      assert.equal(parts?.header, header);
      assert.deepEqual(JSON.parse(Buffer.from(parts?.payload ?? '', 'base64url').toString()), { sub: 'ana' });
    }
  });

  test('is valid with the key and the bytes that were signed, and with no others', () => {
    for (const alg of algorithms) {
      const key = material(alg);
      const { header, payload, signature } =
        splitJwt(signJwt(key, headerSegment(key, 'JWT'), { a: 1 })) ?? assert.fail();
      const input = `${header}.${payload}`;
      assert.equal(isSignedBy(key, input, signature), true, alg);
      assert.equal(isSignedBy(key, `${input}x`, signature), false, `${alg}, another text`);
      for (const other of algorithms.filter((one) => one !== alg)) {
        assert.equal(isSignedBy(material(other), input, signature), false, `${alg} by ${other}`);
      }
      for (const spelled of [
        '',
        '=',
        `${signature}=`,
        `${signature}A`,
        signature.slice(0, -2),
        '*'.repeat(86),
      ]) {
        assert.equal(isSignedBy(key, input, spelled), false, `${alg} ${spelled}`);
      }
    }
  });

  test('of an elliptic curve has the two integers side by side, in 64 bytes', () => {
    const key = material('ES256');
    const input = 'a.b';
    const der = sign('sha256', Buffer.from(input), { key: key.privateKey, dsaEncoding: 'der' });
    assert.equal(isSignedBy(key, input, der.toString('base64url')), false);
    const raw = sign('sha256', Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
    assert.equal(isSignedBy(key, input, raw.toString('base64url')), true);
    assert.equal(isSignedBy(key, input, Buffer.concat([raw, Buffer.alloc(2)]).toString('base64url')), false);
    const wrongDigest = sign('sha512', Buffer.from(input), {
      key: key.privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    assert.equal(isSignedBy(key, input, wrongDigest.toString('base64url')), false);
  });
});

test('three segments are a token, and nothing else is', () => {
  assert.deepEqual(splitJwt('a.b.c'), { header: 'a', payload: 'b', signature: 'c' });
  assert.deepEqual(splitJwt('aa.bb.cc'), { header: 'aa', payload: 'bb', signature: 'cc' });
  for (const text of [
    '',
    'a',
    '.',
    '..',
    'a.',
    'a.b',
    'a.b.',
    'a..c',
    '.b.c',
    'a.b.c.',
    'a.b.c.d',
    'a.b.c.d.e',
    '.a.b.c',
    'a..',
    '..c',
  ]) {
    assert.equal(splitJwt(text), undefined, text);
  }
});
