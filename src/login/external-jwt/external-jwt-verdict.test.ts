import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { challengeErrorOf, type ExternalJwtRefusal, furthest, refused } from './external-jwt-verdict.ts';

describe('the reasons that clients learn about refused tokens', () => {
  test('is expired before invalid before missing, and missing without any token', () => {
    const table: readonly (readonly [readonly ExternalJwtRefusal[], string])[] = [
      [[], 'missing'],
      [['no-signer-for-issuer'], 'missing'],
      [['no-signer-for-issuer', 'malformed-token'], 'invalid'],
      [['token-audience', 'token-expired'], 'expired'],
      [['token-expired', 'token-signature', 'no-signer-for-issuer'], 'expired'],
      [['keys-unavailable'], 'invalid'],
    ];
    for (const [reasons, error] of table)
      assert.equal(challengeErrorOf(reasons.map((reason) => refused(reason, ''))), error, reasons.join());
  });

  test('comes from the signer whose check went furthest', () => {
    const audience = refused('token-audience', '');
    const signature = refused('token-signature', '');
    assert.equal(furthest(audience, signature), signature);
    assert.equal(furthest(signature, audience), signature);
    assert.equal(furthest(refused('no-signer-for-issuer', ''), audience), audience);
  });
});
