import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { isAcceptedKey } from './key-strength.ts';

test('an RSA key with an even modulus is not accepted', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = publicKey.export({ format: 'jwk' });
  const modulus = Buffer.from(String(jwk.n), 'base64url');
  modulus.writeUInt8(Number(modulus.at(-1)) - 1, modulus.length - 1);
  const even = createPublicKey({ key: { ...jwk, n: modulus.toString('base64url') }, format: 'jwk' });
  assert.deepEqual([publicKey, even].map(isAcceptedKey), [true, false]);
});
