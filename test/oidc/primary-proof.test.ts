// What opened a session has to count for as long as the session is used, with either mechanism: while it does
// not, calls, refreshes and introspection are refused, and not a moment longer.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { AuthPolicy } from '../../src/model/entities/auth-policy.ts';
import { type AuthPolicyId, asId, type SignerId } from '../../src/model/ids.ts';
import {
  bearer,
  createIdentity,
  createPolicy,
  createSigner,
  redeemed,
  submitJwt,
  tokenOf,
} from '../support/external-jwt.ts';
import { codeOf, login, redeem, refresh, type Tokens } from '../support/flow.ts';
import { password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';

const [server, idp] = await Promise.all([startTestServer(), startTestIdp()]);
const admin = await rootOf(server);
after(async () => {
  await Promise.all([server.close(), idp.close()]);
});

interface Opened {
  readonly tokens: Tokens;
  readonly ztSession: string;
}

const whoAmI = '/edge/client/v1/current-identity';

/** Whether each use of the identity's sessions is allowed. */
async function uses({ tokens, ztSession }: Opened): Promise<Readonly<Record<string, boolean>>> {
  const call = await server.get(whoAmI, { headers: bearer(tokens.access_token) });
  const legacy = await server.get(whoAmI, { headers: { 'zt-session': ztSession } });
  const form = { token: tokens.access_token };
  const asked = await server.post('/oidc/introspect', { headers: bearer(admin.accessToken), form });
  if (call.status !== 200) {
    const [challenge] = call.lines('www-authenticate');
    assert.match(challenge ?? '', /^Bearer realm="overlay-oidc", error="invalid"/);
  }
  return { call: call.status === 200, legacy: legacy.status === 200, introspected: asked.json.active };
}

const all = { call: true, legacy: true, introspected: true };
const none = { call: false, legacy: false, introspected: false };

describe('a session that an external JWT opened does not count', () => {
  let at = 0;
  async function open(): Promise<Opened & { readonly policy: AuthPolicyId; readonly signer: string }> {
    at += 1;
    const name = `vouched ${at}`;
    const policy = await createPolicy(server, name, {});
    await createIdentity(server, name, { authPolicyId: policy });
    const signer = await createSigner(admin, idp, name, { audience: `only ${at}` });
    const jwt = () => tokenOf(server, idp, `${name}@idp`, { aud: `only ${at}` });
    const tokens = await redeemed(server, await submitJwt(server, await jwt()));
    const options = { json: {}, headers: bearer(await jwt()) };
    const legacy = await server.post('/edge/client/v1/authenticate?method=ext-jwt', options);
    assert.equal(legacy.status, 200, legacy.text);
    return { tokens, ztSession: legacy.json.data.token, policy, signer };
  }

  test('while the signer is disabled, or once it is gone', async () => {
    const opened = await open();
    const path = `external-jwt-signers/${opened.signer}`;
    assert.deepEqual(await uses(opened), all);
    await admin.call('PATCH', path, { enabled: false });
    assert.deepEqual(await uses(opened), none);
    assert.equal((await refresh(server, opened.tokens.refresh_token)).json.error, 'invalid_grant');
    await admin.call('PATCH', path, { enabled: true });
    assert.deepEqual(await uses(opened), all);
    assert.equal((await admin.call('DELETE', path)).status, 200);
    assert.deepEqual(await uses(opened), none);
    assert.equal((await refresh(server, opened.tokens.refresh_token)).json.error, 'invalid_grant');
  });

  test('once the identity has another external id, and logins under way open no session', async () => {
    const opened = await open();
    const name = `vouched ${at}`;
    const jwt = await tokenOf(server, idp, `${name}@idp`, { aud: `only ${at}` });
    const underWay = await submitJwt(server, jwt);
    assert.equal(underWay.status, 302);
    const filter = encodeURIComponent(`name="${name}"`);
    const [{ id }] = (await admin.get(`identities?filter=${filter}`)).json.data;
    const path = `identities/${id}`;
    assert.equal((await admin.call('PATCH', path, { externalId: `${name}@idp` })).status, 200);
    assert.deepEqual(await uses(opened), all);
    assert.equal((await admin.call('PATCH', path, { externalId: 'somebody else' })).status, 200);
    assert.deepEqual(await uses(opened), none);
    assert.equal((await refresh(server, opened.tokens.refresh_token)).json.error, 'invalid_grant');
    assert.equal((await redeem(server, codeOf(underWay))).json.error, 'invalid_grant');
    // What has ended does not come back with the external id.
    assert.equal((await admin.call('PATCH', path, { externalId: `${name}@idp` })).status, 200);
    assert.deepEqual(await uses(opened), none);
  });

  test('but another external id ends nothing that a password opened', async () => {
    const id = await server.createUser({ name: 'both ways', password });
    await admin.call('PATCH', `identities/${id}`, { externalId: 'both@idp' });
    const tokens = await login(server, 'both ways', password);
    await admin.call('PATCH', `identities/${id}`, { externalId: null });
    assert.equal((await refresh(server, tokens.refresh_token)).status, 200);
  });

  type Rules = AuthPolicy['primary']['extJwt'];
  const changes: readonly (readonly [string, (rules: Rules, other: string) => Rules])[] = [
    ['while the policy does not allow external JWTs', (rules) => ({ ...rules, allowed: false })],
    [
      'while the policy allows other signers only',
      (rules, other) => ({ ...rules, allowedSigners: [asId<SignerId>(other)] }),
    ],
  ];
  for (const [name, change] of changes) {
    test(name, async () => {
      const opened = await open();
      const other = await createSigner(admin, idp, `other ${opened.signer}`, { audience: opened.signer });
      const rules = await server.store.authPolicies.find(opened.policy);
      assert.ok(rules);
      const put = (extJwt: Rules) =>
        server.store.authPolicies.update(
          opened.policy,
          { primary: { ...rules.primary, extJwt } },
          server.clock.now(),
        );
      await put(change(rules.primary.extJwt, other));
      assert.deepEqual(await uses(opened), none);
      assert.equal((await refresh(server, opened.tokens.refresh_token)).json.error, 'invalid_grant');
      await put(rules.primary.extJwt);
      assert.deepEqual(await uses(opened), all);
      assert.equal((await refresh(server, opened.tokens.refresh_token)).status, 200);
    });
  }
});
