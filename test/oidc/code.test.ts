// What decides over a code besides the verifier: the application, the certificate of the login, and what has changed
// since. The audit trail has each refusal with its reason; the client that presents the code does not learn it.

import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { auditedBy, loggedDetail } from '../support/audit.ts';
import { enrolled, submitCertificate, withCertificate } from '../support/certificates.ts';
import { csrPem, ecKeys } from '../support/csr.ts';
import { createIdentity, createPolicy, createUserWithPolicy } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, codeOf, obtainCode, redeem, refresh, verifier } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { codeFor, redeemAs, registerClient } from '../support/oidc-clients.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await serverOfFile({ clock, signing: true });
const root = await rootOf(server);
await server.createUser({ name: 'ann', password });
// Log lines of refusals are sampled each second.
beforeEach(() => void clock.advance(2 * SECOND));

/** @returns the session that ended with the code, if any */
function assertRefused(answer: Answer, reason: string, clientId: string, description?: RegExp): unknown {
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.json.error, 'invalid_grant');
  if (description !== undefined) assert.match(answer.json.error_description, description);
  const [refusal, ...more] = auditedBy(server, answer);
  assert.deepEqual(more, []);
  assert.deepEqual(
    { event: refusal?.event, reason: refusal?.reason, clientId: refusal?.clientId },
    { event: 'code.refused', reason, clientId },
  );
  assert.equal(loggedDetail(server, answer), `code refused: ${reason}`);
  return refusal?.endedSessionId;
}

test('a redeemed code is in the audit trail, with the session and its owner', async () => {
  const answer = await redeem(server, await obtainCode(server, 'ann', password));
  assert.equal(answer.status, 200, answer.text);
  const [issued] = auditedBy(server, answer);
  assert.equal(issued?.event, 'token.issued');
  assert.equal(issued?.clientId, 'overlay');
  const session = await server.store.apiSessions.find(String(issued?.sessionId) as never);
  assert.equal(session?.identityId, issued?.identityId);
});

test('an invalid verifier uses nothing up, however often it is sent, and the log says what is wrong', async () => {
  const code = await obtainCode(server, 'ann', password);
  // Base64 with + / = is what libraries send that make it themselves.
  const ofBase64 = `${'x'.repeat(41)}+/=`;
  const wrong = ['short', 'x'.repeat(129), `${'x'.repeat(42)}ä`, ofBase64, ...Array(6).fill('x'.repeat(42))];
  for (const bad of wrong) {
    clock.advance(2 * SECOND);
    const answer = await redeem(server, code, { code_verifier: bad });
    assert.equal(answer.json.error, 'invalid_grant');
    assert.deepEqual(auditedBy(server, answer), []);
    const why = 'code_verifier is not 43 to 128 of the characters A-Z a-z 0-9 - . _ ~ (RFC 7636 4.1)';
    assert.equal(loggedDetail(server, answer), `code refused: ${why}`);
  }
  assert.equal((await redeem(server, code)).status, 200);
});

test('the log says so where a code or a refresh token is none of this service, such as another token', async () => {
  const tokens = (await redeem(server, await obtainCode(server, 'ann', password))).json;
  for (const other of [tokens.access_token, tokens.id_token, 'x', `${tokens.refresh_token}x`]) {
    clock.advance(2 * SECOND);
    const code = await redeem(server, other);
    assert.equal(code.json.error, 'invalid_grant');
    assert.equal(loggedDetail(server, code), 'code refused: not a code of this service');
    const refreshed = await refresh(server, other);
    assert.equal(refreshed.json.error, 'invalid_grant');
    assert.equal(loggedDetail(server, refreshed), 'refresh refused: not a refresh token of this service');
  }
});

test('an application that needs no PKCE gains nothing by omitting or adding a verifier', async () => {
  const app = await registerClient(root, { requirePkce: false });
  const without = () => codeFor(server, app, 'ann', { code_challenge: null, code_challenge_method: null });
  const withoutVerifier = { code_verifier: '' };
  assert.equal((await redeemAs(server, app, await without(), withoutVerifier)).status, 200);
  assertRefused(await redeemAs(server, app, await without()), 'wrong-binding', app.id);
  const code = await codeFor(server, app, 'ann');
  assertRefused(await redeemAs(server, app, code, withoutVerifier), 'wrong-binding', app.id);
  assert.equal((await redeemAs(server, app, code, { code_verifier: verifier })).status, 200);
});

