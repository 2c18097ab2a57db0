import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { forge } from '../login/external-jwt-support.ts';
import {
  assertChallenged,
  audience,
  bearer,
  createIdentity,
  createSigner,
  reasonOf,
  redeemed,
  submitJwt,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, callWith, claimsOf } from '../support/flow.ts';
import { type Caller, loggedIn, rootOf } from '../support/management.ts';
import { startTestIdp, type TestIdp } from '../support/test-idp.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let admin: Caller;
const server = await serverOfFile({ clock });
admin = await rootOf(server);
const [one, two] = await Promise.all([startTestIdp(), startTestIdp()]);
after(() => Promise.all([one.close(), two.close()]));

/** Tests remove the signers they create, so that the challenges in other tests name only their own. */
async function withSigners(run: () => Promise<void>): Promise<void> {
  // Tests let hours pass; an administrator logs in again.
  admin = await loggedIn(server, 'root');
  try {
    await run();
  } finally {
    const { externalJwtSigners } = server.store;
    for (const { id } of await externalJwtSigners.listAll()) {
      assert.equal(await externalJwtSigners.delete(id, clock.now()), true);
    }
    // Keys are fetched at most once in ten seconds; a later test may need them.
    clock.advance(11 * SECOND);
  }
}

const login = (idp: TestIdp, subject: string, changes = {}, options = {}) =>
  tokenOf(server, idp, subject, changes, options).then((token) => submitJwt(server, token));

describe('a valid external JWT', () => {
  test('logs in the identity with its external id', async () => {
    const id = await createIdentity(server, 'ext');
    await withSigners(async () => {
      await createSigner(admin, one, 'one');
      const tokens = await redeemed(server, await login(one, 'ext@idp'));
      const claims = claimsOf(tokens.access_token);
      assert.equal(claims.sub, id);
      assert.deepEqual(claims.amr, ['ext-jwt']);
      assert.equal((await callWith(server, tokens.access_token)).status, 200);
    });
  });

  test('logs in the identity whose id a claim contains, at any position', async () => {
    const id = await createIdentity(server, 'by-id', { externalId: null });
    await withSigners(async () => {
      await createSigner(admin, one, 'one', { useExternalId: false, claimsProperty: '/overlay/identity' });
      const answer = await login(one, 'whoever', { overlay: { identity: id } });
      assert.equal(claimsOf((await redeemed(server, answer)).access_token).sub, id);
      // An external id is no identity id.
      await createIdentity(server, 'by-ext');
      const refused = await login(one, 'whoever', { overlay: { identity: 'by-ext@idp' } });
      assert.equal(refused.status, 401);
      assert.equal(await reasonOf(server, refused), 'no-identity-for-claim');
    });
  });

  test('is accepted with the auth request id under each of its names, in form and JSON, body and query', async () => {
    await createIdentity(server, 'spelled');
    await withSigners(async () => {
      await createSigner(admin, one, 'one');
      const headers = bearer(await tokenOf(server, one, 'spelled@idp'));
      const path = '/oidc/login/ext-jwt';
      for (const name of ['authRequestId', 'authRequestID', 'id']) {
        const answers = [
          await server.post(path, { json: { [name]: await beginLogin(server) }, headers }),
          await server.post(path, { form: { [name]: await beginLogin(server) }, headers }),
          await server.post(`${path}?${name}=${await beginLogin(server)}`, { json: {}, headers }),
        ];
        for (const answer of answers) assert.equal(answer.status, 302, `${name}: ${answer.text}`);
      }
    });
  });
});

test('the authorization endpoint leads there, and GET answers with the id in a header', async () => {
  const id = await beginLogin(server, { method: 'ext-jwt' });
  const answer = await server.get(`/oidc/login/ext-jwt?authRequestID=${encodeURIComponent(id)}`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['auth-request-id'], id);
});

