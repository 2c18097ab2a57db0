import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fixedClock } from '../../test/support/fixed-clock.ts';
import type { ProvenSession } from '../model/api-session.ts';
import { asId } from '../model/ids.ts';
import type { PassedMethod, ProvenFactors } from '../model/login.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import { keyVault, vaultKey } from '../platform/secrets/key-vault.ts';
import type { KeyStore } from '../store/contracts/keys.ts';
import {
  type AccessTokenRules,
  accessTokenVerifier,
  acrOf,
  clockSkew,
  edgeAudience,
  mintAccessToken,
  toSeconds,
} from './access-token.ts';
import { signJwt } from './jws.ts';
import { type KeyRing, makeSigningKey, openKeyRing } from './key-ring.ts';

const now = Date.parse('2026-01-01T00:00:00.700Z');
const lifetime = 10 * MINUTE;
const issuer = 'https://localhost:1280/oidc';
let ring: KeyRing;

before(async () => {
  const vault = keyVault(vaultKey(Buffer.alloc(32, 1)));
  const key = await makeSigningKey(vault, 'ES256', { createdAt: 0, activeFrom: 0 });
  const keys = { listSigningKeys: async () => [key] } as unknown as KeyStore;
  ring = await openKeyRing({ keys, vault, clock: fixedClock(now) });
});

const session = {
  id: asId('session'),
  issuer,
  identityId: asId('ana'),
  clientId: 'overlay',
  scopes: ['openid', 'email'],
  passed: ['password', 'totp'],
  authTime: now - MINUTE,
  configTypes: ['a'],
  caId: null,
  signerId: null,
  certThumbprint: null,
  keyThumbprint: null,
} as unknown as ProvenSession;

const proven = (...passed: readonly PassedMethod[]) => passed as unknown as ProvenFactors;
const facts = { isAdmin: true, isCertExtendable: false };
const mint = (changes: Partial<ProvenSession> = {}, audience?: string[]) =>
  mintAccessToken(
    { ring, random: systemRandom },
    {
      session: { ...session, ...changes },
      ...facts,
      lifetime,
      ...(audience === undefined ? {} : { audience }),
    },
    now,
  );
const claimsIn = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** A token of our own key with other claims. */
function signed(changes: Readonly<Record<string, unknown>>, type: 'at+jwt' | 'JWT' = 'at+jwt'): string {
  const { material, header } = ring.signer('ES256', type, now);
  return signJwt(material, header, { ...claimsIn(mint()), ...changes });
}

function verifier(rules: Partial<AccessTokenRules> = {}, keys = ring) {
  return accessTokenVerifier(keys, {
    issuers: new Set([issuer]),
    lifetimes: { accessToken: lifetime },
    revoked: new Set(),
    ...rules,
  });
}

/** Counts how many signatures a verifier checks for valid tokens, one after the other. */
function signatureChecks(rules: Partial<AccessTokenRules> = {}): (...tokens: readonly string[]) => number {
  let checks = 0;
  const counting: KeyRing = {
    ...ring,
    verifier(...args) {
      checks += 1;
      return ring.verifier(...args);
    },
  };
  const judge = verifier(rules, counting);
  return (...tokens) => {
    const before = checks;
    for (const token of tokens) assert.equal(judge.verify(token, now).verdict, 'valid');
    return checks - before;
  };
}

const verdict = (token: string, at = now) => verifier().verify(token, at).verdict;

