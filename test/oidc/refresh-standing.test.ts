// Redeeming a code and refreshing judge the session anew: what an administrator has changed since the login takes
// effect at once.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type AuthPolicyId, asId, type SignerId } from '../../src/model/ids.ts';
import { auditedBy, loggedDetail } from '../support/audit.ts';
import { createIdentity, createSigner, redeemed, submitJwt, tokenOf } from '../support/external-jwt.ts';
import { claimsOf, login, obtainCode, redeem, refresh } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { type Caller, password, rootOf } from '../support/management.ts';
import { loginAt, refreshAs, registerClient } from '../support/oidc-clients.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();

/** Changes the rules of a policy. @returns changes them back */
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
  await server.store.authPolicies.update(id, { ...rules, ...change(rules) }, server.clock.now());
  return () => server.store.authPolicies.update(id, rules, server.clock.now());
}

/** The only event says why, and whose session it is; the client learns nothing of it. */
function assertRefused(answer: Answer, reason: string, session: Readonly<Record<string, unknown>>): void {
  assert.equal(answer.status, 400, answer.text);
  assert.deepEqual([answer.json.error, answer.json.reason], ['invalid_grant', undefined]);
  const [event, ...more] = auditedBy(server, answer);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [event?.event, event?.reason, event?.sessionId, event?.clientId],
    ['refresh.refused', reason, session.z_asid, session.client_id],
  );
  assert.equal(loggedDetail(server, answer), `refresh refused: ${reason}`);
}

const changes: readonly (readonly [string, string, Parameters<typeof changePolicy>[1]])[] = [
  [
    'while the policy no longer allows the primary method',
    'method-not-allowed',
    ({ primary }) => ({
      primary: { ...primary, updb: { ...(primary as { updb: object }).updb, allowed: false } },
    }),
  ],
  [
    'while the policy asks for a factor that was never proven',
    'factors-outstanding',
    ({ secondary }) => ({ secondary: { ...secondary, requireTotp: true } }),
  ],
];

describe('a code is refused, and opens nothing that could return', () => {
  for (const [at, [name, , change]] of changes.entries()) {
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
  for (const [at, [name, reason, change]] of changes.entries()) {
    test(name, async () => {
      const policy = asId<AuthPolicyId>('default');
      await server.createUser({ name: `user-${at}`, password });
      const { refresh_token, access_token } = await login(server, `user-${at}`, password);
      const changeBack = await changePolicy(policy, change);
      assertRefused(await refresh(server, refresh_token), reason, claimsOf(access_token));
      await changeBack();
      assert.equal((await refresh(server, refresh_token)).status, 200);
    });
  }
});

describe('a token of another signer is refused, and not used up', () => {
  // Done late: a policy that bars the only administrator is refused.
  let root: Caller;
  before(async () => {
    root = await rootOf(server);
  });

  test('while the application is for others', async () => {
    const id = await server.createUser({ name: 'guest', password });
    const setAttributes = (roleAttributes: string[]) =>
      root.call('PATCH', `identities/${id}`, { roleAttributes });
    await setAttributes(['staff']);
    const app = await registerClient(root, { allowedRoleAttributes: ['staff'] });
    const { refresh_token, access_token } = await loginAt(server, app, 'guest');
    await setAttributes([]);
    const refused = await refreshAs(server, app, refresh_token);
    assertRefused(refused, 'client-not-allowed', claimsOf(access_token));
    await setAttributes(['staff']);
    assert.equal((await refreshAs(server, app, refresh_token)).status, 200);
  });

  test('while the signer of the external JWT that opened the session is disabled', async () => {
    await using idp = await startTestIdp();
    await createIdentity(server, 'carrier');
    const signerId = await createSigner(root, idp, 'carrier-idp');
    const token = await tokenOf(server, idp, 'carrier@idp');
    const { refresh_token, access_token } = await redeemed(server, await submitJwt(server, token));
    const enable = (enabled: boolean) =>
      server.store.externalJwtSigners.update(asId<SignerId>(signerId), { enabled }, server.clock.now());
    await enable(false);
    assertRefused(await refresh(server, refresh_token), 'signer-disabled', claimsOf(access_token));
    await enable(true);
    assert.equal((await refresh(server, refresh_token)).status, 200);
  });
});
