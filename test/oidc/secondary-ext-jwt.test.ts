import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import {
  assertChallenged,
  audience,
  bearer,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  reasonOf,
  redeemed,
  submitJwt,
  submitPasswordAnd,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, claimsOf } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';
import { authQueries, scan, startEnrollment, submitCode, verifyEnrollment } from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
/** Signers of `one` and `two`. */
let s1: { readonly id: string; readonly issuer: string };
let s2: { readonly id: string; readonly issuer: string };
const server = await startTestServer({ clock });
const admin = await rootOf(server);
const [one, two] = await Promise.all([startTestIdp(), startTestIdp()]);
s1 = { id: await createSigner(admin, one, 'one'), issuer: one.issuer };
const forClients = { externalAuthUrl: 'https://idp.example/start', clientId: 'app', scopes: ['openid'] };
s2 = { id: await createSigner(admin, two, 'two', forClients), issuer: two.issuer };
const needsTwo = await createPolicy(server, 'needs two', { secondary: { requireExtJwt: s2.id } });
await createUserWithPolicy(server, 'alice', needsTwo);
await createUserWithPolicy(server, 'bob', needsTwo);
after(async () => {
  await Promise.all([server.close(), one.close(), two.close()]);
});

const ofOne = (name: string, changes = {}, options = {}) =>
  tokenOf(server, one, `${name}@idp`, changes, options);
const ofTwo = (name: string, changes = {}, options = {}) =>
  tokenOf(server, two, `${name}@idp`, changes, options);
const withPassword = (name: string, ...tokens: string[]) =>
  submitPasswordAnd(server, name, password, ...tokens);

describe('a policy that requires an external JWT', () => {
  test('is satisfied by one that comes with the password', async () => {
    const tokens = await redeemed(server, await withPassword('alice', await ofTwo('alice')));
    assert.deepEqual(claimsOf(tokens.access_token).amr, ['password', `ejs:${s2.id}`]);
  });

  test('requests it when it is missing, in the query and in a challenge', async () => {
    const answer = await withPassword('alice');
    assertChallenged(answer, 'secondary', 'missing', s2, 200);
    assert.equal(answer.headers['totp-required'], undefined);
    assert.deepEqual(answer.json, {
      authQueries: [
        {
          typeId: 'EXT-JWT',
          provider: 'url',
          id: s2.id,
          issuer: two.issuer,
          clientId: 'app',
          scopes: ['openid'],
          httpUrl: 'https://idp.example/start',
        },
      ],
    });
    assert.equal(await reasonOf(server, answer), 'secondary-token-missing');
  });

  test('is not satisfied by an invalid token, and the challenge says what is wrong', async () => {
    const iat = Math.floor(clock.now() / 1000);
    const cases: [string[], 'missing' | 'invalid' | 'expired', string][] = [
      [[await ofTwo('bob')], 'invalid', 'secondary-wrong-identity'],
      [[await ofOne('alice')], 'missing', 'secondary-token-missing'],
      [[await ofTwo('alice', { aud: 'somebody' })], 'invalid', 'token-audience'],
      [[await ofTwo('alice', { exp: iat - 60, iat: iat - 90 })], 'expired', 'token-expired'],
      [[await ofOne('alice', { iss: two.issuer })], 'invalid', 'token-signature'],
      [[await ofOne('alice'), await ofTwo('bob')], 'invalid', 'secondary-wrong-identity'],
    ];
    for (const [tokens, error, reason] of cases) {
      const answer = await withPassword('alice', ...tokens);
      assertChallenged(answer, 'secondary', error, s2, 200);
      assert.equal(await reasonOf(server, answer), reason);
    }
  });

  test('does not help a wrong password', async () => {
    const answer = await submitPasswordAnd(server, 'alice', 'wrong password', await ofTwo('alice'));
    assert.equal(answer.status, 401);
    assert.deepEqual(answer.lines('www-authenticate'), []);
  });

  test('may be tried again on the same request, and forgets what another identity proved', async () => {
    const authRequestId = await beginLogin(server);
    const submit = async (name: string, ...tokens: string[]) =>
      server.post('/oidc/login/username', {
        json: { authRequestId, username: name, password },
        headers: tokens.length === 0 ? {} : bearer(...tokens),
      });
    assert.equal((await submit('alice')).status, 200);
    assert.equal((await submit('bob', await ofTwo('alice'))).status, 200);
    const tokens = await redeemed(server, await submit('bob', await ofTwo('bob')));
    assert.equal(claimsOf(tokens.access_token).name ?? 'bob', 'bob');
  });
});

describe('with an external JWT as the primary proof', () => {
  test('the two tokens may come in any order', async () => {
    const [primary, secondary] = [await ofOne('alice'), await ofTwo('alice')];
    for (const tokens of [
      [primary, secondary],
      [secondary, primary],
      ['a.b.c', secondary, primary],
    ]) {
      const { access_token } = await redeemed(server, await submitJwt(server, ...tokens));
      assert.deepEqual(claimsOf(access_token).amr, ['ext-jwt', `ejs:${s2.id}`]);
    }
  });

  test('two tokens of different identities do not add up', async () => {
    const answer = await submitJwt(server, await ofOne('alice'), await ofTwo('bob'));
    assertChallenged(answer, 'secondary', 'invalid', s2, 200);
  });
});

