// Clients that authenticate with an assertion (private_key_jwt).

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { HOUR, MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import type { Answer } from '../support/https-client.ts';
import { rootOf } from '../support/management.ts';
import { basic, codeFor, redeemAs, registerClient } from '../support/oidc-clients.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const pair = await generateKeyPair('ES256', { extractable: true });
const stranger = await generateKeyPair('ES256');
const idp = await startTestIdp();
const server = await serverOfFile({
  clock,
  configure: (yaml) => yaml.replace(/blockPrivateAddresses: true/, 'blockPrivateAddresses: false'),
});
const root = await rootOf(server);
const jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', use: 'sig' }] };
const app = await registerClient(root, { tokenEndpointAuthMethod: 'private_key_jwt', jwks });
after(() => idp.close());

const seconds = () => Math.floor(clock.now() / 1000);
let count = 0;

/** The claims of a valid assertion, with changes; undefined removes a claim. */
function claims(changes: JWTPayload = {}): JWTPayload {
  count += 1;
  const now = seconds();
  return {
    iss: app.id,
    sub: app.id,
    aud: `${server.issuer}/token`,
    jti: `j${count}`,
    iat: now,
    exp: now + 60,
    ...changes,
  };
}

function sign(
  payload: JWTPayload,
  key = pair.privateKey,
  header: Record<string, unknown> = {},
): Promise<string> {
  const present = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
  return new SignJWT(present).setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header }).sign(key);
}

async function redeemWith(assertion: string, form: Record<string, string> = {}): Promise<Answer> {
  const code = await codeFor(server, app, 'root');
  return redeemAs(
    server,
    app,
    code,
    { client_assertion_type: type, client_assertion: assertion, ...form },
    {},
  );
}

function assertRefused(answer: Answer, why: string): void {
  assert.equal(answer.status, 401, `${why}: ${answer.text}`);
  assert.equal(answer.json.error, 'invalid_client');
  assert.equal(answer.json.error_description, 'the client could not be authenticated');
}

test('a valid assertion works for the token endpoint or the issuer, with and without client_id', async () => {
  const { issuer } = server;
  for (const aud of [`${issuer}/token`, `${issuer}/par`, issuer, [issuer], [issuer, `${issuer}/token`]]) {
    assert.equal((await redeemWith(await sign(claims({ aud })))).status, 200, String(aud));
  }
  for (const name of ['introspect', 'revoke']) {
    const client_assertion = await sign(claims({ aud: [issuer, `${issuer}/token`, `${issuer}/${name}`] }));
    const form = { token: 'x', client_assertion_type: type, client_assertion };
    assert.equal((await server.post(`/oidc/${name}`, { form })).status, 200, name);
  }
  assert.equal((await redeemWith(await sign(claims()), { client_id: app.id })).status, 200);
  const form = { token: 'x', client_assertion_type: type, client_assertion: await sign(claims()) };
  assert.deepEqual((await server.post('/oidc/introspect', { form })).json, { active: false });
});

test('with the type of RFC 7523bis it is for the issuer and nothing else', async () => {
  const { issuer } = server;
  for (const typ of ['client-authentication+jwt', 'application/Client-Authentication+JWT']) {
    for (const aud of [issuer, [issuer]]) {
      assert.equal((await redeemWith(await sign(claims({ aud }), pair.privateKey, { typ }))).status, 200);
    }
    for (const aud of [
      `${issuer}/token`,
      [issuer, `${issuer}/token`],
      [issuer, issuer, 'https://x.example'],
    ]) {
      assertRefused(await redeemWith(await sign(claims({ aud }), pair.privateKey, { typ })), String(aud));
    }
  }
});

test('it works once, however often it is sent at the same time', async () => {
  const assertion = await sign(claims());
  const answers = await Promise.all(Array.from({ length: 8 }, () => redeemWith(assertion)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(401)]);
  clock.advance(MINUTE + 29_000);
  assertRefused(await redeemWith(assertion), 'again');
});

