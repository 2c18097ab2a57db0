import assert from 'node:assert/strict';
import { createPrivateKey, sign } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createRootCa } from '../../src/platform/x509/pki.ts';
import { startTestIdp, type TestIdp } from '../support/test-idp.ts';
import {
  assertRefused,
  assertValid,
  claimsOf,
  forge,
  newVerifier,
  signerOf,
} from './external-jwt-support.ts';

let idp: TestIdp;
let otherIdp: TestIdp;
before(async () => {
  [idp, otherIdp] = await Promise.all([startTestIdp(), startTestIdp()]);
});
after(() => Promise.all([idp.close(), otherIdp.close()]));

describe('several signers', () => {
  test('that share an issuer are told apart by their whole record', async () => {
    const verifier = newVerifier(idp);
    const s1 = signerOf(idp, 's1', { audience: 'one' });
    const s4 = signerOf(otherIdp, 's4', { issuer: idp.issuer, audience: 'four' });
    const ofS1 = (aud: string) => idp.sign(claimsOf(idp, verifier, { aud }));
    const ofS4 = (aud: string) => otherIdp.sign(claimsOf(idp, verifier, { aud }));
    for (const signers of [
      [s1, s4],
      [s4, s1],
    ]) {
      assert.equal(assertValid(await verifier.verify(signers, await ofS1('one'))).signer, 's1');
      assert.equal(assertValid(await verifier.verify(signers, await ofS4('four'))).signer, 's4');
      // Both providers in this test give their first key the same id.
      assertRefused(await verifier.verify(signers, await ofS4('one')), 'token-signature', 'invalid');
      assertRefused(await verifier.verify(signers, await ofS1('four')), 'token-signature', 'invalid');
    }
    assertValid(await verifier.verify([s1], await ofS1('one')));
    assertRefused(await verifier.verify([s1], await ofS4('four')), 'token-audience', 'invalid');
  });

  test('that both accept a token are refused, because it is unclear which one vouches', async () => {
    const verifier = newVerifier(idp);
    const twins = [signerOf(idp, 's1'), signerOf(idp, 's5')];
    const token = await idp.sign(claimsOf(idp, verifier));
    assertRefused(await verifier.verify(twins, token), 'ambiguous-signer', 'invalid');
    assertValid(await verifier.verify(twins.slice(0, 1), token));
    const [first, second] = twins;
    assert.ok(first !== undefined && second !== undefined);
    assertValid(await verifier.verify([first, { ...second, enabled: false }], token));
    const both = await idp.sign(claimsOf(idp, verifier, { aud: ['one', 'two'] }));
    const byAudience = [signerOf(idp, 's1', { audience: 'one' }), signerOf(idp, 's6', { audience: 'two' })];
    assertRefused(await verifier.verify(byAudience, both), 'ambiguous-signer', 'invalid');
  });

  test('that share a kid are told apart by issuer', async () => {
    const verifier = newVerifier(idp);
    await otherIdp.rotate('ES256', 'common');
    await idp.rotate('ES256', 'common');
    const signers = [signerOf(otherIdp, 's2'), signerOf(idp, 's1')];
    const ofS1 = await idp.sign(claimsOf(idp, verifier), { kid: 'common' });
    const ofS2 = await otherIdp.sign(claimsOf(otherIdp, verifier), { kid: 'common' });
    assert.equal(assertValid(await verifier.verify(signers, ofS1)).signer, 's1');
    assert.equal(assertValid(await verifier.verify(signers, ofS2)).signer, 's2');
    const crossed = await otherIdp.sign(claimsOf(idp, verifier), { kid: 'common' });
    assertRefused(await verifier.verify(signers, crossed), 'token-signature', 'invalid');
  });

  test('that vouch for the same external id stay distinct in the verdict', async () => {
    const verifier = newVerifier(idp);
    const signers = [signerOf(idp, 's1'), signerOf(otherIdp, 's2')];
    const verdicts = await Promise.all([
      verifier.verify(signers, await idp.sign(claimsOf(idp, verifier))),
      verifier.verify(signers, await otherIdp.sign(claimsOf(otherIdp, verifier))),
    ]);
    assert.deepEqual(
      verdicts.map((verdict) => assertValid(verdict)),
      [
        { signer: 's1', claim: 'alice' },
        { signer: 's2', claim: 'alice' },
      ],
    );
  });

  test('cannot replace the one that is required', async () => {
    const verifier = newVerifier(idp);
    const required = signerOf(otherIdp, 's2');
    const ofS1 = await idp.sign(claimsOf(idp, verifier));
    assertRefused(await verifier.verify([required], ofS1), 'no-signer-for-issuer', 'missing');
    const sameIssuer = signerOf(otherIdp, 's2', { issuer: idp.issuer });
    assertRefused(await verifier.verify([sameIssuer], ofS1), 'token-signature', 'invalid');
    const ofS2 = await otherIdp.sign(claimsOf(otherIdp, verifier));
    assertValid(await verifier.verify([required], ofS2));
    verifier.clock.advance(660_000);
    assertRefused(await verifier.verify([required], ofS2), 'token-expired', 'expired');
  });
});

describe('a signer with a certificate', () => {
  async function certified(kid: string | null) {
    const verifier = newVerifier(idp);
    const { certPem, keyPem } = await createRootCa(verifier, { commonName: 'Signer', days: 30 });
    const signer = signerOf(idp, 'cert', { certPem, jwksEndpoint: null, kid });
    const token = (header: object, changed: Record<string, unknown> = {}) => {
      const unsigned = forge({ alg: 'ES256', ...header }, claimsOf(idp, verifier, changed));
      const input = unsigned.split('.').slice(0, 2).join('.');
      const key = { key: createPrivateKey(keyPem), dsaEncoding: 'ieee-p1363' } as const;
      return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
    };
    return { verifier, signer, token };
  }

  test('has one key, which a token need not name, but must not misname', async () => {
    const { verifier, signer, token } = await certified('the-key');
    for (const header of [{}, { kid: 'the-key' }])
      assertValid(await verifier.verify([signer], token(header)));
    assertRefused(await verifier.verify([signer], token({ kid: 'another' })), 'unknown-key', 'invalid');
    assertValid(await verifier.verify([{ ...signer, kid: null }], token({ kid: 'another' })));
    assertRefused(await verifier.verify([signer], token({ alg: 'RS256' })), 'key-algorithm', 'invalid');
    const foreign = await idp.sign(claimsOf(idp, verifier), { header: { kid: 'the-key' } });
    assertRefused(await verifier.verify([signer], foreign), 'token-signature', 'invalid');
  });

  test('accepts nothing if the certificate is not valid yet, has expired, or is not one', async () => {
    const { verifier, signer, token } = await certified(null);
    const longLived = token({}, { exp: 1_900_000_000, iat: 1_700_000_000 });
    assertValid(await verifier.verify([signer], longLived));
    verifier.clock.advance(31 * 86_400_000);
    assertRefused(await verifier.verify([signer], longLived), 'signer-certificate-expired', 'invalid');
    verifier.clock.set('2026-11-01T00:00:00Z');
    assertRefused(await verifier.verify([signer], longLived), 'signer-certificate-expired', 'invalid');
    for (const certPem of ['', 'x', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']) {
      const verdict = await verifier.verify([{ ...signer, certPem }], longLived);
      assertRefused(verdict, 'keys-unavailable', 'invalid', certPem);
    }
    const nothing = { ...signer, certPem: null };
    assertRefused(await verifier.verify([nothing], longLived), 'keys-unavailable', 'invalid', 'neither');
  });
});