describe('the challenge of a refused login', () => {
  test('lists every enabled signer, and says missing, invalid or expired', async () => {
    await createIdentity(server, 'challenged');
    await withSigners(async () => {
      const first = await createSigner(admin, one, 'one');
      await createSigner(admin, two, 'two off', { enabled: false });
      const second = await createSigner(admin, two, 'two', { audience: 'other' });
      const signers = { id: `${first}|${second}`, issuer: `${one.issuer}|${two.issuer}` };
      const iat = Math.floor(clock.now() / 1000);
      const sent: [tokens: string[], 'missing' | 'invalid' | 'expired'][] = [
        [[], 'missing'],
        [[await tokenOf(server, one, 'x', { iss: 'https://elsewhere.example' })], 'missing'],
        [['no JWT at all'], 'invalid'],
        [[await tokenOf(server, one, 'challenged@idp', { aud: 'somebody else' })], 'invalid'],
        [[await tokenOf(server, one, 'challenged@idp', { exp: iat - 60, iat: iat - 90 })], 'expired'],
        [[await tokenOf(server, one, 'challenged@idp', { exp: iat - 60, iat })], 'expired'],
        // A valid token without an identity gets the same answer as an invalid one.
        [[await tokenOf(server, one, 'nobody@idp')], 'invalid'],
      ];
      for (const [tokens, error] of sent) {
        assertChallenged(await submitJwt(server, ...tokens), 'primary', error, signers);
      }
    });
  });

  test('fits into a header however many signers there are', async () => {
    await withSigners(async () => {
      for (let number = 0; number < 12; number += 1) {
        const issuer = `https://idp-${number}.example/${'x'.repeat(1000)}`;
        await createSigner(admin, { issuer, jwksEndpoint: one.jwksEndpoint }, `long ${number}`);
      }
      const answer = await submitJwt(server);
      assert.equal(answer.status, 401);
      const [line = ''] = answer.lines('www-authenticate');
      assert.ok(line.length < 5000, `${line.length}`);
      assert.match(line, /realm="overlay-primary-ext-jwt", error="missing"/);
    });
  });
});

describe('a token is refused', () => {
  test('with its reason on record, when one thing about it is wrong', async () => {
    await createIdentity(server, 'refusals');
    await withSigners(async () => {
      await createSigner(admin, one, 'one', { leewaySeconds: 10 });
      const iat = Math.floor(clock.now() / 1000);
      const good = await tokenOf(server, one, 'refusals@idp');
      assert.equal((await submitJwt(server, good)).status, 302);
      const [header, payload] = good.split('.');
      const cases: [string, string][] = [
        ['', 'no-token'],
        [`${header}.${payload}.`, 'malformed-token'],
        [`${header}.${payload}.${'A'.repeat(86)}`, 'token-signature'],
        [await tokenOf(server, one, 'refusals@idp', { aud: `${audience}x` }), 'token-audience'],
        [await tokenOf(server, one, 'refusals@idp', { aud: [`x${audience}`] }), 'token-audience'],
        [await tokenOf(server, one, 'refusals@idp', { aud: undefined }), 'token-audience'],
        [await tokenOf(server, one, 'refusals@idp', { exp: undefined }), 'token-without-expiry'],
        [await tokenOf(server, one, 'refusals@idp', { exp: iat - 10, iat: iat - 60 }), 'token-expired'],
        [await tokenOf(server, one, 'refusals@idp', { nbf: iat + 11 }), 'token-not-yet-valid'],
        [await tokenOf(server, one, 'refusals@idp', { iss: `${one.issuer}/` }), 'no-signer-for-issuer'],
        [await tokenOf(server, one, 'refusals@idp', { sub: undefined }), 'token-claim-missing'],
        [await tokenOf(server, one, 'refusals@idp', { sub: ['refusals@idp'] }), 'token-claim-missing'],
        [await tokenOf(server, one, 'Refusals@idp'), 'no-identity-for-claim'],
        [await tokenOf(server, one, 'refusals@idp', {}, { header: { kid: 'unknown' } }), 'unknown-key'],
      ];
      for (const [token, reason] of cases) {
        const answer = await submitJwt(server, token);
        assert.equal(answer.status, 401, reason);
        assert.equal(answer.json.error.code, 'INVALID_AUTH');
        assert.equal(await reasonOf(server, answer), reason);
      }
      // The record has the values that its remedy tells to compare.
      const foreign: [string, string, string][] = [
        [
          'no-signer-for-issuer',
          `${one.issuer}/`,
          await tokenOf(server, one, 'x', { iss: `${one.issuer}/` }),
        ],
        ['token-audience', 'seen-audience', await tokenOf(server, one, 'x', { aud: 'seen-audience' })],
        ['token-audience', '["a","b"]', await tokenOf(server, one, 'x', { aud: ['a', 'b'] })],
        ['token-times', 'exp is "soon"', await tokenOf(server, one, 'x', { exp: 'soon' })],
        ['token-times', 'iat is 1', await tokenOf(server, one, 'x', { iat: iat * 1000 })],
        ['token-without-expiry', 'no exp', await tokenOf(server, one, 'x', { exp: null })],
        [
          'token-expired',
          new Date((iat - 11) * 1000).toISOString(),
          await tokenOf(server, one, 'x', { exp: iat - 11, iat: iat - 60 }),
        ],
        [
          'token-not-yet-valid',
          `nbf is ${new Date((iat + 11) * 1000).toISOString()}`,
          await tokenOf(server, one, 'x', { nbf: iat + 11 }),
        ],
        ['token-type', 'logout+jwt', await tokenOf(server, one, 'x', {}, { header: { typ: 'logout+jwt' } })],
        ['token-unsigned', 'none', forge({ alg: 'none' }, { iss: one.issuer }, '')],
        ['token-encrypted', 'A256GCM', `${forge({ alg: 'dir', enc: 'A256GCM' }, {})}.x.x`],
        ['token-algorithm', 'HS256', forge({ alg: 'HS256' }, { iss: one.issuer })],
        ['token-without-issuer', 'nothing', forge({ alg: 'ES256' }, { sub: 'x' })],
        ['token-claim-missing', 'sub is 7', await tokenOf(server, one, 'x', { sub: 7 })],
        ['unknown-key', '"k\\u2029"', await tokenOf(server, one, 'x', {}, { header: { kid: 'k\u2029' } })],
      ];
      for (const [reason, saw, token] of foreign) {
        const answer = await submitJwt(server, token);
        const record = await admin.get(`login-attempts/${answer.headers['x-request-id']}`);
        const [attempt] = record.json.data.attempts;
        assert.equal(attempt.reason, reason);
        assert.ok(attempt.checks[0].saw.includes(saw), `${reason}: ${attempt.checks[0].saw}`);
        assert.ok(attempt.explanation.happened && attempt.explanation.remedy);
      }
      // Within the leeway, in both directions.
      assert.equal((await login(one, 'refusals@idp', { exp: iat - 9, iat: iat - 60 })).status, 302);
      assert.equal((await login(one, 'refusals@idp', { nbf: iat + 10 })).status, 302);
    });
  });

  test('when it is an access token of this service', async () => {
    await withSigners(async () => {
      await createSigner(admin, one, 'one');
      const answer = await submitJwt(server, admin.accessToken);
      assert.equal(answer.status, 401);
      assert.equal(await reasonOf(server, answer), 'no-signer-for-issuer');
    });
  });
});