test('every other assertion is refused in one way', async () => {
  const now = seconds();
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const payload = Buffer.from(JSON.stringify(claims())).toString('base64url');
  const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(pair.publicKey)));
  const attempts: Record<string, string> = {
    'of a stranger': await sign(claims(), stranger.privateKey),
    'under an unknown kid': await sign(claims(), pair.privateKey, { kid: 'k2' }),
    unsigned: `${none}.${payload}.`,
    'signed with the public key as a secret': await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(secret),
    'of another issuer': await sign(claims({ iss: 'other' })),
    'about another client': await sign(claims({ sub: 'other' })),
    'for another audience': await sign(claims({ aud: 'https://evil.example/token' })),
    'for an address that only begins alike': await sign(claims({ aud: `${server.issuer}/token/x` })),
    'that another server can present, too': await sign(
      claims({ aud: [server.issuer, 'https://evil.example'] }),
    ),
    'with an empty list': await sign(claims({ aud: [] })),
    'that is an access token': await sign(claims(), pair.privateKey, { typ: 'at+jwt' }),
    'that is a DPoP proof': await sign(claims(), pair.privateKey, { typ: 'dpop+jwt' }),
    'without audience': await sign(claims({ aud: undefined as unknown as string })),
    'without jti': await sign(claims({ jti: undefined as unknown as string })),
    'without exp': await sign(claims({ exp: undefined as unknown as number })),
    expired: await sign(claims({ exp: now - 31 })),
    'for more than an hour': await sign(claims({ exp: now + 3631 })),
    'for a day': await sign(claims({ exp: now + 86_400 })),
    'of tomorrow': await sign(claims({ nbf: now + 3600 })),
    'made in the future': await sign(claims({ iat: now + 3600 })),
    'no JWT': 'x.y',
    empty: '..',
  };
  for (const [why, assertion] of Object.entries(attempts)) assertRefused(await redeemWith(assertion), why);
  assertRefused(await redeemWith(await sign(claims()), { client_id: 'overlay' }), 'two clients');
  const wrongType = await redeemWith(await sign(claims()), { client_assertion_type: 'x' });
  assert.equal(wrongType.json.error, 'invalid_request');
  const two = await redeemWith(await sign(claims()), { client_secret: 'x' });
  assert.equal(two.json.error, 'invalid_request');
  // A refused assertion does not use up its jti: a valid one may still use it.
  assert.equal((await redeemWith(await sign(claims()))).status, 200);
});

test('a client with assertions cannot use a secret, nor another one an assertion', async () => {
  const code = await codeFor(server, app, 'root');
  assertRefused(await redeemAs(server, app, code, {}, basic({ ...app, secret: 'x' })), 'by Basic');
  assertRefused(await redeemAs(server, app, code, { client_id: app.id }, {}), 'by nothing');
  const other = await registerClient(root);
  const assertion = await sign(claims({ iss: other.id, sub: other.id }));
  assertRefused(await redeemWith(assertion), 'of a client with a secret');
});

describe('keys at the address of a client', async () => {
  const remote = await registerClient(root, {
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwksUri: idp.jwksEndpoint,
  });
  const good = () => claims({ iss: remote.id, sub: remote.id, aud: server.issuer });
  const redeemRemote = async (client_assertion: string) => {
    const code = await codeFor(server, remote, 'root');
    return redeemAs(server, remote, code, { client_assertion_type: type, client_assertion }, {});
  };

  test('are fetched through the one outbound client', async () => {
    const answer = await redeemRemote(await idp.sign(good()));
    assert.equal(answer.status, 200, answer.text);
    assertRefused(await redeemRemote(await sign(good())), 'signed by a key of another client');
  });

  test('may be replaced under the same kid, and wrong signatures cost few fetches', async () => {
    await idp.rotate('ES256', idp.currentKid());
    const answer = await redeemRemote(await idp.sign(good()));
    assert.equal(answer.status, 200, answer.text);
    for (let at = 0; at < 8; at += 1) {
      const forged = await sign(good(), stranger.privateKey, { kid: idp.currentKid() });
      assertRefused(await redeemRemote(forged), 'a stranger names the kid');
    }
    // The clock stands still, so no time passes that would allow another fetch.
    assert.equal(idp.keyRequests(), 3);
    assert.equal((await redeemRemote(await idp.sign(good()))).status, 200);
  });
});

test('it may live for an hour, the default of Authlib, and still works once', async () => {
  const assertion = await sign(claims({ exp: seconds() + 3600 }));
  assert.equal((await redeemWith(assertion)).status, 200);
  clock.advance(HOUR + 29_000);
  assertRefused(await redeemWith(assertion), 'again');
});
