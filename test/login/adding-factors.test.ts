// A factor is added only when every factor that can be proven now has been.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { SignerId } from '../../src/model/ids.ts';
import {
  assertChallenged,
  bearer,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  tokenOf,
} from '../support/external-jwt.ts';
import { beginLogin } from '../support/flow.ts';
import { assertRefused, password, rootOf } from '../support/management.ts';
import { userNamed } from '../support/names.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';
import { scan, startEnrollment, verifyEnrollment } from '../support/totp.ts';

const root = '/edge/client/v1';
let signer: { readonly id: string; readonly issuer: string };
const server = await serverOfFile();
const idp = await startTestIdp();
signer = { id: await createSigner(await rootOf(server), idp, 'required'), issuer: idp.issuer };
const both = await createPolicy(server, 'both', {
  secondary: { requireTotp: true, requireExtJwt: signer.id },
});
after(() => idp.close());

const tokenFor = (name: string) => tokenOf(server, idp, `${name}@idp`);
const isEnrolled = async (name: string) => {
  const login = await server.store.authenticators.findPasswordLogin(userNamed(name).usernameKey);
  assert.ok(login);
  return (await server.store.totp.find(login.identity.id)) !== null;
};

/** What a browser sends with a form of a page. */
const page = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };

async function passwordLogin(username: string, headers: Readonly<Record<string, string>> = {}) {
  const authRequestId = await beginLogin(server);
  const json = { authRequestId, username, password };
  return { authRequestId, answer: await server.post('/oidc/login/username', { json, headers }) };
}

const sendToken = async (
  authRequestId: string,
  name: string,
  headers: Readonly<Record<string, string>> = {},
) =>
  server.post('/oidc/login/ext-jwt', {
    json: { authRequestId },
    headers: { ...bearer(await tokenFor(name)), ...headers },
  });

test('a login with the password sets up an app only after the external JWT', async () => {
  await createUserWithPolicy(server, 'ann', both);
  const { authRequestId } = await passwordLogin('ann');
  assertRefused(await startEnrollment(server, authRequestId), 409, 'CONFLICT');
  assert.equal((await sendToken(authRequestId, 'ann')).status, 200);
  const started = await startEnrollment(server, authRequestId);
  assert.equal(started.status, 201);
  const app = scan(server.clock, started.json.provisioningUrl);
  assert.equal((await verifyEnrollment(server, authRequestId, app.code())).status, 302);
  assert.equal(await isEnrolled('ann'), true);
});

test('an app that was shown before the policy required the token is not completed without it', async () => {
  const policy = await createPolicy(server, 'changing', { secondary: { requireTotp: true } });
  await createUserWithPolicy(server, 'bea', policy);
  const { authRequestId } = await passwordLogin('bea');
  const app = scan(server.clock, (await startEnrollment(server, authRequestId)).json.provisioningUrl);
  const secondary = { requireTotp: true, requireExtJwt: signer.id as SignerId };
  await server.store.authPolicies.update(policy, { secondary }, server.clock.now());
  assertRefused(await verifyEnrollment(server, authRequestId, app.code()), 409, 'CONFLICT');
  assert.equal(await isEnrolled('bea'), false);
  assert.equal((await sendToken(authRequestId, 'bea')).status, 200);
  assert.equal((await verifyEnrollment(server, authRequestId, app.code())).status, 302);
});

test('the pages ask for the token first, and then lead to the app', async () => {
  await createUserWithPolicy(server, 'cat', both);
  const { authRequestId, answer } = await passwordLogin('cat', page);
  assert.ok(answer.text.includes(signer.issuer), answer.text);
  assert.ok(!answer.text.includes('/oidc/login/totp/enroll'));
  const early = await server.post('/oidc/login/totp/enroll', {
    json: { id: authRequestId },
    headers: page,
  });
  assert.equal(early.status, 409);
  assert.ok(!early.text.includes('otpauth:'));
  const next = await sendToken(authRequestId, 'cat', page);
  assert.ok(next.text.includes('/oidc/login/totp/enroll'), next.text);
});

test('a session of the legacy mechanism sets up an app only with the token beside it', async () => {
  await createUserWithPolicy(server, 'dan', both);
  const opened = await server.post(`${root}/authenticate?method=password`, {
    json: { username: 'dan', password },
  });
  const zt = { 'zt-session': opened.json.data.token };
  const withToken = { ...zt, ...bearer(await tokenFor('dan')) };
  const mfa = `${root}/current-identity/mfa`;
  const reads = [mfa, `${mfa}/qr-code`];

  assertChallenged(await server.post(mfa, { json: {}, headers: zt }), 'secondary', 'missing', signer);
  assert.equal((await server.post(mfa, { json: {}, headers: withToken })).status, 201);
  for (const path of reads) {
    assertChallenged(await server.get(path, { headers: zt }), 'secondary', 'missing', signer);
    assert.equal((await server.get(path, { headers: withToken })).status, 200);
  }
  const shown = await server.get(mfa, { headers: withToken });
  const json = { code: scan(server.clock, shown.json.data.provisioningUrl).code() };
  assertChallenged(await server.post(`${mfa}/verify`, { json, headers: zt }), 'secondary', 'missing', signer);
  assert.equal(await isEnrolled('dan'), false);
  assert.equal((await server.post(`${mfa}/verify`, { json, headers: withToken })).status, 200);
  assert.equal((await server.get(`${root}/current-identity`, { headers: withToken })).status, 200);
});

test('a session that was complete before the policy required the token sets up none without it', async () => {
  const policy = await createPolicy(server, 'later', {});
  await createUserWithPolicy(server, 'eve', policy);
  const tokens = await server.post(`${root}/authenticate?method=password`, {
    json: { username: 'eve', password },
  });
  assert.equal(tokens.status, 200);
  const secondary = { requireTotp: false, requireExtJwt: signer.id as SignerId };
  await server.store.authPolicies.update(policy, { secondary }, server.clock.now());
  await server.controller.services.view.feed.beFresh();
  const headers = { 'zt-session': tokens.json.data.token };
  assertChallenged(
    await server.post(`${root}/current-identity/mfa`, { json: {}, headers }),
    'secondary',
    'missing',
    signer,
  );
});
