// Redeeming a code and refreshing judge the session anew: what an administrator has changed since the login holds at
// once.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AuthPolicyId, asId, type SignerId } from '../../src/model/ids.ts';
import { createIdentity, createSigner, redeemed, submitJwt, tokenOf } from '../support/external-jwt.ts';
import { login, obtainCode, redeem, refresh } from '../support/flow.ts';
import { rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

const password = 'seven quiet lanterns';

/** Changes the rules of a policy, and gives what changes them back. */
async function changePolicy(
  id: AuthPolicyId,
  change: (rules: { primary: object; secondary: object }) => object,
): Promise<() => Promise<unknown>> {
  const policy = await server.store.authPolicies.find(id);
  assert.ok(policy);
  const rules = {
    name: policy.name,
    primary: policy.primary,
    secondary: policy.secondary,
    tags: policy.tags,
  };
  await server.store.authPolicies.replace(id, { ...rules, ...change(rules) }, server.clock.now());
  return () => server.store.authPolicies.replace(id, rules, server.clock.now());
}

const changes: readonly (readonly [string, Parameters<typeof changePolicy>[1]])[] = [
  [
    'while the policy no longer allows the primary method',
    ({ primary }) => ({
      primary: { ...primary, updb: { ...(primary as { updb: object }).updb, allowed: false } },
    }),
  ],
  [
    'while the policy asks for a factor that was never proven',
    ({ secondary }) => ({ secondary: { ...secondary, requireTotp: true } }),
  ],
];

describe('a code is refused, and opens nothing that comes back', () => {
  for (const [at, [name, change]] of changes.entries()) {
    test(name, async () => {
      const id = await server.createUser({ name: `late-${at}`, password });
      const code = await obtainCode(server, `late-${at}`, password);
      const changeBack = await changePolicy(asId<AuthPolicyId>('default'), change);
      const refused = await redeem(server, code);
      assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_grant']);
      await changeBack();
      assert.equal((await redeem(server, code)).json.error, 'invalid_grant');
      assert.equal(await server.store.apiSessions.endAllOf(id, 'administrator', server.clock.now()), 0);
    });
  }
});

describe('a refresh token is refused, and not used up', () => {
  for (const [at, [name, change]] of changes.entries()) {
    test(name, async () => {
      const policy = asId<AuthPolicyId>('default');
      await server.createUser({ name: `user-${at}`, password });
      const { refresh_token } = await login(server, `user-${at}`, password);
      const changeBack = await changePolicy(policy, change);
      const refused = await refresh(server, refresh_token);
      assert.equal(refused.status, 400);
      assert.equal(refused.json.error, 'invalid_grant');
      await changeBack();
      assert.equal((await refresh(server, refresh_token)).status, 200);
    });
  }

  test('while the signer of the external JWT that opened the session is disabled', async () => {
    const idp = await startTestIdp();
    try {
      const admin = await rootOf(server);
      await createIdentity(server, 'carrier');
      const signerId = await createSigner(admin, idp, 'carrier-idp');
      const token = await tokenOf(server, idp, 'carrier@idp');
      const { refresh_token } = await redeemed(server, await submitJwt(server, token));
      const enable = (enabled: boolean) =>
        server.store.externalJwtSigners.update(asId<SignerId>(signerId), { enabled }, server.clock.now());
      await enable(false);
      assert.equal((await refresh(server, refresh_token)).json.error, 'invalid_grant');
      await enable(true);
      assert.equal((await refresh(server, refresh_token)).status, 200);
    } finally {
      await idp.close();
    }
  });
});
