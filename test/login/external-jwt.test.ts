import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { startTestIdp } from '../support/test-idp.ts';
import {
  assertRefused,
  assertValid,
  audience,
  claimsOf,
  forge,
  newVerifier,
  signerOf,
} from './external-jwt-support.ts';

const idp = await startTestIdp();
after(() => idp.close());

describe('a token of an external signer', () => {
  test('is valid when signature, times, issuer and audience are, and names an identity by the claim', async () => {
    const verifier = newVerifier(idp);
    const claims = claimsOf(idp, verifier, { name: 'Alice' });
    const signer = signerOf(idp, 's1');
    const verdict = await verifier.verify([signer], await idp.sign(claims));
    if (verdict.verdict === 'refused') assert.fail(verdict.reason);
    assert.deepEqual({ ...verdict.claims }, claims);
    assert.equal(verdict.claim, 'alice');
    assert.equal(verdict.signer, signer);
  });

  test('may be signed with every asymmetric algorithm', async () => {
    const provider = await startTestIdp();
    const verifier = newVerifier(provider);
    const algorithms = [
      'RS256',
      'RS384',
      'RS512',
      'PS256',
      'PS384',
      'PS512',
      'ES256',
      'ES384',
      'ES512',
      'EdDSA',
      'Ed25519',
    ];
    for (const alg of algorithms) await provider.rotate(alg, alg);
    for (const alg of algorithms) {
      const token = await provider.sign(claimsOf(provider, verifier), { kid: alg });
      assertValid(await verifier.verify([signerOf(provider, 's1')], token), alg);
    }
    await provider.close();
  });

  test('is refused as missing when no enabled signer has exactly its issuer', async () => {
    const verifier = newVerifier(idp);
    const token = await idp.sign(claimsOf(idp, verifier));
    const near = [`${idp.issuer}/`, idp.issuer.toUpperCase(), idp.issuer.slice(0, -1), `${idp.issuer} `, ''];
    const signers = near.map((issuer, at) => signerOf(idp, `near-${at}`, { issuer }));
    for (const offered of [[], signers, [signerOf(idp, 's3', { enabled: false })]])
      assertRefused(await verifier.verify(offered, token), 'no-signer-for-issuer', 'missing');
  });

  test('is refused at once when its signer is disabled', async () => {
    const verifier = newVerifier(idp);
    const token = await idp.sign(claimsOf(idp, verifier));
    assertValid(await verifier.verify([signerOf(idp, 's1')], token));
    const disabled = signerOf(idp, 's1', { enabled: false });
    assertRefused(await verifier.verify([disabled], token), 'no-signer-for-issuer', 'missing');
  });

  test('must name the audience, exactly and as a whole', async () => {
    const verifier = newVerifier(idp);
    for (const aud of [audience, [audience], ['evil', audience], [audience, 'evil']]) {
      const token = await idp.sign(claimsOf(idp, verifier, { aud }));
      assertValid(await verifier.verify([signerOf(idp, 's1')], token), JSON.stringify(aud));
    }
    const wrong = ['evil', 'overlay-x', 'over', 'Overlay', ' overlay', '', [], ['evil'], [[audience]]];
    const odd = [{ overlay: true }, null, 7, true, [audience, 7], [audience, null], undefined];
    for (const aud of [...wrong, ...odd]) {
      const token = await idp.sign(claimsOf(idp, verifier, { aud }));
      const verdict = await verifier.verify([signerOf(idp, 's1')], token);
      assertRefused(verdict, 'token-audience', 'invalid', JSON.stringify(aud));
    }
  });

  test('is refused as an ID token when it says that it is an access token, and in every place when it reports events', async () => {
    const verifier = newVerifier(idp);
    const ofAccess = await idp.sign(claimsOf(idp, verifier), { header: { typ: 'at+jwt' } });
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const ofLogout = await idp.sign(claimsOf(idp, verifier, { events }));
    const [id, access] = (['ID', 'ACCESS'] as const).map((targetToken) =>
      signerOf(idp, targetToken, { targetToken }),
    ) as [ReturnType<typeof signerOf>, ReturnType<typeof signerOf>];
    assertValid(await verifier.verify([id], await idp.sign(claimsOf(idp, verifier))));
    assertValid(await verifier.verify([access], ofAccess));
    assertRefused(await verifier.verify([id], ofAccess), 'token-type', 'invalid');
    for (const signer of [id, access])
      assertRefused(await verifier.verify([signer], ofLogout), 'token-type', 'invalid');
  });

  test('is refused with an algorithm that its key is not for', async () => {
    const provider = await startTestIdp();
    const verifier = newVerifier(provider);
    const rsaKid = await provider.rotate('RS256');
    const ecKid = await provider.rotate('ES256');
    const claims = claimsOf(provider, verifier);
    const table = [
      ['none', rsaKid, 'token-unsigned'],
      ['None', rsaKid, 'token-unsigned'],
      ['nOnE', rsaKid, 'token-unsigned'],
      ['', rsaKid, 'token-algorithm'],
      ['HS256', rsaKid, 'token-algorithm'],
      ['HS512', ecKid, 'token-algorithm'],
      ['RS1', rsaKid, 'token-algorithm'],
      ['ES256K', ecKid, 'token-algorithm'],
      ['A128KW', rsaKid, 'token-algorithm'],
      ['es256', ecKid, 'token-algorithm'],
      ['ES384', ecKid, 'key-algorithm'],
      ['RS256', ecKid, 'key-algorithm'],
      ['EdDSA', ecKid, 'key-algorithm'],
      ['ES256', rsaKid, 'key-algorithm'],
    ] as const;
    for (const [alg, kid, reason] of table) {
      const verdict = await verifier.verify([signerOf(provider, 's1')], forge({ alg, kid }, claims));
      assertRefused(verdict, reason, 'invalid', `${alg} with ${kid}`);
    }
    await provider.close();
  });

  test('is refused when the public key was used as a secret', async () => {
    const provider = await startTestIdp();
    const verifier = newVerifier(provider);
    const kid = await provider.rotate('RS256');
    const jwk = provider.publishedKeys().find((key) => key.kid === kid) ?? {};
    const publicKey = createPublicKey({ key: jwk as Record<string, string>, format: 'jwk' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const secrets = [
      pem,
      pem.trimEnd(),
      publicKey.export({ type: 'spki', format: 'der' }),
      JSON.stringify(jwk),
    ];
    for (const alg of ['HS256', 'RS256', 'PS256']) {
      for (const secret of secrets) {
        const unsigned = forge({ alg, kid }, claimsOf(provider, verifier)).split('.').slice(0, 2).join('.');
        const mac = createHmac('sha256', secret).update(unsigned).digest('base64url');
        const verdict = await verifier.verify([signerOf(provider, 's1')], `${unsigned}.${mac}`);
        assertRefused(verdict, alg === 'HS256' ? 'token-algorithm' : 'token-signature', 'invalid', alg);
      }
    }
    await provider.close();
  });

  test('is refused with a signature that is not the key\u2019s, in any form', async () => {
    const verifier = newVerifier(idp);
    const kid = idp.currentKid();
    const claims = claimsOf(idp, verifier);
    const good = await idp.sign(claims);
    const [header = '', payload = '', signature = ''] = good.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const der = sign('sha256', Buffer.from(`${header}.${payload}`), stranger);
    const flipped = Buffer.from(bytes);
    flipped[10] = (flipped[10] ?? 0) ^ 1;
    const signatures = [Buffer.alloc(64), Buffer.alloc(64, 0xff), der, flipped];
    const lengths = [
      Buffer.concat([bytes, Buffer.alloc(1)]),
      bytes.subarray(1),
      Buffer.from([0]),
      Buffer.alloc(5000, 1),
    ];
    for (const forged of [...signatures, ...lengths]) {
      const token = `${header}.${payload}.${forged.toString('base64url')}`;
      const verdict = await verifier.verify([signerOf(idp, 's1')], token);
      assertRefused(verdict, 'token-signature', 'invalid', forged.toString('hex').slice(0, 40));
    }
    const changed = forge({ alg: 'ES256', kid }, { ...claims, sub: 'root' }, bytes);
    assertRefused(await verifier.verify([signerOf(idp, 's1')], changed), 'token-signature', 'invalid');
    assertValid(await verifier.verify([signerOf(idp, 's1')], good));
  });

  test('is refused with a key that its header brings along, and no server is asked for it', async () => {
    const verifier = newVerifier(idp);
    const stranger = await startTestIdp();
    const [jwk] = stranger.publishedKeys();
    const offers = [
      { jwk },
      { jku: stranger.jwksEndpoint },
      { x5u: `${stranger.issuer}/cert` },
      { iss: stranger.issuer },
    ];
    for (const offer of offers) {
      const header = { ...offer, kid: idp.currentKid() };
      const token = await stranger.sign(claimsOf(idp, verifier), { header });
      const verdict = await verifier.verify([signerOf(idp, 's1')], token);
      assertRefused(verdict, 'token-signature', 'invalid', JSON.stringify(offer));
    }
    assert.equal(stranger.requests.size, 0);
    await stranger.close();
  });

  test('is refused with a kid that is no key\u2019s, in any form', async () => {
    const verifier = newVerifier(idp);
    const kids = [
      '../../dev/null',
      '/proc/self/environ',
      "' OR 1=1--",
      ';id',
      '%00',
      '__proto__',
      'constructor',
      'toString',
    ];
    for (const kid of kids) {
      const token = await idp.sign(claimsOf(idp, verifier), { header: { kid } });
      assertRefused(await verifier.verify([signerOf(idp, 's1')], token), 'unknown-key', 'invalid', kid);
    }
    for (const kid of [7, ['k'], {}, 'k'.repeat(10_000)]) {
      const token = forge({ alg: 'ES256', kid }, claimsOf(idp, verifier));
      assertRefused(
        await verifier.verify([signerOf(idp, 's1')], token),
        'malformed-token',
        'invalid',
        String(kid),
      );
    }
  });

  test('may omit the kid if exactly one key of the signer fits its algorithm', async () => {
    const provider = await startTestIdp();
    const verifier = newVerifier(provider);
    const signer = signerOf(provider, 's1');
    const verdictFor = async (kid: string) => {
      const header = { kid: undefined };
      verifier.clock.advance(15 * MINUTE);
      const iat = Math.floor(verifier.clock.now() / 1000);
      const claims = claimsOf(provider, verifier, { iat, exp: iat + 600 });
      return verifier.verify([signer], await provider.sign(claims, { kid, header }));
    };
    const first = provider.currentKid();
    assertValid(await verdictFor(first), 'one key');
    const rsa = await provider.rotate('RS256');
    assertValid(await verdictFor(first), 'one for ES256');
    assertValid(await verdictFor(rsa), 'one for RS256');
    const second = await provider.rotate('ES256');
    for (const kid of [first, second]) {
      assertRefused(await verdictFor(kid), 'token-without-key-id', 'invalid', 'two for ES256');
    }
    provider.withdraw(first);
    assertValid(await verdictFor(second), 'one is left');
    assertRefused(await verdictFor(first), 'token-signature', 'invalid', 'and this is not it');
    provider.withdraw(second);
    assertRefused(await verdictFor(second), 'key-algorithm', 'invalid', 'none for ES256');
    // Two keys with the same kid are still two keys.
    const bare = provider.publishedKeys().map((jwk) => ({ ...jwk, kid: undefined }));
    provider.misbehave({ kind: 'body', body: JSON.stringify({ keys: bare }) });
    assertValid(await verdictFor(rsa), 'a key without a kid');
    const named = await provider.sign(claimsOf(provider, verifier), { kid: rsa });
    assertRefused(await verifier.verify([signer], named), 'unknown-key', 'invalid', 'a kid that no key has');
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const twice = [...bare, publicKey.export({ format: 'jwk' })].map((jwk) => ({ ...jwk, kid: 'k' }));
    provider.misbehave({ kind: 'body', body: JSON.stringify({ keys: twice }) });
    assertRefused(await verdictFor(rsa), 'token-without-key-id', 'invalid', 'two under one kid');
    await provider.close();
  });

  test('is refused when it is properly signed but of a form that is not accepted', async () => {
    const verifier = newVerifier(idp);
    for (const [header, reason] of [
      [{ crit: ['exp'], exp: 1 }, 'malformed-token'],
      [{ zip: 'DEF' }, 'malformed-token'],
      [{ cty: 'JWT' }, 'malformed-token'],
      [{ typ: 'logout+jwt' }, 'token-type'],
    ] as const) {
      const kid = idp.currentKid();
      const token = forge({ alg: 'ES256', kid, ...header }, claimsOf(idp, verifier));
      assertRefused(await verifier.verify([signerOf(idp, 's1')], token), reason, 'invalid');
    }
    for (const token of ['', 'x', 'a.b.c', '..', '{}', 'a.b.c.d.e', '\0', '\u{1f600}'.repeat(100)])
      assertRefused(await verifier.verify([signerOf(idp, 's1')], token), 'malformed-token', 'invalid', token);
  });

  test('is refused before keys are fetched when they would not help', async () => {
    const provider = await startTestIdp();
    const verifier = newVerifier(provider);
    for (const changed of [{ aud: 'evil' }, { exp: undefined }, { exp: '1' }]) {
      const token = await provider.sign(claimsOf(provider, verifier, changed));
      assert.equal((await verifier.verify([signerOf(provider, 's1')], token)).verdict, 'refused');
    }
    assert.equal(provider.keyRequests(), 0);
    await provider.close();
  });
});

describe('the times of an external token', () => {
  const now = Date.parse('2026-11-21T10:00:00Z') / 1000;

  test('are checked to the second, with the leeway of the signer', async () => {
    const verifier = newVerifier(idp);
    const table = [
      [30, { exp: now - 29 }, 'valid'],
      [30, { exp: now - 30 }, 'token-expired'],
      [30, { exp: now - 3600, iat: now - 7200 }, 'token-expired'],
      [30, { exp: now - 60, iat: now }, 'token-expired'],
      [0, { exp: now + 0.25 }, 'valid'],
      [30, { exp: now - 30.5 }, 'token-expired'],
      [0, { exp: now + 600.172277, iat: now - 0.25, nbf: now - 1.5 }, 'valid'],
      [0, { nbf: now + 0.5 }, 'token-not-yet-valid'],
      [0, { nbf: null, iat: null }, 'valid'],
      [0, { exp: now + 1 }, 'valid'],
      [0, { exp: now }, 'token-expired'],
      [60, { exp: now - 59 }, 'valid'],
      [60, { exp: now - 60 }, 'token-expired'],
      [30, { nbf: now + 30 }, 'valid'],
      [30, { nbf: now + 31 }, 'token-not-yet-valid'],
      [0, { nbf: now }, 'valid'],
      [0, { nbf: now + 1 }, 'token-not-yet-valid'],
      [30, { iat: now + 30 }, 'valid'],
      [30, { iat: now + 31 }, 'token-not-yet-valid'],
      [30, { iat: now + 600 }, 'token-not-yet-valid'],
      [30, { iat: undefined }, 'valid'],
    ] as const;
    for (const [leewaySeconds, times, outcome] of table) {
      const token = await idp.sign(claimsOf(idp, verifier, { iat: undefined, ...times }));
      const verdict = await verifier.verify([signerOf(idp, 's1', { leewaySeconds })], token);
      const about = JSON.stringify([leewaySeconds, times]);
      if (outcome === 'valid') assertValid(verdict, about);
      else assertRefused(verdict, outcome, outcome === 'token-expired' ? 'expired' : 'invalid', about);
    }
  });

  test('are called expired only when the signature is good', async () => {
    const verifier = newVerifier(idp);
    const claims = claimsOf(idp, verifier, { iat: now - 7200, exp: now - 3600 });
    const forged = forge({ alg: 'ES256', kid: idp.currentKid() }, claims, Buffer.alloc(64, 1));
    assertRefused(await verifier.verify([signerOf(idp, 's1')], forged), 'token-signature', 'invalid');
  });

  test('must be sensible numbers of seconds, and exp is required', async () => {
    const verifier = newVerifier(idp);
    const odd = [-1, (now + 60) * 1000, 2 ** 53, 1e300, String(now + 60), '', [now + 60], {}, true];
    for (const name of ['exp', 'nbf', 'iat']) {
      for (const value of odd) {
        const token = await idp.sign(claimsOf(idp, verifier, { [name]: value }));
        const verdict = await verifier.verify([signerOf(idp, 's1')], token);
        assertRefused(verdict, 'token-times', 'invalid', `${name}: ${JSON.stringify(value)}`);
      }
    }
    for (const exp of [undefined, null]) {
      const endless = await idp.sign(claimsOf(idp, verifier, { exp }));
      assertRefused(await verifier.verify([signerOf(idp, 's1')], endless), 'token-without-expiry', 'invalid');
    }
  });

  test('say in an ID token when it was issued (OIDC Core 2)', async () => {
    const verifier = newVerifier(idp);
    const undated = await idp.sign(claimsOf(idp, verifier, { iat: undefined }));
    const verdict = await verifier.verify([signerOf(idp, 's1', { targetToken: 'ID' })], undated);
    assertRefused(verdict, 'token-without-issue-time', 'invalid');
    assertValid(await verifier.verify([signerOf(idp, 's1', { targetToken: 'ACCESS' })], undated));
  });

  test('may not span more than the signer allows', async () => {
    const verifier = newVerifier(idp);
    const tenYears = await idp.sign(claimsOf(idp, verifier, { iat: now, exp: now + 315_360_000 }));
    assertValid(await verifier.verify([signerOf(idp, 's1')], tenYears));
    const strict = signerOf(idp, 's1', { maxLifetimeSeconds: 3600 });
    assertRefused(await verifier.verify([strict], tenYears), 'token-lifetime', 'invalid');
    const undated = await idp.sign(claimsOf(idp, verifier, { iat: undefined }));
    assertRefused(await verifier.verify([strict], undated), 'token-lifetime', 'invalid');
    const anHour = await idp.sign(claimsOf(idp, verifier, { exp: now + 3600 }));
    assertValid(await verifier.verify([strict], anHour));
  });

  test('let a token be used again until it expires', async () => {
    const verifier = newVerifier(idp);
    const token = await idp.sign(claimsOf(idp, verifier));
    for (let n = 0; n < 50; n += 1) assertValid(await verifier.verify([signerOf(idp, 's1')], token));
    verifier.clock.advance(630_000);
    assertRefused(await verifier.verify([signerOf(idp, 's1')], token), 'token-expired', 'expired');
  });
});

describe('the claim that names the identity', () => {
  test('is found by name or pointer and must be a text that is not empty', async () => {
    const verifier = newVerifier(idp);
    const verdictFor = async (claimsProperty: string, claims: Record<string, unknown>) =>
      verifier.verify(
        [signerOf(idp, 's1', { claimsProperty })],
        await idp.sign(claimsOf(idp, verifier, claims)),
      );
    assert.equal(assertValid(await verdictFor('/user/id', { user: { id: 'u-7' } })).claim, 'u-7');
    assert.equal(assertValid(await verdictFor('oid', { oid: ' kept as it is ' })).claim, ' kept as it is ');
    for (const oid of ['', ' ', '\t\n', 7, 0, true, null, undefined, ['a'], { a: 1 }, 'x'.repeat(1025)])
      assertRefused(await verdictFor('oid', { oid }), 'token-claim-missing', 'invalid', JSON.stringify(oid));
  });

  test('is never an email address that the issuer does not call verified', async () => {
    const verifier = newVerifier(idp);
    const signer = signerOf(idp, 's1', { claimsProperty: 'email', useExternalId: true });
    const token = (changed: object) =>
      idp.sign(claimsOf(idp, verifier, { email: 'root@example.com', ...changed }));
    assertValid(await verifier.verify([signer], await token({ email_verified: true })));
    assertValid(await verifier.verify([signer], await token({ email_verified: 'true' })), 'as a text');
    for (const email_verified of [false, 'false', 'TRUE', '1', 1, ['true'], null, undefined]) {
      const verdict = await verifier.verify([signer], await token({ email_verified }));
      assertRefused(verdict, 'email-not-verified', 'invalid', JSON.stringify(email_verified));
    }
    // If the provider never states it, the signer may do without; what the provider denies stays refused.
    const lenient = { ...signer, requireVerifiedEmail: false };
    assertValid(await verifier.verify([lenient], await token({ email_verified: undefined })));
    for (const email_verified of [true, 'true'])
      assertValid(await verifier.verify([lenient], await token({ email_verified })));
    for (const email_verified of [false, 'false', 0, 1, null]) {
      const verdict = await verifier.verify([lenient], await token({ email_verified }));
      assertRefused(verdict, 'email-not-verified', 'invalid', JSON.stringify(email_verified));
    }
  });
});
