import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { importPKCS8, SignJWT } from 'jose';
import { DAY, MINUTE, type Millis, SECOND } from '../../src/platform/clock.ts';
import { createRootCa } from '../../src/platform/x509/pki.ts';
import { loggedDetail } from '../support/audit.ts';
import { signatureChecks } from '../support/counted-crypto.ts';
import {
  assertChallenged,
  bearer,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  redeemed,
  submitPasswordAnd,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { claimsOf } from '../support/flow.ts';
import { type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { goodClaims, startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';

interface Signer {
  readonly id: string;
  readonly issuer: string;
}

const clock = fixedClock('2026-01-01T00:00:00Z');
let admin: Caller;
// One thread: it counts signature checks, and reads the log at once.
const server = await serverOfFile({ clock, threads: 1 });
admin = await rootOf(server);
const [idp, other] = await Promise.all([startTestIdp(), startTestIdp()]);
const signer = { id: await createSigner(admin, idp, 'required'), issuer: idp.issuer };
await createSigner(admin, other, 'other');
const policy = await createPolicy(server, 'per request', { secondary: { requireExtJwt: signer.id } });
await createUserWithPolicy(server, 'alice', policy);
await createUserWithPolicy(server, 'bob', policy);
after(() => Promise.all([idp.close(), other.close()]));

const secondary = (name = 'alice', changes = {}, options = {}) =>
  tokenOf(server, idp, `${name}@idp`, changes, options);

async function accessToken(name = 'alice'): Promise<string> {
  const answer = await submitPasswordAnd(server, name, password, await secondary(name));
  return (await redeemed(server, answer)).access_token;
}

const call = (tokens: readonly string[], path = '/edge/client/v1/current-identity', method = 'GET') =>
  server.request(method, path, { headers: bearer(...tokens) });

describe('a caller whose policy requires an external JWT', () => {
  test('sends it with every call, before or after the access token', async () => {
    const [access, jwt] = [await accessToken(), await secondary()];
    for (const tokens of [
      [access, jwt],
      [jwt, access],
      ['not.a.jwt', jwt, access],
      [access, await tokenOf(server, other, 'alice@idp'), jwt],
    ]) {
      for (const root of ['/edge/client/v1', '/edge/management/v1']) {
        const answer = await call(tokens, `${root}/current-identity`);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json.data.name, 'alice');
      }
    }
    const joined = { authorization: `Bearer ${jwt}, Bearer ${access}` };
    assert.equal((await server.get('/edge/client/v1/current-identity', { headers: joined })).status, 200);
  });

  test('is challenged when it is missing, invalid or expired, on every call alike', async () => {
    const access = await accessToken();
    const iat = Math.floor(clock.now() / 1000);
    const good = await secondary();
    const [head, payload] = good.split('.');
    const cases: [string[], 'missing' | 'invalid' | 'expired'][] = [
      [[], 'missing'],
      [[await tokenOf(server, other, 'alice@idp')], 'missing'],
      [[access], 'missing'],
      [['not.a.jwt'], 'invalid'],
      [[`${head}.${payload}.${'A'.repeat(86)}`], 'invalid'],
      [[await secondary('alice', { aud: 'somebody' })], 'invalid'],
      // A valid token of another person.
      [[await secondary('bob')], 'invalid'],
      [[await secondary('alice', { exp: iat - 60, iat: iat - 90 })], 'expired'],
    ];
    const paths = ['current-identity', 'current-api-session'].flatMap((name) => [
      `/edge/client/v1/${name}`,
      `/edge/management/v1/${name}`,
    ]);
    for (const [tokens, error] of cases) {
      for (const path of [...paths, '/edge/management/v1/identities']) {
        const answer = await call([access, ...tokens], path);
        assertChallenged(answer, 'secondary', error, signer);
        assert.equal(answer.json.error.code, 'UNAUTHORIZED');
      }
    }
  });

  test('may end the session without it', async () => {
    for (const root of ['/edge/client/v1', '/edge/management/v1']) {
      const [access, jwt] = [await accessToken(), await secondary()];
      const answer = await call([access], `${root}/current-api-session`, 'DELETE');
      assert.equal(answer.status, 200, answer.text);
      const gone = await call([access, jwt]);
      assert.equal(gone.status, 401);
      assert.match(gone.lines('www-authenticate').join(), /^Bearer realm="overlay-oidc", error="invalid"/);
    }
  });

  test('is refused once the token expires between login and call, also when it was seen before', async () => {
    const [access, jwt] = [await accessToken(), await secondary()];
    for (let time = 0; time < 3; time += 1) assert.equal((await call([access, jwt])).status, 200);
    clock.advance(10 * MINUTE + 29 * SECOND);
    assert.equal((await call([access, jwt])).status, 200, 'within the leeway');
    clock.advance(SECOND);
    assertChallenged(await call([access, jwt]), 'secondary', 'expired', signer);
    assert.equal((await call([access, await secondary()])).status, 200);
  });

  test('cannot use a token that was seen before for another identity', async () => {
    const [alice, bob, jwt] = [
      await accessToken('alice'),
      await accessToken('bob'),
      await secondary('alice'),
    ];
    for (let time = 0; time < 3; time += 1) assert.equal((await call([alice, jwt])).status, 200);
    assertChallenged(await call([bob, jwt]), 'secondary', 'invalid', signer);
    assert.equal((await call([bob, jwt, await secondary('bob')])).status, 200);
  });

  test('has a session that cannot be opened by the external JWT alone', async () => {
    const answer = await call([await secondary()]);
    assert.equal(answer.status, 401);
    assert.deepEqual(answer.lines('www-authenticate'), [
      'zt-session realm="zt-session", error="missing", error_description="no matching token was provided"',
      'Bearer realm="overlay-oidc", error="missing", error_description="no matching token was provided"',
    ]);
  });

  test('pays for a signature only at the first call with a token', async () => {
    for (const [access, jwt] of [
      [await accessToken(), await secondary()],
      await certifiedCaller('erin', 10 * MINUTE),
    ] as const) {
      assert.equal((await call([access, jwt])).status, 200);
      const checks = signatureChecks();
      for (let time = 0; time < 3; time += 1) assert.equal((await call([access, jwt])).status, 200);
      assert.equal(checks(), 0);
    }
  });

  test('is told of a bad access token first', async () => {
    const answer = await call(['not-an-access-token', await secondary()]);
    assert.match(answer.lines('www-authenticate').join(), /^Bearer realm="overlay-oidc", error="invalid"/);
    const access = await accessToken();
    clock.advance(31 * MINUTE);
    for (const tokens of [[access], [access, 'not-an-access-token'], [access, await secondary()]]) {
      const { headers } = await call(tokens);
      assert.match(String(headers['www-authenticate']), /^Bearer realm="overlay-oidc", error="expired"/);
    }
  });
});

/** A new person whose policy requires a token of a signer that has a certificate for a day: access token and JWT. */
async function certifiedCaller(name: string, lifetime: Millis): Promise<readonly [string, string, Signer]> {
  admin = await loggedIn(server, 'root');
  const { certPem, keyPem } = await createRootCa(server, { commonName: name, days: 1 });
  const issuer = `https://${name}.example`;
  const fields = { name, enabled: true, issuer, audience: 'overlay', certPem, useExternalId: true };
  const id = createdId(await admin.call('POST', 'external-jwt-signers', fields));
  const policy = await createPolicy(server, name, { secondary: { requireExtJwt: id } });
  await createUserWithPolicy(server, name, policy);
  const good = goodClaims({ issuer, audience: 'overlay', subject: `${name}@idp` }, clock);
  const claims = { ...good, exp: Number(good.iat) + lifetime / SECOND };
  const key = await importPKCS8(keyPem, 'ES256');
  const jwt = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(key);
  const answer = await submitPasswordAnd(server, name, password, jwt);
  return [(await redeemed(server, answer)).access_token, jwt, { id, issuer }];
}

test('the log says why a call was refused, which the answer does not', async () => {
  admin = await loggedIn(server, 'root');
  const whyOf = async (...tokens: readonly string[]) => {
    const answer = await call(tokens);
    assert.equal(answer.status, 401);
    const why = String(loggedDetail(server, answer));
    assert.ok(!answer.text.includes(why) && !String(answer.headers['www-authenticate']).includes(why));
    return why;
  };
  const policy = await createPolicy(server, 'once free', {});
  const id = await createUserWithPolicy(server, 'grace', policy);
  const { accessToken: grace } = await loggedIn(server, 'grace');
  const session = claimsOf(grace).z_asid;
  assert.equal(await whyOf('not-an-access-token'), 'no valid access token');
  assert.equal(await whyOf(await secondary()), 'external JWTs only');
  assert.equal(
    await whyOf(await accessToken(), 'not.a.jwt', await secondary('bob')),
    'secondary external JWT: token: malformed-token, it is not three parts of base64url joined by dots, as a JWT is; same identity: secondary-wrong-identity, the token names "bob@idp"',
  );
  const primary = { updb: { allowed: false } };
  assert.equal((await admin.call('PATCH', `auth-policies/${policy}`, { primary })).status, 200);
  assert.equal(await whyOf(grace), `session ${session}: method-not-allowed`);
  await admin.call('DELETE', `identities/${id}/api-sessions`);
  assert.equal(await whyOf(grace), `session ${session} has ended`);
  const old = await accessToken();
  clock.advance(31 * MINUTE);
  assert.equal(await whyOf(old), 'access token expired');
});

describe('a signer with a certificate', () => {
  test('accepts a token that was seen before until it expires', async () => {
    const [access, jwt, by] = await certifiedCaller('dave', 10 * MINUTE);
    for (let time = 0; time < 2; time += 1) assert.equal((await call([access, jwt])).status, 200);
    clock.advance(10 * MINUTE + 29 * SECOND);
    assert.equal((await call([access, jwt])).status, 200, 'within the leeway');
    clock.advance(SECOND);
    assertChallenged(await call([access, jwt]), 'secondary', 'expired', by);
  });

  test('accepts none once its certificate has expired, also one that was seen before', async () => {
    const [, jwt, by] = await certifiedCaller('frank', 3 * DAY);
    clock.advance(DAY - MINUTE);
    const answer = await submitPasswordAnd(server, 'frank', password, jwt);
    const access = (await redeemed(server, answer)).access_token;
    for (let time = 0; time < 2; time += 1) assert.equal((await call([access, jwt])).status, 200);
    clock.advance(2 * MINUTE);
    assertChallenged(await call([access, jwt]), 'secondary', 'invalid', by);
  });
});

describe("an administrator's change applies at the next call", () => {
  test('a signer that is disabled, changed or enabled again', async () => {
    admin = await loggedIn(server, 'root');
    const [access, jwt] = [await accessToken(), await secondary()];
    const patch = (fields: object) => admin.call('PATCH', `external-jwt-signers/${signer.id}`, fields);
    for (let time = 0; time < 2; time += 1) assert.equal((await call([access, jwt])).status, 200);
    await patch({ enabled: false });
    assertChallenged(await call([access, jwt]), 'secondary', 'invalid', signer);
    assertChallenged(await call([access]), 'secondary', 'missing', signer);
    await patch({ enabled: true });
    assert.equal((await call([access, jwt])).status, 200);
    await patch({ audience: 'moved' });
    const moved = await secondary('alice', { aud: 'moved' });
    // What the signer completed by its former rule has ended, so that no token of the new one revives it.
    for (const token of [jwt, moved]) {
      const refused = await call([access, token]);
      assert.equal(refused.status, 401);
      assert.match(refused.lines('www-authenticate').join(), /^Bearer realm="overlay-oidc", error="invalid"/);
    }
    const again = (await redeemed(server, await submitPasswordAnd(server, 'alice', password, moved)))
      .access_token;
    assertChallenged(await call([again, jwt]), 'secondary', 'invalid', signer);
    assert.equal((await call([again, moved])).status, 200);
    await patch({ audience: 'overlay' });
  });

  test('a policy that starts or stops requiring the token', async () => {
    admin = await loggedIn(server, 'root');
    const policy = await createPolicy(server, 'free', {});
    await createUserWithPolicy(server, 'carol', policy);
    const carol = await loggedIn(server, 'carol');
    assert.equal((await carol.get('/edge/client/v1/current-identity')).status, 200);
    const require = (id: string | null) =>
      admin.call('PATCH', `auth-policies/${policy}`, { secondary: { requireExtJwtSigner: id } });
    assert.equal((await require(signer.id)).status, 200);
    assertChallenged(await call([carol.accessToken]), 'secondary', 'missing', signer);
    assert.equal((await call([carol.accessToken, await secondary('carol')])).status, 200);
    await require(null);
    assert.equal((await call([carol.accessToken])).status, 200);
  });
});

describe('the keys of the signer', () => {
  test('a withdrawn key is refused once the set was read again, also for a token that was seen before', async () => {
    const old = idp.currentKid();
    const jwt = await secondary('alice', { exp: Math.floor(clock.now() / 1000) + 3600 });
    let access = await accessToken();
    for (let time = 0; time < 3; time += 1) assert.equal((await call([access, jwt])).status, 200);
    await idp.rotate();
    idp.withdraw(old);
    clock.advance(11 * SECOND);
    // A token under the new key makes the set be read; the old key is gone with it.
    assert.equal((await call([access, await secondary()])).status, 200);
    assertChallenged(await call([access, jwt]), 'secondary', 'invalid', signer);
    clock.advance(11 * SECOND);
    access = await accessToken();
    assert.equal((await call([access, await secondary()])).status, 200);
  });

  test('are not fetched by calls, and known ones suffice while the provider is down', async () => {
    const [access, jwt] = [await accessToken(), await secondary()];
    await call([access, jwt]);
    idp.misbehave({ kind: 'status', status: 503 });
    const asked = idp.keyRequests();
    for (let time = 0; time < 20; time += 1) assert.equal((await call([access, jwt])).status, 200);
    assert.equal(idp.keyRequests(), asked);
    clock.advance(9 * MINUTE);
    assert.equal((await call([access, jwt])).status, 200);
    idp.misbehave(null);
  });
});
