// The whole conversation of the C SDK, which is also that of the node SDK and the tunnelers.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HOUR, systemClock } from '../../src/platform/clock.ts';
import { enrolled, withCertificate } from '../support/certificates.ts';
import { createIdentity, createSigner, tokenOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { rootOf } from '../support/management.ts';
import { startTestIdp, type TestIdp } from '../support/test-idp.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { scan, step, totpPolicy } from '../support/totp.ts';
import { type CStep, type CTokens, cEndpoints, cLogin, cRefresh, cRefreshAnswer } from './c-client.ts';
import { cClient, parseJwt, startCompatibleServer } from './support.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
let server: TestServer;
let idp: TestIdp;
before(async () => {
  [server, idp] = await Promise.all([startCompatibleServer(clock), startTestIdp()]);
  await createSigner(await rootOf(server), idp, 'c-idp');
});
after(() => Promise.all([server?.close(), idp?.close()]));

async function tokensOf(step: CStep): Promise<CTokens> {
  return step.kind === 'code' ? step.redeem() : assert.fail('a code was expected');
}

const call = (access: string, path: string) =>
  server.get(path, { headers: { authorization: `Bearer ${access}`, accept: 'application/json;q=1' } });

describe('the C SDK', () => {
  test('logs in with its certificate by the endpoints of discovery, and refreshes', async () => {
    const identityId = await createIdentity(server, 'c-cert', { externalId: null });
    using connection = withCertificate(server, await enrolled(server, identityId));
    assert.deepEqual(await cEndpoints(connection), {
      authorization: '/oidc/authorization',
      token: '/oidc/token',
    });
    let tokens = await tokensOf(await (await cLogin(connection)).cert());
    for (let round = 0; round < 3; round += 1) {
      assert.equal(parseJwt(tokens.access).claims.sub, identityId);
      const headers = { authorization: `Bearer ${tokens.access}` };
      const path = '/edge/client/v1/services?configTypes=all';
      assert.deepEqual((await connection.get(path, { headers })).json.data, []);
      assert.ok(tokens.refresh, 'the refresh token is a JWT');
      clock.advance(HOUR);
      tokens = await cRefresh(connection, tokens.refresh);
    }
  });

  test('logs in with an external JWT, and enrolls TOTP', async () => {
    const authPolicyId = await totpPolicy(server);
    await createIdentity(server, 'c-jwt', { authPolicyId });
    const jwt = () => tokenOf(server, idp, 'c-jwt@idp');
    const first = await cLogin(server);
    assert.deepEqual(await first.extJwt(await jwt()), { kind: 'totp', providers: ['ziti'] });
    // Twice, as after a restart in the middle: the first enrollment is abandoned.
    await first.enroll();
    const app = scan(clock, await first.enroll());
    const tokens = await tokensOf(await first.verifyEnrollment(app.code()));
    assert.deepEqual(parseJwt(tokens.access).claims.amr, ['ext-jwt', 'totp']);
    assert.equal((await call(tokens.access, '/edge/client/v1/current-identity')).status, 200);

    clock.advance(step);
    const second = await cLogin(server);
    assert.equal((await second.extJwt(await jwt())).kind, 'totp');
    assert.equal((await second.totp(app.code())).kind, 'code');
  });

  test('may send the code with everything that followed it, but no parameter that counts twice', async () => {
    await createIdentity(server, 'c-twice');
    const login = await cLogin(server);
    const step = await login.extJwt(await tokenOf(server, idp, 'c-twice@idp'));
    await tokensOf(step);
    const repeated = `grant_type=authorization_code&client_id=${cClient}&client_id=${cClient}&code=x&code_verifier=y&redirect_uri=z`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await server.post('/oidc/token', { body: repeated, headers });
    assert.equal(answer.status, 400);
    assert.equal(answer.json.error, 'invalid_request');
  });

  test('is refused a refresh token that was used before, with an error that makes it log in again', async () => {
    await createIdentity(server, 'c-reuse');
    const login = await cLogin(server);
    const tokens = await tokensOf(await login.extJwt(await tokenOf(server, idp, 'c-reuse@idp')));
    assert.ok(tokens.refresh);
    const next = await cRefresh(server, tokens.refresh);
    clock.advance(HOUR);
    const answer = await cRefreshAnswer(server, tokens.refresh);
    assert.equal(answer.status, 400);
    assert.equal(answer.json.error, 'invalid_grant');
    assert.ok(next.refresh);
    assert.equal((await cRefreshAnswer(server, next.refresh)).json.error, 'invalid_grant');
  });

  test('gets empty lists for everything else it asks for', async () => {
    await createIdentity(server, 'c-lists');
    const login = await cLogin(server);
    const { access } = await tokensOf(await login.extJwt(await tokenOf(server, idp, 'c-lists@idp')));
    for (const path of ['services/x/terminators', 'sessions', 'current-identity/edge-routers']) {
      const answer = await call(access, `/edge/client/v1/${path}`);
      assert.deepEqual([answer.status, answer.json.data], [200, []], path);
    }
    const routers = await call(access, '/edge/client/v1/services/x/edge-routers');
    assert.deepEqual(routers.json.data, { edgeRouters: [] });
    const headers = { authorization: `Bearer ${access}` };
    const session = await server.post('/edge/client/v1/sessions', {
      headers,
      json: { serviceId: 'x', type: 'Dial' },
    });
    assert.equal(session.status, 404);
    const posture = await server.post('/edge/client/v1/posture-response-bulk', { headers, json: [] });
    assert.deepEqual(posture.json.data, { services: [] });
    assert.equal((await server.get('/edge/client/v1/external-jwt-signers')).status, 200);
  });

  test('falls back to a legacy session where the profile is off', async () => {
    await using plain = await startTestServer({ clock });
    assert.equal(await cEndpoints(plain), undefined);
    const identityId = await createIdentity(plain, 'c-legacy', { externalId: null });
    using connection = withCertificate(plain, await enrolled(plain, identityId));
    const answer = await connection.post('/edge/client/v1/authenticate?method=cert', {
      json: { sdkInfo: {}, envInfo: {}, configTypes: ['all'] },
    });
    assert.equal(answer.status, 200, answer.text);
    const headers = { 'zt-session': answer.json.data.token };
    assert.equal((await connection.get('/edge/client/v1/current-api-session', { headers })).status, 200);
  });
});