describe('after the password, the external JWT may come alone', () => {
  async function begun(name: string): Promise<(...tokens: string[]) => Promise<Answer>> {
    const authRequestId = await beginLogin(server);
    const json = { authRequestId, username: name, password };
    assert.equal((await server.post('/oidc/login/username', { json })).status, 200);
    return (...tokens) =>
      server.post('/oidc/login/ext-jwt', { json: { authRequestId }, headers: bearer(...tokens) });
  }

  test('and completes the login that the password began', async () => {
    const submit = await begun('alice');
    const { access_token } = await redeemed(server, await submit(await ofTwo('alice')));
    assert.deepEqual(claimsOf(access_token).amr, ['password', `ejs:${s2.id}`]);
  });

  test('an invalid one is refused as the missing token, and a valid one may follow', async () => {
    const submit = await begun('alice');
    const iat = Math.floor(clock.now() / 1000);
    const expired = await ofTwo('alice', { exp: iat - 60, iat: iat - 90 });
    assertChallenged(await submit(expired), 'secondary', 'expired', s2, 200);
    const forged = await ofOne('alice', { iss: two.issuer });
    assertChallenged(await submit(forged), 'secondary', 'invalid', s2, 200);
    assertChallenged(await submit('garbage'), 'secondary', 'invalid', s2, 200);
    const foreign = await ofTwo('alice', { aud: 'somebody else' });
    assertChallenged(await submit(foreign), 'secondary', 'invalid', s2, 200);
    assert.equal((await submit(await ofTwo('alice'))).status, 302);
  });

  test('none is asked for again, and the login stays', async () => {
    const submit = await begun('alice');
    const answer = await submit();
    assertChallenged(answer, 'secondary', 'missing', s2, 200);
    assert.equal(answer.json.authQueries[0].typeId, 'EXT-JWT');
    assert.equal((await submit(await ofTwo('alice'))).status, 302);
  });

  test('one of another signer is a new primary login', async () => {
    const submit = await begun('alice');
    assertChallenged(await submit(await ofOne('alice')), 'secondary', 'missing', s2, 200);
    const { access_token } = await redeemed(server, await submit(await ofTwo('alice')));
    assert.deepEqual(claimsOf(access_token).amr, ['ext-jwt', `ejs:${s2.id}`]);
  });

  test('one of another signer with the same issuer is not taken for it', async () => {
    const sibling = await createSigner(admin, two, 'sibling', { audience: 'sibling' });
    const submit = await begun('alice');
    const refused = await submit(await ofTwo('alice', { aud: 'sibling' }));
    assert.equal(refused.status, 401);
    assert.equal(await reasonOf(server, refused), 'signer-not-independent');
    await admin.call('DELETE', `external-jwt-signers/${sibling}`);
  });

  test('one of another person is refused, also where it could open a login of theirs, and the login stays', async () => {
    await createUserWithPolicy(server, 'dora', await createPolicy(server, 'one factor', {}));
    const submit = await begun('alice');
    for (const other of ['bob', 'dora'])
      assertChallenged(await submit(await ofTwo(other)), 'secondary', 'invalid', s2, 200);
    const { access_token } = await redeemed(server, await submit(await ofTwo('alice')));
    assert.deepEqual(claimsOf(access_token).amr, ['password', `ejs:${s2.id}`]);
  });

  test('it does not count for a login without a primary proof', async () => {
    const authRequestId = await beginLogin(server);
    const send = { json: { authRequestId }, headers: bearer(await ofTwo('alice')) };
    const answer = await server.post('/oidc/login/ext-jwt', send);
    assert.equal(answer.status, 401);
    assert.equal((await authQueries(server, authRequestId)).status, 400);
  });
});

test('people in a browser get a page that says which token is missing, with the same headers', async () => {
  const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
  const json = { authRequestId: await beginLogin(server), username: 'alice', password };
  const answer = await server.post('/oidc/login/username', { json, headers });
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers['content-type']), /^text\/html/);
  assert.match(String(answer.headers['www-authenticate']), /overlay-secondary-ext-jwt/);
  assert.ok(answer.text.includes(s2.issuer.replaceAll('&', '&amp;')));
});