test("a resource that was not granted uses nothing up, and reveals nothing about another client's code", async () => {
  const [one, two] = ['https://one.example', 'https://two.example'];
  const app = await registerClient(root, { resources: [one, two] });
  const other = await registerClient(root, { resources: [one, two] });
  const code = await codeFor(server, app, 'ann', { resource: one });
  const beyond = await redeemAs(server, app, code, { resource: two });
  assert.equal(beyond.status, 400, beyond.text);
  assert.equal(beyond.json.error, 'invalid_target');
  assertRefused(await redeemAs(server, other, code, { resource: two }), 'wrong-binding', other.id);
  const good = await redeemAs(server, app, code, { resource: one });
  assert.equal(good.status, 200, good.text);
  const gone = await redeemAs(server, app, `${code.slice(0, -4)}AAAA`, { resource: two });
  assert.equal(gone.json.error, 'invalid_grant');
  const open = await codeFor(server, app, 'ann');
  assert.equal((await redeemAs(server, app, open, { resource: two })).status, 200, 'none was named: all are');
  const unused = await codeFor(server, app, 'ann', { resource: one });
  clock.advance(11 * MINUTE);
  const late = await redeemAs(server, app, unused, { resource: two });
  assert.equal(late.json.error, 'invalid_grant', 'of a login that is forgotten');
});

describe('the code of a login by certificate', () => {
  test('is refused without that certificate, which the audit trail says', async () => {
    const id = await createIdentity(server, 'device', { externalId: null });
    using connection = withCertificate(server, await enrolled(server, id));
    const code = codeOf(await submitCertificate(connection));
    const needed = /a connection with that certificate/;
    assert.equal(assertRefused(await redeem(server, code), 'wrong-certificate', 'overlay', needed), null);
    const redeemed = await redeem(connection, code);
    assert.equal(redeemed.status, 200, redeemed.text);
    assert.equal(redeemed.json.session_cert, undefined, 'none was asked for');
    const refused = await redeem(connection, code);
    // With several threads, lines come after the answer.
    await server.controller.services.attempts.flush();
    const again = assertRefused(refused, 'already-used', 'overlay');
    assert.equal(again, auditedBy(server, redeemed)[0]?.sessionId, 'the session of the first use ends');
  });
});

test('a session certificate is issued only to clients that may use the Edge APIs', async () => {
  const csr = csrPem(ecKeys());
  async function redeemedBy(clientId: string, changes: Readonly<Record<string, string>>, app?: TestApp) {
    const authRequestId = await beginLogin(server, { client_id: clientId, ...changes });
    const json = { authRequestId, username: 'ann', password, csrPem: csr };
    const code = codeOf(await server.post('/oidc/login/username', { json }));
    return app === undefined ? redeem(server, code) : redeemAs(server, app, code);
  }
  type TestApp = Awaited<ReturnType<typeof registerClient>>;
  const own = await redeemedBy('overlay', {});
  assert.match(own.text, /session_cert.*BEGIN CERTIFICATE/);
  const callback = { redirect_uri: 'https://app.example/cb' };
  const stranger = await registerClient(root);
  const other = await redeemedBy(stranger.id, callback, stranger);
  assert.equal(other.status, 200, other.text);
  assert.doesNotMatch(other.text, /BEGIN CERTIFICATE/);
  const friend = await registerClient(root, { apiAccess: true });
  assert.match((await redeemedBy(friend.id, callback, friend)).text, /BEGIN CERTIFICATE/);
});

describe('a change after the code was issued ends the session with it', () => {
  async function assertEnded(refused: Answer, reason: string, clientId: string): Promise<void> {
    const sessionId = assertRefused(refused, reason, clientId);
    const session = await server.store.apiSessions.find(String(sessionId) as never);
    assert.equal(session?.endReason, 'administrator');
  }

  test('the application is for others now', async () => {
    const app = await registerClient(root, { allowedRoleAttributes: ['crew'] });
    const id = await server.createUser({ name: 'bob', password });
    const attributes = async (roleAttributes: readonly string[]) =>
      assert.equal((await root.call('PATCH', `identities/${id}`, { roleAttributes })).status, 200);
    await attributes(['crew']);
    assert.equal((await redeemAs(server, app, await codeFor(server, app, 'bob'))).status, 200);
    const code = await codeFor(server, app, 'bob');
    await attributes([]);
    await assertEnded(await redeemAs(server, app, code), 'client-not-allowed', app.id);
  });

  test('the policy requires more', async () => {
    const policyId = await createPolicy(server, 'stricter soon', {});
    await createUserWithPolicy(server, 'cyd', policyId);
    const code = await obtainCode(server, 'cyd', password);
    const stricter = { secondary: { requireTotp: true } };
    const changed = await root.call('PATCH', `auth-policies/${policyId}`, stricter);
    assert.equal(changed.status, 200, changed.text);
    await assertEnded(await redeem(server, code), 'factors-outstanding', 'overlay');
  });
});
