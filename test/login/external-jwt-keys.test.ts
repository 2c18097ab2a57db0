import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { type Misbehaviour, startTestIdp } from '../support/test-idp.ts';
import { assertRefused, assertValid, claimsOf, newVerifier, signerOf } from './external-jwt-support.ts';

const idp = await startTestIdp();
after(() => idp.close());
beforeEach(() => idp.misbehave(null));

// Longer than an honest answer takes on a busy machine.
// Less than a look-up waits, so that each fetch has ended when the next one is due.
const impatient = { fetch: { timeout: 1500 } };

const misbehaviours: readonly Misbehaviour[] = [
  { kind: 'status', status: 500 },
  { kind: 'silence' },
  { kind: 'drip' },
  { kind: 'huge', bytes: 50_000_000, announced: true },
  { kind: 'huge', bytes: 50_000_000, announced: false },
  { kind: 'broken' },
  {
    kind: 'body',
    body: '<!doctype html><title>Maintenance</title>',
    headers: { 'content-type': 'text/html' },
  },
  { kind: 'body', body: '{"keys":{}}' },
  { kind: 'body', body: `{"keys":[${'{},'.repeat(100_000)}{}]}` },
  { kind: 'redirects', hops: 50 },
  { kind: 'redirect', to: 'http://localhost/jwks' },
  { kind: 'redirect', to: 'https://169.254.169.254/latest/meta-data/' },
  { kind: 'redirect', to: 'https://[::ffff:169.254.169.254]/' },
];

describe('the keys of an external signer', () => {
  test('cannot be fetched from a provider that misbehaves, which is reported soon', async () => {
    for (const how of misbehaviours) {
      const verifier = newVerifier(idp, impatient);
      const token = await idp.sign(claimsOf(idp, verifier));
      idp.misbehave(how);
      const verdict = await verifier.verify([signerOf(idp, 's1')], token);
      assertRefused(verdict, 'keys-unavailable', 'invalid', JSON.stringify(how).slice(0, 80));
    }
  });

  test('are refused in words when the answer is no key set, or one with too many keys', async () => {
    const many = {
      keys: Array.from({ length: 1000 }, (_, at) => ({ kty: 'RSA', kid: `k${at}`, use: 'sig' })),
    };
    for (const [body, words] of [
      ['<!doctype html>', 'no key set, which is a JSON object'],
      [JSON.stringify(many), 'more than 100 keys'],
    ] as const) {
      const verifier = newVerifier(idp, impatient);
      idp.misbehave({ kind: 'body', body });
      const verdict = await verifier.verify([signerOf(idp, 's1')], await idp.sign(claimsOf(idp, verifier)));
      assertRefused(verdict, 'keys-unavailable', 'invalid', body.slice(0, 80));
      assert.ok(JSON.stringify(verdict).includes(words), JSON.stringify(verdict));
    }
  });

  test('are used without the invalid ones', async () => {
    const provider = await startTestIdp();
    const verifier = newVerifier(provider);
    const good = provider.publishedKeys();
    const unsound = [
      { ...good[0], kid: 'enc', use: 'enc' },
      { ...good[0], kid: 'point', y: good[0]?.x },
      { kty: 'RSA', kid: 'short', n: Buffer.alloc(64, 0xff).toString('base64url'), e: 'AQAB' },
      { kty: 'RSA', kid: 'long', n: Buffer.alloc(8193, 0xff).toString('base64url'), e: 'AQAB' },
      { kty: 'oct', kid: 'secret', k: 'c2VjcmV0' },
    ];
    provider.misbehave({ kind: 'body', body: JSON.stringify({ keys: [...unsound, ...good] }) });
    assertValid(
      await verifier.verify([signerOf(provider, 's1')], await provider.sign(claimsOf(provider, verifier))),
    );
    for (const { kid } of unsound) {
      const token = await provider.sign(claimsOf(provider, verifier), { header: { kid } });
      assertRefused(await verifier.verify([signerOf(provider, 's1')], token), 'unusable-key', 'invalid', kid);
    }
    await provider.close();
  });

  test('that replace others under the same kid, or under none, are found at the next token', async () => {
    const provider = await startTestIdp();
    const verifier = newVerifier(provider);
    const signer = signerOf(provider, 's1');
    const named = { header: { kid: 'static' } };
    const unnamed = { header: { kid: undefined } };
    const publish = (kid?: string) => {
      const jwk = { ...provider.publishedKeys().at(-1), kid };
      provider.misbehave({ kind: 'body', body: JSON.stringify({ keys: [jwk] }) });
    };
    for (const [options, kid] of [
      [named, 'static'],
      [unnamed, undefined],
    ] as const) {
      for (let rotations = 0; rotations < 2; rotations += 1) {
        await provider.rotate();
        publish(kid);
        const token = await provider.sign(claimsOf(provider, verifier), options);
        assertValid(await verifier.verify([signer], token), `${kid}, ${rotations}`);
        assertValid(await verifier.verify([signer], token), 'from memory');
      }
      verifier.clock.advance(30 * SECOND);
    }
    assert.equal(provider.keyRequests(), 4);
    await provider.close();
  });

  test('that are ignored are named with the reason, and said to be fetched only when they were', async () => {
    const provider = await startTestIdp();
    const signer = signerOf(provider, 's1');
    const kid = provider.currentKid();
    const [jwk = {}] = provider.publishedKeys();
    for (const [changed, said] of [
      [{ x: `${jwk.x}=` }, /padded/],
      [{ use: 'enc' }, /not for verifying/],
      [{ key_ops: ['sign'] }, /not for verifying/],
      [{ d: jwk.x }, /private part/],
      [{ alg: 'RSA-OAEP' }, /alg is not a signature algorithm/],
      [{ crv: 'secp256k1' }, /kty or crv/],
    ] as const) {
      const verifier = newVerifier(provider);
      provider.misbehave({ kind: 'body', body: JSON.stringify({ keys: [{ ...jwk, ...changed }] }) });
      for (const fetched of [true, true, true, false]) {
        const verdict = await verifier.verify([signer], await provider.sign(claimsOf(provider, verifier)));
        assertRefused(verdict, 'unusable-key', 'invalid', JSON.stringify(changed));
        const { saw = '' } = verdict as { saw?: string };
        assert.match(saw, said);
        assert.ok(saw.includes(`the key "${kid}" of the signer cannot be used`), saw);
        assert.equal(/were fetched again for this token/.test(saw), fetched, saw);
      }
    }
    await provider.close();
  });
});
