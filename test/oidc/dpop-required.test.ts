// What an application or an auth policy that demands bound tokens refuses, and what administrators see of it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { dpopCaller, dpopKey } from '../support/dpop.ts';
import { createPolicy } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { callWith, login, obtainCode, redeem, refresh } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { codeFor, loginAt, redeemAs, refreshAs, registerClient } from '../support/oidc-clients.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const root = await rootOf(server);
await server.createUser({ name: 'ana', password });
clock.advance(MINUTE);

const caller = (key = dpopKey()) => dpopCaller(server, clock, key);

/** The refusal is explained to administrators. */
async function assertExplained(answer: Answer, error: string, saw: RegExp): Promise<void> {
  assert.deepEqual([answer.status, answer.json.error], [400, error], answer.text);
  assert.match(answer.json.error_description, /RFC 9449/);
  const { data } = (await root.get(`login-attempts/${answer.headers['x-request-id']}`)).json;
  assert.deepEqual(
    data.attempts.map(({ reason }: { reason: string }) => reason),
    ['dpop-required'],
  );
  assert.match(JSON.stringify(data.attempts[0].checks), saw);
  assert.match(JSON.stringify(data), /requireDpop/);
}

describe('an application that demands bound tokens', () => {
  test('gets none that anybody could use, and its code is used up', async () => {
    const app = await registerClient(root, { requireDpop: true });
    const code = await codeFor(server, app, 'ana');
    await assertExplained(await redeemAs(server, app, code), 'invalid_dpop_proof', new RegExp(app.id));
    const answer = await redeemAs(caller(), app, await codeFor(server, app, 'ana'));
    assert.equal(answer.json.token_type, 'DPoP', answer.text);
  });

  test('goes on with a proof when it has authenticated, also for sessions of before', async () => {
    const app = await registerClient(root);
    const tokens = await loginAt(server, app, 'ana');
    assert.equal((await root.call('PATCH', `oidc-clients/${app.id}`, { requireDpop: true })).status, 200);
    const refused = await refreshAs(server, app, tokens.refresh_token);
    await assertExplained(refused, 'invalid_grant', new RegExp(app.id));
    const answer = await refreshAs(caller(), app, tokens.refresh_token);
    assert.equal(answer.json.token_type, 'DPoP', answer.text);
  });
});

describe('an auth policy that demands bound tokens', () => {
  test('refuses a login without a key, and lets one with a key go on', async () => {
    const authPolicyId = await createPolicy(server, 'only bound', { requireDpop: true });
    const id = await server.createUser({ name: 'bea', password });
    await server.store.identities.update(id, { authPolicyId }, clock.now());
    const refused = await redeem(server, await obtainCode(server, 'bea', password));
    await assertExplained(refused, 'invalid_dpop_proof', /auth policy/);
    const key = dpopKey();
    const { json } = await redeem(caller(key), await obtainCode(server, 'bea', password));
    assert.equal((await caller(key).call('/edge/client/v1/current-identity', json.access_token)).status, 200);
    assert.equal((await refresh(caller(key), json.refresh_token)).json.token_type, 'DPoP');
  });

  test('ends what was opened before at its next refresh, with and without a proof', async () => {
    const authPolicyId = await createPolicy(server, 'bound from now on', {});
    const id = await server.createUser({ name: 'cleo', password });
    await server.store.identities.update(id, { authPolicyId }, clock.now());
    const tokens = await login(server, 'cleo', password);
    const patched = await root.call('PATCH', `auth-policies/${authPolicyId}`, { requireDpop: true });
    assert.equal(patched.status, 200, patched.text);
    assert.equal((await callWith(server, tokens.access_token)).status, 200, 'until it expires');
    await assertExplained(await refresh(server, tokens.refresh_token), 'invalid_grant', /auth policy/);
    await assertExplained(await refresh(caller(), tokens.refresh_token), 'invalid_grant', /auth policy/);
  });

  test('refuses the legacy mechanism, whose tokens anybody can use', async () => {
    const authPolicyId = await createPolicy(server, 'no legacy', { requireDpop: true });
    const id = await server.createUser({ name: 'dora', password });
    await server.store.identities.update(id, { authPolicyId }, clock.now());
    const answer = await server.post('/edge/client/v1/authenticate?method=password', {
      json: { username: 'dora', password },
    });
    assert.equal(answer.status, 401, answer.text);
    const { data } = (await root.get(`login-attempts/${answer.headers['x-request-id']}`)).json;
    assert.equal(data.attempts.at(-1).reason, 'dpop-required');
  });

  test('ends a legacy session from before at its next call', async () => {
    const authPolicyId = await createPolicy(server, 'legacy until now', {});
    const id = await server.createUser({ name: 'emma', password });
    await server.store.identities.update(id, { authPolicyId }, clock.now());
    const path = '/edge/client/v1';
    const opened = await server.post(`${path}/authenticate?method=password`, {
      json: { username: 'emma', password },
    });
    const headers = { 'zt-session': String(opened.headers['zt-session']) };
    const call = async () => (await server.get(`${path}/current-identity`, { headers })).status;
    assert.equal(await call(), 200);
    await root.call('PATCH', `auth-policies/${authPolicyId}`, { requireDpop: true });
    assert.equal(await call(), 401);
  });
});