describe('an access token', () => {
  test('says whose session it is of, and what was proven', () => {
    const { jti, ...claims } = claimsIn(mint());
    assert.match(jti, /^[0-9a-f-]{36}$/);
    const issuedAt = toSeconds(now);
    assert.deepEqual(claims, {
      iss: issuer,
      sub: 'ana',
      aud: 'overlay-edge-apis',
      exp: issuedAt + 600,
      iat: issuedAt,
      nbf: issuedAt,
      client_id: 'overlay',
      scope: 'openid email',
      amr: ['password', 'totp'],
      acr: claims.acr,
      auth_time: issuedAt - 60,
      z_asid: 'session',
      z_ia: true,
      z_ct: ['a'],
      z_t: 'a',
      z_ice: false,
    });
    const proven = claimsIn(
      mint({ keyThumbprint: 'k', caId: asId('ca'), signerId: asId('signer'), certThumbprint: 'x5' }, [
        edgeAudience,
        'sdk',
      ]),
    );
    assert.deepEqual(
      [proven.aud, proven.z_caid, proven.z_ejsid, proven.cnf],
      [['overlay-edge-apis', 'sdk'], 'ca', 'signer', { 'x5t#S256': 'x5', jkt: 'k' }],
    );
  });

  test('is valid until its end, and half a minute before its beginning', () => {
    const token = mint();
    const issued = toSeconds(now) * SECOND;
    assert.deepEqual(verifier().verify(token, now), {
      verdict: 'valid',
      claims: claimsIn(token),
      use: 'edge-apis',
    });
    assert.equal(verdict(token, issued + lifetime - 1), 'valid');
    assert.equal(verdict(token, issued + lifetime), 'expired');
    assert.equal(verdict(token, issued - clockSkew), 'valid');
    assert.equal(verdict(token, issued - clockSkew - 1), 'invalid');
    for (const name of ['nbf', 'iat']) {
      const later = signed({ [name]: toSeconds(now) + 60 });
      assert.equal(verdict(later, issued + 30 * SECOND - 1), 'invalid', name);
      assert.equal(verdict(later, issued + 30 * SECOND), 'valid', name);
    }
  });

  test('that names an earlier end expires then', () => {
    const issued = toSeconds(now) * SECOND;
    const short = signed({ exp: toSeconds(now) + 60 });
    assert.equal(verdict(short, issued + MINUTE - 1), 'valid');
    assert.equal(verdict(short, issued + MINUTE), 'expired');
  });

  test('made under a longer lifetime ends with the shorter one', () => {
    const issued = toSeconds(now) * SECOND;
    const shorter = verifier({ lifetimes: { accessToken: MINUTE } });
    const token = mint();
    assert.equal(shorter.verify(token, issued + MINUTE - 1).verdict, 'valid');
    assert.equal(shorter.verify(token, issued + MINUTE).verdict, 'expired');
  });

  test('is judged by its times, issuer and revocation each time, whether it was seen before or not', () => {
    const token = mint();
    const issuers = new Set([issuer]);
    const revoked = new Set<string>();
    const judge = accessTokenVerifier(ring, { issuers, lifetimes: { accessToken: lifetime }, revoked });
    for (const _again of [1, 2]) assert.equal(judge.verify(token, now).verdict, 'valid');
    revoked.add(claimsIn(token).jti);
    assert.equal(judge.verify(token, now).verdict, 'invalid');
    revoked.clear();
    issuers.clear();
    assert.equal(judge.verify(token, now).verdict, 'invalid');
    issuers.add(issuer);
    assert.equal(judge.verify(token, now + lifetime).verdict, 'expired');
  });

  test('that was seen before is no longer accepted when the keys have changed', () => {
    const token = mint();
    let isKnown = true;
    let generation = 1;
    const changing: KeyRing = {
      ...ring,
      get generation() {
        return generation;
      },
      verifier: (...args) => (isKnown ? ring.verifier(...args) : undefined),
    };
    const judge = accessTokenVerifier(changing, {
      issuers: new Set([issuer]),
      lifetimes: { accessToken: lifetime },
      revoked: new Set(),
    });
    assert.equal(judge.verify(token, now).verdict, 'valid');
    isKnown = false;
    assert.equal(judge.verify(token, now).verdict, 'valid', 'its signature is remembered');
    generation = 2;
    assert.equal(judge.verify(token, now).verdict, 'invalid');
  });

  test('that a newer one of its session has followed is forgotten, but two in use stay remembered', () => {
    const checksOf = signatureChecks();
    const iat = toSeconds(now);
    const [first, second, third] = [iat - 2, iat - 1, iat].map((at) => signed({ iat: at, nbf: at }));
    const ofAnother = signed({ z_asid: 'another' });
    assert.ok(first !== undefined && second !== undefined && third !== undefined);

    assert.equal(checksOf(ofAnother, first, first, second), 3);
    assert.equal(checksOf(first), 1, 'the newer one took its place');
    assert.equal(checksOf(first, second, first, second), 0, 'both are in use');
    assert.equal(checksOf(third, third), 1);
    assert.equal(checksOf(second), 1);
    assert.equal(
      checksOf(first, second, third, ofAnother),
      0,
      'only what the newest one followed is forgotten',
    );
  });

  test('is remembered until twice as many others as promised were used', () => {
    // Each thread remembers at least two.
    const checksOf = signatureChecks({ threads: 25_000 });
    const tokens = ['a', 'b', 'c', 'd', 'e'].map((id) => signed({ z_asid: id }));
    assert.equal(checksOf(...tokens, ...tokens), 10, 'five in turn do not find a place for two to four');
    const [one = '', other = ''] = tokens;
    assert.equal(checksOf(one, other, one, other), 2);
  });

  test('that is remembered shares what others say as well', () => {
    const judge = verifier();
    const seenClaims = (changes: Partial<ProvenSession>) => {
      const token = mint(changes);
      judge.verify(token, now);
      const again = judge.verify(token, now);
      assert.ok(again.verdict === 'valid');
      assert.deepEqual({ ...again.claims }, claimsIn(token));
      return again.claims;
    };
    const one = seenClaims({});
    const other = seenClaims({ id: asId('another') });
    assert.equal(other.amr, one.amr);
    assert.equal(other.z_ct, one.z_ct);
    const fewer = seenClaims({ id: asId('third'), passed: proven('password') });
    assert.deepEqual(fewer.amr, ['password']);
  });

  test('of another kind, key or length is invalid', () => {
    const [header = '', payload = '', signature = ''] = mint().split('.');
    for (const token of [
      '',
      'a.b.c',
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature}.`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header}.${Buffer.from('{}').toString('base64url')}.${signature}`,
      signed({}, 'JWT'),
      signed({ scope: 'x'.repeat(8192) }),
    ]) {
      assert.equal(verdict(token), 'invalid', token.slice(-40));
    }
    const longest = (size: number) => signed({ scope: 'x'.repeat(size) });
    const base = longest(0).length;
    const fits = Math.floor(((8192 - base) * 3) / 4);
    assert.ok(longest(fits).length <= 8192);
    assert.equal(verdict(longest(fits)), 'valid');
  });

  test('with any claim that is not ours is invalid', () => {
    const wrong: readonly Readonly<Record<string, unknown>>[] = [
      ...['iss', 'sub', 'jti', 'client_id', 'scope', 'acr', 'z_asid'].flatMap((name) => [
        { [name]: 1 },
        { [name]: undefined },
        { [name]: null },
      ]),
      ...['exp', 'iat', 'nbf', 'auth_time'].flatMap((name) => [
        { [name]: '1' },
        { [name]: -1 },
        { [name]: 0.5 + toSeconds(now) },
        { [name]: undefined },
        { [name]: 2 ** 53 },
      ]),
      { z_t: 'r' },
      { z_t: undefined },
      { z_ia: 'true' },
      { z_ia: undefined },
      ...['amr', 'z_ct'].flatMap((name) => [
        { [name]: 'a' },
        { [name]: [1] },
        { [name]: ['a', null] },
        { [name]: {} },
      ]),
      { amr: undefined },
      { z_ct: undefined },
      { z_caid: 1 },
      { z_ejsid: 1 },
      ...[null, 'a', {}, { 'x5t#S256': 1 }, { jkt: 1 }, { jkt: 'a', x: 'b' }, []].map((cnf) => ({ cnf })),
      ...[1, undefined, null, {}, [1], 'other', '', [edgeAudience]].map((aud) => ({ aud })),
    ];
    for (const change of wrong) assert.equal(verdict(signed(change)), 'invalid', JSON.stringify(change));
    const { material, header } = ring.signer('ES256', 'at+jwt', now);
    for (const claims of [null, 'text', 1, []]) {
      assert.equal(verdict(signJwt(material, header, claims as never)), 'invalid', JSON.stringify(claims));
    }
    const anyUse = verifier({ useOf: () => 'edge-apis' });
    for (const aud of [1, undefined, null, {}, [1]]) {
      assert.equal(anyUse.verify(signed({ aud }), now).verdict, 'invalid', JSON.stringify(aud));
    }
    assert.equal(verdict(signed({ exp: 0 })), 'expired');
    assert.equal(verdict(signed({ auth_time: 0 })), 'valid');
    assert.equal(verdict(signed({ cnf: { 'x5t#S256': 'a' }, z_caid: 'c', z_ejsid: 's' })), 'valid');
    assert.equal(verdict(signed({ amr: [], z_ct: [] })), 'valid');
  });

  test('may be used for what its audience and client allow now', () => {
    const uses = new Map<string, 'edge-apis' | undefined>([['overlay', 'edge-apis']]);
    const asked: unknown[] = [];
    const judge = verifier({
      useOf: (claims) => {
        asked.push([claims.aud, claims.client_id]);
        return uses.get(claims.client_id);
      },
    });
    const token = signed({ aud: ['x', 'y'] });
    const judged = judge.verify(token, now);
    assert.equal(judged.verdict === 'valid' && judged.use, 'edge-apis');
    uses.clear();
    assert.equal(judge.verify(token, now).verdict, 'invalid', 'asked anew each time');
    assert.deepEqual(asked, [
      [['x', 'y'], 'overlay'],
      [['x', 'y'], 'overlay'],
    ]);
    assert.equal(verdict(signed({ aud: [edgeAudience] })), 'invalid');
    assert.equal(verdict(signed({ aud: 'other' })), 'invalid');
  });

  test('says by its class how many factors were proven', () => {
    const [one, two] = ['urn:overlay-auth:acr:one-factor', 'urn:overlay-auth:acr:two-factor'];
    assert.equal(acrOf(proven('password')), one);
    assert.equal(acrOf(proven('password', 'totp')), two);
    assert.equal(claimsIn(mint()).acr, two);
    assert.equal(claimsIn(mint({ passed: proven('cert') })).acr, one);
  });
});
