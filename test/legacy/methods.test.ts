// The other primary methods, and an external JWT with every call, by the legacy mechanism.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { enrolled, withCertificate } from '../support/certificates.ts';
import {
  assertChallenged,
  bearer,
  createIdentity,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import type { HttpsClient } from '../support/https-client.ts';
import { assertRefused, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';
import { assertNoSession, clientRoot, managementRoot, sessionOf } from './support.ts';

// Certificates follow the system's clock.
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
let signer: { readonly id: string; readonly issuer: string };
let second: { readonly id: string; readonly issuer: string };
const server = await serverOfFile({ clock });
const admin = await rootOf(server);
const [idp, required] = await Promise.all([startTestIdp(), startTestIdp()]);
signer = { id: await createSigner(admin, idp, 'primary'), issuer: idp.issuer };
second = { id: await createSigner(admin, required, 'required'), issuer: required.issuer };
after(() => Promise.all([idp.close(), required.close()]));

const login = (client: HttpsClient, method: string, root = clientRoot, ...tokens: readonly string[]) =>
  client.post(`${root}/authenticate?method=${method}`, {
    json: {},
    headers: tokens.length === 0 ? {} : bearer(...tokens),
  });

describe('a legacy login by certificate', () => {
  for (const root of [clientRoot, managementRoot]) {
    test(`takes the certificate of the connection on ${root}`, async () => {
      const id = await createIdentity(server, `device ${root}`, { externalId: null });
      const leaf = await enrolled(server, id);
      using client = withCertificate(server, leaf);
      const answer = await login(client, 'cert', root);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.data.identityId, id);
      assert.equal(answer.json.data.authenticatorId, leaf.authenticatorId);
      assert.equal((await sessionOf(client, answer).get('current-identity')).status, 200);
    });
  }

  test('needs no body', async () => {
    const id = await createIdentity(server, 'device without a body', { externalId: null });
    using client = withCertificate(server, await enrolled(server, id));
    for (const root of [clientRoot, managementRoot]) {
      const answer = await client.post(`${root}/authenticate?method=cert`);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.data.identityId, id);
    }
  });

  test('is refused without one, with an unknown one, and when the authenticator is gone', async () => {
    assertRefused(await login(server, 'cert'), 401, 'INVALID_AUTH');
    const id = await createIdentity(server, 'lost device', { externalId: null });
    const leaf = await enrolled(server, id);
    using client = withCertificate(server, leaf);
    const session = sessionOf(client, await login(client, 'cert'));
    assert.equal((await session.get('current-identity')).status, 200);
    await admin.call('DELETE', `authenticators/${leaf.authenticatorId}`);
    assertRefused(await login(client, 'cert'), 401, 'INVALID_AUTH');
    assertNoSession(await session.get('current-identity'));
  });
});

describe('a legacy login by external JWT', () => {
  test('takes the token from an Authorization header', async () => {
    const id = await createIdentity(server, 'bob');
    const answer = await login(server, 'ext-jwt', clientRoot, await tokenOf(server, idp, 'bob@idp'));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.data.identityId, id);
    assert.equal((await sessionOf(server, answer).get('current-identity')).status, 200);
  });

  test('needs no body', async () => {
    const id = await createIdentity(server, 'brief');
    const headers = bearer(await tokenOf(server, idp, 'brief@idp'));
    const answer = await server.post(`${clientRoot}/authenticate?method=ext-jwt`, { headers });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.data.identityId, id);
  });

  test('is valid as long as the signer is enabled and the policy allows the method', async () => {
    const policy = await createPolicy(server, 'by token', {});
    await createIdentity(server, 'carl', { authPolicyId: policy });
    const answer = await login(server, 'ext-jwt', clientRoot, await tokenOf(server, idp, 'carl@idp'));
    const session = sessionOf(server, answer);
    assert.equal((await session.get('current-identity')).status, 200);
    const enable = (enabled: boolean) =>
      admin.call('PATCH', `external-jwt-signers/${signer.id}`, { enabled });
    await enable(false);
    assertNoSession(await session.get('current-identity'));
    await enable(true);
    assert.equal((await session.get('current-identity')).status, 200);
    const rules = await server.store.authPolicies.find(policy);
    assert.ok(rules);
    const extJwt = { ...rules.primary.extJwt, allowed: false };
    await server.store.authPolicies.update(policy, { primary: { ...rules.primary, extJwt } }, clock.now());
    assertNoSession(await session.get('current-identity'));
  });

  test('is refused with the challenge of the primary signers', async () => {
    const both = {
      id: `${signer.id}|${second.id}`,
      issuer: `${signer.issuer}|${second.issuer}`,
    };
    assertChallenged(await login(server, 'ext-jwt'), 'primary', 'missing', both);
    const forged = await tokenOf(server, idp, 'bob@idp', { aud: 'another' });
    assert.equal((await login(server, 'ext-jwt', clientRoot, forged)).status, 401);
  });
});

describe('a policy that requires an external JWT with every call', () => {
  let jwt: string;
  before(async () => {
    const policy = await createPolicy(server, 'per call', { secondary: { requireExtJwt: second.id } });
    await createUserWithPolicy(server, 'alice', policy);
    jwt = await tokenOf(server, required, 'alice@idp');
  });
  const withPassword = (...tokens: readonly string[]) =>
    server.post(`${clientRoot}/authenticate?method=password`, {
      json: { username: 'alice', password },
      headers: tokens.length === 0 ? {} : bearer(...tokens),
    });

  test('still opens a session without it, and says what is outstanding', async () => {
    const answer = await withPassword();
    assertChallenged(answer, 'secondary', 'missing', second, 200);
    const [query] = answer.json.data.authQueries;
    assert.deepEqual([query.typeId, query.provider, query.id], ['EXT-JWT', 'url', second.id]);
    assert.deepEqual((await withPassword(jwt)).json.data.authQueries, []);
  });

  test('takes it with the one that opens the session, in either order', async () => {
    const policy = await createPolicy(server, 'both', { secondary: { requireExtJwt: second.id } });
    const id = await createIdentity(server, 'dora', { authPolicyId: policy });
    const first = await tokenOf(server, idp, 'dora@idp');
    const other = await tokenOf(server, required, 'dora@idp');
    for (const root of [clientRoot, managementRoot]) {
      for (const tokens of [
        [first, other],
        [other, first],
      ]) {
        const answer = await login(server, 'ext-jwt', root, ...tokens);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json.data.identityId, id);
        assert.deepEqual(answer.json.data.authQueries, []);
        assert.deepEqual(answer.lines('www-authenticate'), []);
      }
      assertChallenged(await login(server, 'ext-jwt', root, first), 'secondary', 'missing', second, 200);
    }
  });
});
