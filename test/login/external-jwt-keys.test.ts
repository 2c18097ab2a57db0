import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { type Misbehaviour, startTestIdp } from '../support/test-idp.ts';
import {
  assertRefused,
  assertValid,
  claimsOf,
  forge,
  newVerifier,
  signerOf,
} from './external-jwt-support.ts';

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
  test('follow a rotation, and a withdrawn key stops working at the next refresh', async () => {
    const provider = await startTestIdp();
    const verifier = newVerifier(provider);
    const signer = signerOf(provider, 's1');
    const first = provider.currentKid();
    const ofFirst = await provider.sign(claimsOf(provider, verifier, { exp: 2_000_000_000 }));
    assertValid(await verifier.verify([signer], ofFirst));
    await provider.rotate();
    const ofSecond = await provider.sign(claimsOf(provider, verifier, { exp: 2_000_000_000 }));
    assertValid(await verifier.verify([signer], ofSecond), 'seconds after the last fetch');
    assertValid(await verifier.verify([signer], ofFirst));
    provider.withdraw(first);
    verifier.clock.advance(15 * MINUTE);
    assertRefused(await verifier.verify([signer], ofFirst), 'unknown-key', 'invalid');
    assertValid(await verifier.verify([signer], ofSecond));
    await provider.close();
  });

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

  test('stay the last good ones while a provider misbehaves', async () => {
    const verifier = newVerifier(idp, impatient);
    const token = await idp.sign(claimsOf(idp, verifier, { exp: 2_000_000_000 }));
    assertValid(await verifier.verify([signerOf(idp, 's1')], token));
    for (const how of misbehaviours) {
      idp.misbehave(how);
      verifier.clock.advance(HOUR);
      const before = idp.keyRequests();
      assertValid(await verifier.verify([signerOf(idp, 's1')], token), JSON.stringify(how).slice(0, 80));
      assert.equal(idp.keyRequests(), before + 1, JSON.stringify(how).slice(0, 80));
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

  test('are fetched once in ten seconds on average in a flood of tokens with unknown kids', async () => {
    const provider = await startTestIdp();
    const verifier = newVerifier(provider);
    const signer = signerOf(provider, 's1');
    const flood = (from: number) =>
      Promise.all(
        Array.from({ length: 1000 }, (_, n) =>
          verifier.verify(
            [signer],
            forge({ alg: 'ES256', kid: `kid-${from + n}` }, claimsOf(provider, verifier)),
          ),
        ),
      );
    for (let from = 0; from < 10_000; from += 1000) {
      for (const verdict of await flood(from)) assertRefused(verdict, 'unknown-key', 'invalid');
    }
    assert.equal(provider.keyRequests(), 3);
    verifier.clock.advance(10 * SECOND);
    await flood(10_000);
    assert.equal(provider.keyRequests(), 4);
    assertValid(await verifier.verify([signer], await provider.sign(claimsOf(provider, verifier))));
    await provider.close();
  });

  test('are never fetched from addresses that are refused', async () => {
    const endpoints = [
      'http://169.254.169.254/',
      'http://[fd00:ec2::254]/',
      'https://[fd00:ec2::254]/',
      `http://localhost:${idp.port}/jwks`,
      'file:///etc/passwd',
      'gopher://localhost/',
      'http://0/',
      'https://0/',
      'http://127.1/',
      'https://[::ffff:169.254.169.254]/',
      'https://[64:ff9b::a9fe:a9fe]/',
      'https://169.254.169.254/',
    ];
    const before = idp.keyRequests();
    const verifier = newVerifier(idp);
    const token = await idp.sign(claimsOf(idp, verifier));
    for (const [at, jwksEndpoint] of endpoints.entries()) {
      const verdict = await verifier.verify([signerOf(idp, `s${at}`, { jwksEndpoint })], token);
      assertRefused(verdict, 'keys-unavailable', 'invalid', jwksEndpoint);
    }
    const blocking = newVerifier(idp, { fetch: { blockPrivateAddresses: true } });
    const verdict = await blocking.verify([signerOf(idp, 's1')], token);
    assertRefused(verdict, 'keys-unavailable', 'invalid', 'private');
    assert.equal(idp.keyRequests(), before);
  });
});
