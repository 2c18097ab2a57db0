import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createIdentity, createPolicy, createSigner, submitJwt, tokenOf } from '../support/external-jwt.ts';
import { assertRefused, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';

const [server, idp, other] = await Promise.all([startTestServer(), startTestIdp(), startTestIdp()]);
const admin = await rootOf(server);
const signer = await createSigner(admin, idp, 'corporate');
await createIdentity(server, 'grace');
after(() => Promise.all([server.close(), idp.close(), other.close()]));

async function tried(token: string, id = signer) {
  const answer = await admin.call('POST', `external-jwt-signers/${id}/verify`, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data;
}

describe('trying a token of an external signer', () => {
  test('says which identity it would log in, and opens no session', async () => {
    const token = await tokenOf(server, idp, 'grace@idp');
    const verdict = await tried(token);
    assert.deepEqual(
      [verdict.isAccepted, verdict.use, verdict.reason, verdict.claim, verdict.identity.name],
      [true, 'primary', null, 'grace@idp', 'grace'],
    );
    assert.equal(verdict.explanation, null);
    assert.ok(verdict.checks.every((check: { verdict: string }) => check.verdict === 'passed'));
    const sessions = await admin.get(`identities/${verdict.identity.id}/api-sessions`);
    assert.deepEqual(sessions.json.data, []);
    assert.equal((await submitJwt(server, token)).status, 302, 'and the token can still be used');
  });

  test('gives the reason why a login with it is refused', async () => {
    const onlyPassword = await createPolicy(server, 'no tokens', {
      primary: { extJwt: { allowed: false, allowedSigners: [] } },
    });
    await createIdentity(server, 'alan', { authPolicyId: onlyPassword });
    const seconds = Math.floor(server.clock.now() / 1000);
    for (const [reason, saw, token] of [
      ['no-signer-for-issuer', idp.issuer, await tokenOf(server, other, 'grace@idp', { iss: other.issuer })],
      ['token-audience', '"overlay"', await tokenOf(server, idp, 'grace@idp', { aud: 'somebody else' })],
      ['token-expired', 'expiration', await tokenOf(server, idp, 'grace@idp', { iat: 1, exp: seconds - 60 })],
      ['token-signature', 'signature', `${(await tokenOf(server, idp, 'grace@idp')).slice(0, -8)}AAAAAAAA`],
      ['token-claim-missing', 'sub', await tokenOf(server, idp, 'grace@idp', { sub: undefined })],
      ['no-identity-for-claim', 'nobody@idp', await tokenOf(server, idp, 'nobody@idp')],
      ['method-not-allowed', 'no tokens', await tokenOf(server, idp, 'alan@idp')],
      ['malformed-token', 'JWT', 'garbage'],
    ] as const) {
      const verdict = await tried(token);
      assert.deepEqual([verdict.isAccepted, verdict.use, verdict.reason], [false, null, reason]);
      const failed = verdict.checks.filter((check: { verdict: string }) => check.verdict === 'failed');
      assert.equal(failed.length, 1, reason);
      assert.ok(failed[0].saw.includes(saw), `${reason}: ${failed[0].saw}`);
      assert.ok(verdict.explanation.happened && verdict.explanation.remedy);
    }
  });

  test('recognizes a second proof, a disabled signer, and two signers that fit', async () => {
    const policy = await createPolicy(server, 'two proofs', {
      primary: { extJwt: { allowed: false, allowedSigners: [] } },
      secondary: { requireExtJwt: signer },
    });
    await createIdentity(server, 'joan', { authPolicyId: policy });
    const verdict = await tried(await tokenOf(server, idp, 'joan@idp'));
    assert.deepEqual([verdict.use, verdict.identity.name], ['secondary', 'joan']);

    const off = await createSigner(admin, other, 'off', { enabled: false });
    const ofOther = await tokenOf(server, other, 'grace@idp', { iss: other.issuer });
    assert.equal((await tried(ofOther, off)).reason, 'signer-disabled');

    const one = await createSigner(admin, other, 'one', { audience: 'first' });
    await createSigner(admin, other, 'two', { audience: 'second' });
    const aud = ['first', 'second'];
    const both = await tokenOf(server, other, 'grace@idp', { iss: other.issuer, aud });
    const ambiguous = await tried(both, one);
    assert.equal(ambiguous.isAccepted, false);
    assert.match(ambiguous.checks.at(-1).saw, /several signers/);
  });

  test('is open only to those who may read, and only for a signer that exists', async () => {
    const token = await tokenOf(server, idp, 'grace@idp');
    await server.createUser({ name: 'reader', password });
    const reader = await loggedIn(server, 'reader');
    const path = `external-jwt-signers/${signer}/verify`;
    assertRefused(await reader.call('POST', path, { token }), 403, 'FORBIDDEN');
    const { id } = (await admin.get('identities?filter=name="reader"')).json.data[0];
    await admin.call('PATCH', `identities/${id}`, { permissions: ['read'] });
    assert.equal((await reader.call('POST', path, { token })).status, 200);
    assertRefused(await admin.call('POST', 'external-jwt-signers/none/verify', { token }), 404, 'NOT_FOUND');
    assertRefused(await admin.call('POST', path, {}), 400, 'COULD_NOT_VALIDATE');
  });
});