describe('together with TOTP', () => {
  test('both are required; the token that came with the password counts when the code comes', async () => {
    const both = await createPolicy(server, 'both', {
      secondary: { requireTotp: true, requireExtJwt: s2.id },
    });
    await createUserWithPolicy(server, 'carol', both);
    const authRequestId = await beginLogin(server);
    const json = { authRequestId, username: 'carol', password };
    const none = await server.post('/oidc/login/username', { json });
    assert.deepEqual(
      none.json.authQueries.map(({ typeId }: { typeId: string }) => typeId),
      ['MFA', 'EXT-JWT'],
    );
    assert.equal(none.headers['totp-required'], 'true');
    assertChallenged(none, 'secondary', 'missing', s2, 200);

    const withToken = await server.post('/oidc/login/username', {
      json,
      headers: bearer(await ofTwo('carol')),
    });
    assert.equal(withToken.json.authQueries.length, 1);
    assert.deepEqual(withToken.lines('www-authenticate'), []);
    const started = await startEnrollment(server, authRequestId);
    const app = scan(clock, started.json.provisioningUrl);
    const { access_token } = await redeemed(
      server,
      await verifyEnrollment(server, authRequestId, app.code()),
    );
    assert.deepEqual(claimsOf(access_token).amr, ['password', `ejs:${s2.id}`, 'totp']);

    // The code alone does not finish the login without the token.
    clock.advance(MINUTE);
    const again = await beginLogin(server);
    await server.post('/oidc/login/username', { json: { ...json, authRequestId: again } });
    const halfway = await submitCode(server, again, app.code());
    assertChallenged(halfway, 'secondary', 'missing', s2, 200);
    assert.equal((await authQueries(server, again)).json.authQueries[0].typeId, 'EXT-JWT');
  });

  test('both may be answered at once, whichever is faster', async () => {
    const both = await createPolicy(server, 'both at once', {
      secondary: { requireTotp: true, requireExtJwt: s2.id },
    });
    await createUserWithPolicy(server, 'frank', both);
    const json = { username: 'frank', password };
    const first = await beginLogin(server);
    const withToken = { json: { ...json, authRequestId: first }, headers: bearer(await ofTwo('frank')) };
    await server.post('/oidc/login/username', withToken);
    const app = scan(clock, (await startEnrollment(server, first)).json.provisioningUrl);
    assert.equal((await verifyEnrollment(server, first, app.code())).status, 302);
    for (let round = 0; round < 5; round += 1) {
      clock.advance(MINUTE);
      const authRequestId = await beginLogin(server);
      await server.post('/oidc/login/username', { json: { ...json, authRequestId } });
      const headers = bearer(await ofTwo('frank'));
      const answers = await Promise.all([
        submitCode(server, authRequestId, app.code()),
        server.post('/oidc/login/ext-jwt', { json: { authRequestId }, headers }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 302]);
      const finished = answers.find(({ status }) => status === 302);
      assert.ok(finished);
      const { amr } = claimsOf((await redeemed(server, finished)).access_token);
      assert.deepEqual(amr.sort(), ['password', 'totp', `ejs:${s2.id}`].sort());
    }
  });

  test('a signer that is disabled between the steps no longer counts', async () => {
    const both = await createPolicy(server, 'both again', {
      secondary: { requireTotp: true, requireExtJwt: s2.id },
    });
    await createUserWithPolicy(server, 'dave', both);
    const erinId = await createUserWithPolicy(
      server,
      'erin',
      await createPolicy(server, 'totp', { secondary: { requireTotp: true } }),
    );
    const authRequestId = await beginLogin(server);
    const json = { authRequestId, username: 'dave', password };
    await server.post('/oidc/login/username', { json, headers: bearer(await ofTwo('dave')) });
    const primary = await beginLogin(server);
    await server.post('/oidc/login/ext-jwt', {
      json: { authRequestId: primary },
      headers: bearer(await ofTwo('erin')),
    });
    const apps = [];
    for (const id of [authRequestId, primary])
      apps.push(scan(clock, (await startEnrollment(server, id)).json.provisioningUrl));
    await admin.call('PATCH', `external-jwt-signers/${s2.id}`, { enabled: false });
    const asSecondary = await verifyEnrollment(server, authRequestId, apps[0]?.code());
    assertRefused(asSecondary, 409, 'CONFLICT');
    assertChallenged(await authQueries(server, authRequestId), 'secondary', 'missing', s2, 200);
    const asPrimary = await verifyEnrollment(server, primary, apps[1]?.code());
    assert.equal(asPrimary.status, 401);
    assert.equal(await reasonOf(server, asPrimary), 'signer-disabled');
    // Nor does the enrollment it began: the app of the token's holder must not become the identity's.
    assert.equal(await server.store.totp.find(erinId), null);
    assert.equal((await startEnrollment(server, primary)).status, 401);
    await admin.call('PATCH', `external-jwt-signers/${s2.id}`, { enabled: true });
  });
});

test('a policy can be given signers that exist, and no others', async () => {
  const rules = (signer: string) => ({
    name: `names ${signer}`,
    primary: { extJwt: { allowed: true, allowedSigners: [signer] } },
    secondary: { requireTotp: false, requireExtJwtSigner: signer },
  });
  assert.equal((await admin.call('POST', 'auth-policies', rules(s1.id))).status, 201);
  assert.equal((await admin.call('POST', 'auth-policies', rules('no-such'))).status, 400);
  const deletion = await admin.call('DELETE', `external-jwt-signers/${s1.id}`);
  assert.deepEqual([deletion.status, deletion.json.error.code], [409, 'CAN_NOT_DELETE_REFERENCED_ENTITY']);
});

test(`${audience} tokens of a signer do not open a session for an identity that they do not name`, async () => {
  const answer = await submitJwt(server, await ofOne('mallory'), await ofTwo('mallory'));
  assert.equal(answer.status, 401);
});