describe('signers that share something', () => {
  test('nothing in the request can choose the signer', async () => {
    await createIdentity(server, 'steered');
    await withSigners(async () => {
      await createSigner(admin, one, 'one');
      const second = await createSigner(admin, two, 'two');
      const token = await tokenOf(server, two, 'steered@idp', { iss: one.issuer });
      const authRequestId = await beginLogin(server);
      const answer = await server.post('/oidc/login/ext-jwt', {
        json: { authRequestId, signer: second, issuerId: second },
        headers: { ...bearer(token), 'token-issuer-id': second, 'ziti-token-issuer-id': second },
      });
      assert.equal(answer.status, 401);
    });
  });
});

describe('several Authorization lines', () => {
  test('the first valid token wins, with any tokens before it', async () => {
    const id = await createIdentity(server, 'lines');
    await createIdentity(server, 'later');
    await withSigners(async () => {
      await createSigner(admin, one, 'one');
      const good = await tokenOf(server, one, 'lines@idp');
      const later = await tokenOf(server, one, 'later@idp');
      const nobody = await tokenOf(server, one, 'nobody@idp');
      for (const tokens of [
        [nobody, 'x.y.z', good],
        [good, later],
        ['', good, later],
      ]) {
        const answer = await submitJwt(server, ...tokens);
        const { access_token } = await redeemed(server, answer);
        assert.equal(claimsOf(access_token).sub, id);
        assert.equal(await reasonOf(server, answer), null, 'a login that passed has no reason on record');
      }
    });
  });

  test('more than three are refused, and other schemes are ignored', async () => {
    await withSigners(async () => {
      await createSigner(admin, one, 'one');
      const token = await tokenOf(server, one, 'lines@idp');
      assert.equal((await submitJwt(server, token, token, token, token)).status, 400);
      const joined = await submitJwt(server, `${token}, Bearer ${token}`, token, token);
      assert.equal(joined.status, 400, 'nor when a proxy has joined their lines');
      const authRequestId = await beginLogin(server);
      for (const scheme of ['Basic', 'DPoP', 'Token', '']) {
        const headers = { authorization: `${scheme} ${token}`.trim() };
        const answer = await server.post('/oidc/login/ext-jwt', { json: { authRequestId }, headers });
        assert.equal(answer.status, 401, scheme);
        assert.match(answer.lines('www-authenticate')[0] ?? '', /error="missing"/);
      }
    });
  });
});

