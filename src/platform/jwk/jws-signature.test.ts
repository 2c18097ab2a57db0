import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { CompactSign } from 'jose';
import { type ForeignAlgorithm, foreignAlgorithms, isSignedBy, verificationKey } from './jws-signature.ts';

const payload = new TextEncoder().encode('{"sub":"ann"}');
const encoded = (value: object | Uint8Array) =>
  Buffer.from(value instanceof Uint8Array ? value : JSON.stringify(value)).toString('base64url');

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pairs: Readonly<Record<ForeignAlgorithm, { publicKey: KeyObject; privateKey: KeyObject }>> = {
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: rsa,
  PS384: rsa,
  PS512: rsa,
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  EdDSA: generateKeyPairSync('ed25519'),
  Ed25519: generateKeyPairSync('ed25519'),
};

function keyFor(publicKey: KeyObject) {
  const key = verificationKey(publicKey);
  assert.ok(key !== undefined);
  return key;
}

/** A token whose signature is made by hand. */
function signedBy(alg: ForeignAlgorithm, make: (input: Buffer, key: KeyObject) => Buffer): string {
  const input = `${encoded({ alg })}.${encoded(payload)}`;
  return `${input}.${encoded(make(Buffer.from(input), pairs[alg].privateKey))}`;
}

describe("the signature of another issuer's JWS", () => {
  for (const alg of foreignAlgorithms) {
    test(`${alg}: is accepted from its key, and from no other one or over other bytes`, async () => {
      const { publicKey, privateKey } = pairs[alg];
      const key = keyFor(publicKey);
      const token = await new CompactSign(payload).setProtectedHeader({ alg }).sign(privateKey);
      assert.equal(isSignedBy(key, token, alg), true);

      const [header, , signature] = token.split('.');
      const another = encoded(new TextEncoder().encode('{"sub":"bob"}'));
      assert.equal(isSignedBy(key, `${header}.${another}.${signature}`, alg), false);
      assert.equal(isSignedBy(key, `${token.slice(0, -4)}AAAA`, alg), false);
      assert.equal(isSignedBy(key, token.slice(0, token.lastIndexOf('.') + 1), alg), false);
      assert.equal(isSignedBy(key, `${token}AA`, alg), false);

      const type = publicKey.asymmetricKeyType === 'rsa' ? 'ES256' : 'RS256';
      assert.equal(isSignedBy(keyFor(pairs[type].publicKey), token, alg), false);
    });
  }

  test('a signature with an algorithm that the key is not for is refused', async () => {
    const token = await new CompactSign(payload).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey);
    const only512 = { ...keyFor(rsa.publicKey), algorithms: ['RS512'] as const };
    assert.equal(isSignedBy(only512, token, 'RS256'), false);
    for (const alg of ['none', 'HS256', 'rs256', '']) {
      assert.equal(isSignedBy(keyFor(rsa.publicKey), token, alg), false, alg);
    }
  });

  test('ECDSA: an encoding in DER, and one of another length, are refused', () => {
    const key = keyFor(pairs.ES256.publicKey);
    const der = signedBy('ES256', (input, privateKey) => sign('sha256', input, privateKey));
    assert.equal(isSignedBy(key, der, 'ES256'), false);
    const padded = signedBy('ES256', (input, privateKey) => {
      const bytes = sign('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      const zero = Buffer.alloc(1);
      return Buffer.concat([zero, bytes.subarray(0, 32), zero, bytes.subarray(32)]);
    });
    assert.equal(isSignedBy(key, padded, 'ES256'), false);
  });

  test('ECDSA: zeros are not a signature', () => {
    for (const [alg, length] of [
      ['ES256', 64],
      ['ES384', 96],
      ['ES512', 132],
    ] as const) {
      const token = signedBy(alg, () => Buffer.alloc(length));
      assert.equal(isSignedBy(keyFor(pairs[alg].publicKey), token, alg), false, alg);
    }
  });

  test('PSS: a salt that is not as long as the digest is refused (RFC 7518 3.5)', () => {
    const token = signedBy('PS256', (input, key) =>
      sign('sha256', input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 20 }),
    );
    assert.equal(isSignedBy(keyFor(rsa.publicKey), token, 'PS256'), false);
  });

  test('a second spelling of the same bytes is refused', async () => {
    const { publicKey, privateKey } = pairs.ES256;
    const token = await new CompactSign(payload).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    assert.equal(isSignedBy(keyFor(publicKey), `${token}==`, 'ES256'), false);
  });
});
