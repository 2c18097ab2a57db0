// The whole conversation of the Go SDK, from the version document to a refreshed session.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HOUR, MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { enrolled, withCertificate } from '../support/certificates.ts';
import {
  createIdentity,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { createdId, loggedIn, rootOf } from '../support/management.ts';
import { startTestIdp, type TestIdp } from '../support/test-idp.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTotpUser, password, scan, step, totpPolicy } from '../support/totp.ts';
import {
  assertList,
  type GoStep,
  type GoTokens,
  goCall,
  goCapabilities,
  goExchange,
  goLogin,
  goRefresh,
  WrongCode,
} from './go-client.ts';
import { goClient, parseJwt, startCompatibleServer } from './support.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
let server: TestServer;
let idp: TestIdp;
before(async () => {
  [server, idp] = await Promise.all([startCompatibleServer(clock), startTestIdp()]);
});
after(() => Promise.all([server?.close(), idp?.close()]));

const credentials = (username: string) =>
  [
    ['username', username],
    ['password', password],
  ] as const;

async function tokensOf(step: GoStep): Promise<GoTokens> {
  assert.equal(step.kind, 'code');
  return step.kind === 'code' ? step.redeem() : assert.fail();
}

async function loggedInWithPassword(username: string): Promise<GoTokens> {
  const login = await goLogin(server);
  return tokensOf(await login.primary('password', credentials(username)));
}

describe('the Go SDK', () => {
  test('finds the capability, logs in with a password, starts its context and refreshes twice', async () => {
    const identityId = await server.createUser({ name: 'go-user', password });
    assert.deepEqual(await goCapabilities(server), ['OIDC_AUTH']);
    let tokens = await loggedInWithPassword('go-user');
    const { claims } = parseJwt(tokens.access);
    assert.equal(claims.sub, identityId);
    assert.deepEqual(claims.aud, ['overlay-edge-apis', goClient]);
    assert.deepEqual(claims.z_ct, ['all', 'intercept.v1']);

    const controllers = await goCall(server, tokens, '/edge/client/v1/controllers');
    assertList(controllers);
    const [address] = controllers.json.data[0].apiAddresses['edge-client'];
    assert.deepEqual([address.url, address.version], [`${server.url}/edge/client/v1`, 'v1']);

    for (let round = 0; round < 3; round += 1) {
      const identity = await goCall(server, tokens, '/edge/client/v1/current-identity');
      assert.equal(identity.json.data.id, identityId);
      assertList(await goCall(server, tokens, '/edge/client/v1/services?limit=500&offset=0'));
      assertList(await goCall(server, tokens, '/edge/client/v1/current-identity/edge-routers'));
      assertList(await goCall(server, tokens, '/edge/client/v1/sessions'));
      const updates = await goCall(server, tokens, '/edge/client/v1/current-api-session/service-updates');
      assert.ok(!Number.isNaN(Date.parse(updates.json.data.lastChangeAt)));

      clock.advance(20 * MINUTE);
      const session = parseJwt(tokens.access).claims.z_asid;
      tokens = await goRefresh(server, tokens);
      assert.equal(parseJwt(tokens.access).claims.z_asid, session);
    }
  });

  test('keeps factors and the time of the login over refreshes', async () => {
    await server.createUser({ name: 'go-factors', password });
    const first = await loggedInWithPassword('go-factors');
    clock.advance(5 * MINUTE);
    const next = await goRefresh(server, first);
    const before = parseJwt(first.access).claims;
    for (const { claims } of [parseJwt(next.access), parseJwt(next.id)]) {
      assert.deepEqual(claims.amr, before.amr);
      assert.equal(claims.auth_time, before.auth_time);
      assert.equal(claims.sub, before.sub);
    }
    assert.equal(parseJwt(next.id).claims.aud, goClient);
  });

  test('enrolls TOTP during a login, and answers the next one with a code', async () => {
    await createTotpUser(server, await totpPolicy(server), 'go-totp');
    const first = await goLogin(server);
    assert.deepEqual(await first.primary('password', credentials('go-totp')), {
      kind: 'totp',
      isEnrolled: false,
    });
    const app = scan(clock, (await first.enroll()).provisioningUrl);
    await assert.rejects(first.verifyEnrollment(app.wrongCode()), WrongCode);
    const tokens = await tokensOf(await first.verifyEnrollment(app.code()));
    assert.deepEqual(parseJwt(tokens.access).claims.amr, ['password', 'totp']);

    clock.advance(step);
    const second = await goLogin(server);
    assert.deepEqual(await second.primary('password', credentials('go-totp')), {
      kind: 'totp',
      isEnrolled: true,
    });
    await assert.rejects(second.totp(app.wrongCode()), WrongCode);
    const again = await tokensOf(await second.totp(app.code()));
    assert.deepEqual(parseJwt(again.access).claims.amr, ['password', 'totp']);
    const refreshed = await goRefresh(server, again);
    assert.deepEqual(parseJwt(refreshed.access).claims.amr, ['password', 'totp']);
  });

  test('logs in with a certificate, to which all its tokens are bound', async () => {
    const identityId = await createIdentity(server, 'go-cert', { externalId: null });
    using connection = withCertificate(server, await enrolled(server, identityId));
    const login = await goLogin(connection);
    const tokens = await tokensOf(await login.primary('cert'));
    assert.equal((await goCall(connection, tokens, '/edge/client/v1/current-identity')).status, 200);
    assert.equal((await goCall(server, tokens, '/edge/client/v1/current-identity')).status, 401);
    const stolen = await goExchange(server, tokens.refresh, 'refresh_token', 'refresh_token');
    assert.equal(stolen.json.error, 'invalid_grant');
    await goRefresh(connection, tokens);
  });

  test('logs in with an external JWT, and sends a second one in a line of its own', async () => {
    const admin = await rootOf(server);
    const signer = await createSigner(admin, idp, 'go-idp');
    const authPolicyId = await createPolicy(server, 'go-ext', { secondary: { requireExtJwt: signer } });
    await createUserWithPolicy(server, 'go-ext', authPolicyId);
    await createIdentity(server, 'go-jwt');
    const only = await goLogin(server);
    await tokensOf(await only.primary('ext-jwt', [], [await tokenOf(server, idp, 'go-jwt@idp')]));

    const jwt = await tokenOf(server, idp, 'go-ext@idp');
    const login = await goLogin(server);
    const tokens = await tokensOf(await login.primary('password', credentials('go-ext'), [jwt]));
    assert.equal((await goCall(server, tokens, '/edge/client/v1/services')).status, 401);
    assertList(await goCall(server, tokens, '/edge/client/v1/services', jwt));
  });

  test('gets 401 from the API when its session has ended, and then logs in again', async () => {
    const id = await server.createUser({ name: 'go-ended', password });
    const tokens = await loggedInWithPassword('go-ended');
    await server.store.apiSessions.endAllOf(id, 'administrator', clock.now());
    const answer = await goCall(server, tokens, '/edge/client/v1/current-identity');
    assert.equal(answer.status, 401);
    assert.equal(typeof answer.json.error.code, 'string');
    const exchange = await goExchange(server, tokens.refresh, 'refresh_token', 'refresh_token');
    assert.equal(exchange.status, 400);
    assert.equal(exchange.json.error, 'invalid_grant');
    await loggedInWithPassword('go-ended');
  });

  test('has its token name configuration types by id, and what it says about itself is kept', async () => {
    await using plain = await startCompatibleServer(clock);
    const admin = await rootOf(plain);
    const typeId = createdId(await admin.call('POST', 'config-types', { name: 'intercept.v1' }));
    const id = await plain.createUser({ name: 'typed', password });
    const tokens = await tokensOf(await (await goLogin(plain)).primary('password', credentials('typed')));
    assert.deepEqual(parseJwt(tokens.access).claims.z_ct, ['all', typeId]);
    clock.advance(MINUTE);
    const next = await goRefresh(plain, tokens);
    assert.deepEqual(parseJwt(next.access).claims.z_ct, ['all', typeId]);
    const { envInfo, sdkInfo } = (await admin.get(`identities/${id}`)).json.data;
    assert.deepEqual(envInfo, { arch: 'amd64', os: 'linux', osRelease: '6.1', osVersion: '#1 SMP' });
    assert.equal(sdkInfo.type, 'ziti-sdk-golang');
    const json = { username: 'typed', password, configTypes: [typeId, 'intercept.v1', 'all'] };
    const legacy = await plain.post('/edge/client/v1/authenticate?method=password', { json });
    assert.deepEqual(legacy.json.data.configTypes, [typeId, 'all']);
  });

  test('falls back to a legacy session where the profile is off', async () => {
    await using plain = await startTestServer({ clock });
    await plain.createUser({ name: 'legacy', password });
    assert.deepEqual(await goCapabilities(plain), []);
    const answer = await plain.post('/edge/client/v1/authenticate?method=password', {
      json: { username: 'legacy', password, configTypes: ['all'], envInfo: { os: 'linux' }, sdkInfo: {} },
    });
    assert.equal(answer.status, 200, answer.text);
    const { data } = answer.json;
    for (const name of ['token', 'id', 'identityId', 'expiresAt', 'createdAt', 'updatedAt', 'ipAddress']) {
      assert.equal(typeof data[name], 'string', name);
    }
    assert.equal(typeof data.expirationSeconds, 'number');
    assert.deepEqual(data.authQueries, []);
    const headers = { 'zt-session': data.token };
    assert.equal((await plain.get('/edge/client/v1/current-api-session', { headers })).status, 200);
    assertList(await plain.get('/edge/client/v1/services', { headers }));
  });

  test('keeps its session over a restart, and loses it when its client id is removed', async () => {
    const first = await startCompatibleServer(clock);
    await first.createUser({ name: 'restart', password });
    const login = await goLogin(first);
    const step = await login.primary('password', credentials('restart'));
    const tokens = await tokensOf(step);
    await first.stop();
    // The issuer has to stay the same.
    const { host, port } = new URL(first.url);
    const configure = (yaml: string) =>
      yaml.replaceAll('localhost:0', host).replaceAll('127.0.0.1:0', `127.0.0.1:${port}`);
    const second = await startTestServer({ clock, home: first.home, configure });
    try {
      const refused = await goExchange(second, tokens.refresh, 'refresh_token', 'refresh_token');
      assert.equal(refused.status, 401);
      assert.equal(refused.json.error, 'invalid_client');
      assert.equal((await goCall(second, tokens, '/edge/client/v1/current-identity')).status, 401);
    } finally {
      await second.stop();
    }
    await using third = await startCompatibleServer(clock, { home: first.home, configure });
    clock.advance(HOUR);
    await goRefresh(third, tokens);
  });

  test('logs in by the same conversation on the management API', async () => {
    await server.createUser({ name: 'go-admin', password, isAdmin: true });
    assert.deepEqual(await goCapabilities(server, '/edge/management/v1'), ['OIDC_AUTH']);
    const tokens = await loggedInWithPassword('go-admin');
    assertList(await goCall(server, tokens, '/edge/management/v1/identities?limit=1'));
    clock.advance(SECOND);
    await loggedIn(server, 'go-admin', password);
  });
});