describe('a signer that is disabled', () => {
  test('while its token waits for keys, does not count', async () => {
    await createIdentity(server, 'in flight');
    await withSigners(async () => {
      const id = await createSigner(admin, one, 'one');
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      one.misbehave({ kind: 'late', until: released });
      const asked = one.keyRequests();
      const answering = login(one, 'in flight@idp');
      while (one.keyRequests() === asked) await new Promise((resolve) => setImmediate(resolve));
      await admin.call('PATCH', `external-jwt-signers/${id}`, { enabled: false });
      release();
      const answer = await answering;
      one.misbehave(null);
      assert.equal(answer.status, 401);
      assert.equal(await reasonOf(server, answer), 'signer-disabled');
    });
  });
});

test('an address that the provider did not verify is refused, and explain says that', async () => {
  await createIdentity(server, 'mail', { externalId: 'mail@example.com' });
  await withSigners(async () => {
    const id = await createSigner(admin, one, 'one', { claimsProperty: 'email' });
    const unverified = { email: 'mail@example.com' };
    const refused = await login(one, 'mail', unverified);
    assert.equal(refused.status, 401);
    assert.equal(await reasonOf(server, refused), 'email-not-verified');
    const record = await admin.get(`login-attempts/${refused.headers['x-request-id']}`);
    const { happened, remedy } = record.json.data.attempts[0].explanation;
    assert.equal(happened, 'The address was not verified by the provider.');
    assert.match(remedy, /requireVerifiedEmail/);
    await admin.call('PATCH', `external-jwt-signers/${id}`, { requireVerifiedEmail: false });
    clock.advance(11 * SECOND);
    assert.equal((await login(one, 'mail', unverified)).status, 302);
    assert.equal((await login(one, 'mail', { ...unverified, email_verified: false })).status, 401);
  });
});

describe('the keys of a provider', () => {
  test('change without a restart: a new key is found, a withdrawn one is forgotten', async () => {
    await createIdentity(server, 'keys');
    await withSigners(async () => {
      await createSigner(admin, one, 'one');
      const old = one.currentKid();
      assert.equal((await login(one, 'keys@idp')).status, 302);
      clock.advance(2 * SECOND);
      const fresh = await one.rotate();
      assert.equal((await login(one, 'keys@idp')).status, 302);
      assert.equal((await login(one, 'keys@idp', {}, { kid: old })).status, 302);
      one.withdraw(old);
      clock.advance(16 * MINUTE);
      const refused = await login(one, 'keys@idp', {}, { kid: old });
      assert.equal(refused.status, 401);
      assert.equal(await reasonOf(server, refused), 'unknown-key');
      assert.equal((await login(one, 'keys@idp', {}, { kid: fresh })).status, 302);
    });
  });

  test('are where the discovery document says, unless an address is set by hand', async () => {
    await createIdentity(server, 'moved');
    await withSigners(async () => {
      const { issuer } = one;
      const id = await createSigner(admin, one, 'follows', { jwksEndpoint: null });
      const change = (fields: object) => admin.call('PATCH', `external-jwt-signers/${id}`, fields);
      const shown = async () => (await admin.get(`external-jwt-signers/${id}`)).json.data;
      assert.deepEqual([(await shown()).discovery, (await shown()).jwksEndpoint], [true, null]);
      assert.equal((await login(one, 'moved@idp')).status, 302);
      // The provider moves its keys: the old address has nothing any more.
      clock.advance(16 * MINUTE);
      one.misbehave({ kind: 'status', status: 404 });
      one.describe({ jwks_uri: `${issuer}/hop/0` });
      assert.equal((await login(one, 'moved@idp')).status, 302);
      for (const described of [{ issuer: 'https://bank.example' }, { jwks_uri: 7 }, { jwks_uri: null }]) {
        one.describe({ jwks_uri: `${issuer}/hop/0`, ...described });
        clock.advance(25 * HOUR);
        admin = await loggedIn(server, 'root');
        const refused = await login(one, 'moved@idp');
        assert.equal(await reasonOf(server, refused), 'keys-unavailable', JSON.stringify(described));
        const record = await admin.get(`login-attempts/${refused.headers['x-request-id']}`);
        assert.match(record.text, /the discovery document is none, is of another issuer, or names no keys/);
      }
      one.misbehave(null);
      assert.equal((await change({ jwksEndpoint: one.jwksEndpoint })).status, 200);
      assert.equal((await shown()).discovery, false);
      assert.equal((await login(one, 'moved@idp')).status, 302, 'by hand');
      // Both: the address is for when there is no document.
      assert.equal((await change({ discovery: true })).status, 200);
      assert.deepEqual([(await shown()).discovery, (await shown()).jwksEndpoint], [true, one.jwksEndpoint]);
      assert.equal((await login(one, 'moved@idp')).status, 302, 'although the document names none');
      one.describe({});
    });
  });

  test('that cannot be fetched are an ordinary refusal, until they can', async () => {
    await createIdentity(server, 'down');
    await withSigners(async () => {
      await createSigner(admin, two, 'two');
      two.misbehave({ kind: 'status', status: 500 });
      const refused = await login(two, 'down@idp');
      assert.equal(refused.status, 401);
      assert.equal(await reasonOf(server, refused), 'keys-unavailable');
      two.misbehave(null);
      clock.advance(11 * SECOND);
      assert.equal((await login(two, 'down@idp')).status, 302);
      // Known keys stay in use for a day.
      two.misbehave({ kind: 'status', status: 500 });
      clock.advance(23 * HOUR);
      assert.equal((await login(two, 'down@idp')).status, 302);
      clock.advance(2 * HOUR);
      assert.equal((await login(two, 'down@idp')).status, 401);
      two.misbehave(null);
    });
  });

  test('are fetched a few times, however many tokens name unknown keys', async () => {
    await createIdentity(server, 'flood');
    await withSigners(async () => {
      await createSigner(admin, one, 'one');
      await login(one, 'flood@idp');
      const asked = one.keyRequests();
      for (let number = 0; number < 20; number += 1) {
        const header = { header: { kid: `random ${number}` } };
        assert.equal((await login(one, 'flood@idp', {}, header)).status, 401);
      }
      assert.ok(one.keyRequests() - asked <= 3);
    });
  });
});

