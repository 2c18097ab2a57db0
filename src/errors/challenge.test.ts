import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { primaryExtJwtChallenge, secondaryExtJwtChallenge } from './challenge.ts';

describe('a challenge for an external JWT', () => {
  test('names the signers and their issuers in the same order', () => {
    const signers = [
      { id: 's1', issuer: 'https://a.example' },
      { id: 's2', issuer: 'https://b.example' },
    ];
    assert.deepEqual(primaryExtJwtChallenge('expired', signers), {
      scheme: 'Bearer',
      realm: 'overlay-primary-ext-jwt',
      error: 'expired',
      errorDescription: 'token is expired',
      id: 's1|s2',
      issuer: 'https://a.example|https://b.example',
    });
    const { realm, id, issuer } = secondaryExtJwtChallenge('missing', signers.slice(0, 1));
    assert.deepEqual([realm, id, issuer], ['overlay-secondary-ext-jwt', 's1', 'https://a.example']);
  });

  test('has neither id nor issuer when there is no signer', () => {
    const challenge = primaryExtJwtChallenge('missing', []);
    assert.deepEqual(Object.keys(challenge), ['scheme', 'realm', 'error', 'errorDescription']);
  });
});