test('all threads together fetch the keys of a provider once, and learn of a failure together', async () => {
  const threaded = await startTestServer({ clock, threads: 2 });
  const idp = await startTestIdp();
  try {
    await createSigner(await rootOf(threaded), idp, 'one');
    await createIdentity(threaded, 'many');
    // The system spreads connections over the threads.
    const submit = async (changes = {}) =>
      (await submitJwt(threaded, await tokenOf(threaded, idp, 'many@idp', {}, changes))).status;
    const times = async (count: number, status: number, changes = {}) => {
      for (let time = 0; time < count; time += 1) assert.equal(await submit(changes), status);
    };
    await times(16, 302);
    assert.equal(idp.keyRequests(), 1);
    clock.advance(11 * SECOND);
    await times(16, 401, { header: { kid: 'unknown' } });
    assert.equal(idp.keyRequests(), 4);
    // Only one thread may learn of the set before it is gone, and all have it.
    idp.misbehave({ kind: 'status', status: 500 });
    clock.advance(23 * HOUR);
    await times(16, 302);
    assert.equal(idp.keyRequests(), 5);
    clock.advance(2 * HOUR);
    await times(16, 401);
    assert.equal(idp.keyRequests(), 6);
    idp.misbehave(null);
    clock.advance(11 * SECOND);
    await times(16, 302);
    assert.equal(idp.keyRequests(), 7);
  } finally {
    await Promise.all([threaded.close(), idp.close()]);
  }
});

test('a key server on this machine is contacted only if an allow-list names it, and the refusal says so', async () => {
  const closed = await startTestServer({
    configure: (yaml) => yaml.replace(/allowedIPs: \[.*\]/, 'allowedIPs: []'),
  });
  const idp = await startTestIdp();
  const root = await rootOf(closed);
  const { issuer, port } = idp;
  const signer = { name: 'near', issuer, audience, jwksEndpoint: `https://127.0.0.1:${port}/jwks` };
  const refused = await root.call('POST', 'external-jwt-signers', signer);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /additionalHostnames in edge\.externalJwtSigners\.jwksFetch/);
  // Names are resolved when a person logs in.
  await createSigner(root, idp, 'near');
  const attempt = await submitJwt(closed, await tokenOf(closed, idp, 'ana@idp'));
  assert.equal(attempt.status, 401);
  assert.equal(idp.requests.size, 0);
  const record = await root.call('GET', `login-attempts/${attempt.headers['x-request-id']}`);
  assert.match(record.text, /private or loopback address.*additionalHostnames/);
  await closed.close();
  await idp.close();
});
