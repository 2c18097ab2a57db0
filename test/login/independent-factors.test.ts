// Two tokens of one issuer are one factor: what a policy requires as the second proof does not open a login as well.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AuthPolicyId, IdentityId, SignerId } from '../../src/model/ids.ts';
import { enrolled, withCertificate } from '../support/certificates.ts';
import {
  audience,
  bearer,
  createIdentity,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  reasonOf,
  redeemed,
  submitJwt,
  submitPasswordAnd,
  tokenOf,
} from '../support/external-jwt.ts';
import { beginLogin, callWith, claimsOf, codeOf, redeem, refresh } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, password, rootOf } from '../support/management.ts';
import { startTestIdp, type TestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';
import { scan, startEnrollment, verifyEnrollment } from '../support/totp.ts';

const twoFactors = 'urn:overlay-auth:acr:two-factor';
/** Signers of `one`: `required` by policies, and its `sister`, which takes other tokens of the same issuer. */
const server = await serverOfFile({ signing: true });
const admin = await rootOf(server);
const [one, two] = await Promise.all([startTestIdp(), startTestIdp()]);
const required = await createSigner(admin, one, 'required');
const sister = await createSigner(admin, one, 'sister', { audience: 'sister' });
await createSigner(admin, two, 'other');
after(() => Promise.all([one.close(), two.close()]));

let serial = 0;
const tokens = (name: string) => {
  const next = (idp: TestIdp, aud: string) => {
    serial += 1;
    return tokenOf(server, idp, `${name}@idp`, { aud, jti: `token ${serial}` });
  };
  return {
    ofRequired: () => next(one, audience),
    ofSister: () => next(one, 'sister'),
    ofOther: () => next(two, audience),
  };
};
const needing = (requireExtJwt: string | null, requireTotp = false) => {
  serial += 1;
  return createPolicy(server, `policy ${serial}`, { secondary: { requireExtJwt, requireTotp } });
};
const legacy = (...sent: readonly string[]): Promise<Answer> =>
  server.post('/edge/client/v1/authenticate?method=ext-jwt', { json: {}, headers: bearer(...sent) });
const callZt = (token: string, ...sent: readonly string[]) =>
  server.get('/edge/client/v1/current-identity', {
    headers: { 'zt-session': token, ...(sent.length === 0 ? {} : bearer(...sent)) },
  });

describe('under a policy that requires a token of a signer', () => {
  let policy: AuthPolicyId;
  before(async () => {
    policy = await needing(required);
    await createUserWithPolicy(server, 'alice', policy);
  });

  test('neither its tokens nor others of its issuer open a login, in any number and order', async () => {
    const { ofRequired, ofSister } = tokens('alice');
    const again = await ofRequired();
    for (const sent of [
      [again],
      [again, again],
      [again, await ofRequired()],
      [await ofSister()],
      [await ofSister(), again],
      [again, await ofSister()],
      [await ofSister(), await ofSister()],
    ]) {
      for (const ask of [submitJwt.bind(null, server), legacy]) {
        const answer = await ask(...sent);
        assert.equal(answer.status, 401, answer.text);
        assert.match(
          answer.lines('www-authenticate').join(),
          /realm="overlay-primary-ext-jwt", error="invalid"/,
        );
        assert.equal(await reasonOf(server, answer), 'signer-not-independent');
      }
    }
  });

  test('an administrator reads why, and what to do', async () => {
    const answer = await submitJwt(server, await tokens('alice').ofRequired());
    await server.controller.services.attempts.flush();
    const record = await admin.get(`login-attempts/${answer.headers['x-request-id']}`);
    assert.match(record.text, /Two tokens of one issuer are one factor/);
    assert.match(record.text, /Log in with another first proof/);
  });

  test('the reason is that of the other token, if one was sent', async () => {
    const { ofRequired } = tokens('alice');
    const late = await tokenOf(server, two, 'alice@idp', { aud: 'somebody else' });
    for (const sent of [
      [await ofRequired(), late],
      [late, await ofRequired()],
    ]) {
      assert.equal(await reasonOf(server, await submitJwt(server, ...sent)), 'token-audience');
    }
  });

  test('a token of another issuer, a password or a certificate is one factor, and the required token the second', async () => {
    const { ofRequired, ofOther } = tokens('alice');
    const id = await createIdentity(server, 'device', { authPolicyId: policy });
    const device = await enrolled(server, id);
    const connection = withCertificate(server, device);
    const opened = async (method: string, headers: Answer['headers']) =>
      connection.post(`/oidc/login/${method}`, {
        json: { authRequestId: await beginLogin(server) },
        headers: headers as never,
      });
    for (const [answer, first] of [
      [await submitJwt(server, await ofOther(), await ofRequired()), 'ext-jwt'],
      [await submitJwt(server, await ofRequired(), await ofOther()), 'ext-jwt'],
      [await submitPasswordAnd(server, 'alice', password, await ofRequired()), 'password'],
      [await opened('cert', bearer(await tokens('device').ofRequired()) as never), 'cert'],
    ] as const) {
      assert.equal(answer.status, 302, `${first} ${answer.text}`);
      const redeeming = await (first === 'cert'
        ? redeem(connection, codeOf(answer))
        : redeem(server, codeOf(answer)));
      const { amr, acr } = claimsOf(redeeming.json.access_token);
      assert.deepEqual([amr, acr], [[first, `ejs:${required}`], twoFactors]);
    }
    connection.closeConnections();
    assert.equal((await legacy(await ofOther(), await ofRequired())).json.data.authQueries.length, 0);
  });

  test('the explanation of a login says so, and the preview of a policy counts who would be locked out', async () => {
    const id = await createIdentity(server, 'jim', { authPolicyId: await needing(required) });
    const explain = async () =>
      (await admin.get(`identities/${id}/login-explanation?method=ext-jwt`)).json.data;
    assert.equal((await explain()).outcome, 'allowed', 'by the other issuer');
    const rules = await admin.get(`auth-policies/${await policyOf(id)}`);
    const { name, primary, secondary } = rules.json.data;
    const extJwt = { ...primary.extJwt, allowed: true, allowedSigners: [required, sister] };
    const changed = { id: await policyOf(id), name, primary: { ...primary, extJwt }, secondary };
    const preview = await admin.call('POST', 'auth-policies/preview', changed);
    assert.deepEqual(preview.json.data.lockedOut.first, [{ id, name: 'jim' }], preview.text);
    const { id: policyId, ...body } = changed;
    assert.equal((await admin.call('PUT', `auth-policies/${policyId}`, body)).status, 200);
    const { outcome, reason } = await explain();
    assert.deepEqual([outcome, reason], ['refused', 'signer-not-independent']);
  });
});

const policyOf = async (id: IdentityId) => (await server.store.identities.find(id))?.authPolicyId;

describe('once a policy requires it', () => {
  /** A person whose policy does not require a token yet. */
  async function person(name: string, requireTotp = false) {
    const policy = await needing(null, requireTotp);
    await createUserWithPolicy(server, name, policy);
    const require = async () => {
      const secondary = { requireTotp, requireExtJwt: required as SignerId };
      await server.store.authPolicies.update(policy, { secondary }, server.clock.now());
      await server.controller.services.view.feed.beFresh();
    };
    return { ...tokens(name), require };
  }

  test('a session that the same issuer opened is good for no call, refresh or introspection', async () => {
    const { ofRequired, ofSister, ofOther, require } = await person('bob');
    const opened = [
      await redeemed(server, await submitJwt(server, await ofRequired())),
      await redeemed(server, await submitJwt(server, await ofSister())),
    ];
    const sessions = [await legacy(await ofRequired()), await legacy(await ofSister())];
    const elsewhere = await redeemed(server, await submitJwt(server, await ofOther()));
    await require();
    for (const { access_token, refresh_token } of opened) {
      const headers = bearer(access_token, await ofRequired());
      assert.equal((await server.get('/edge/client/v1/current-identity', { headers })).status, 401);
      assertRefused(await callWith(server, access_token), 401, 'UNAUTHORIZED');
      assert.equal((await refresh(server, refresh_token)).json.error, 'invalid_grant');
      const form = { token: access_token };
      const asked = await server.post('/oidc/introspect', {
        form,
        headers: { authorization: `Bearer ${admin.accessToken}` },
      });
      assert.deepEqual(asked.json, { active: false });
    }
    for (const { json } of sessions) {
      assert.equal((await callZt(json.data.token, await ofRequired())).status, 401);
    }
    const headers = bearer(elsewhere.access_token, await ofRequired());
    assert.equal((await server.get('/edge/client/v1/current-identity', { headers })).status, 200);
  });

  test('a code of such a login is worth nothing, nor is one in progress', async () => {
    const { ofRequired, require } = await person('carl');
    const finished = await submitJwt(server, await ofRequired());
    await require();
    assert.equal((await redeem(server, codeOf(finished))).json.error, 'invalid_grant');

    const dora = await person('dora', true);
    const id = await beginLogin(server);
    const headers = bearer(await dora.ofRequired());
    assert.equal(
      (await server.post('/oidc/login/ext-jwt', { json: { authRequestId: id }, headers })).status,
      200,
    );
    const app = scan(server.clock, (await startEnrollment(server, id)).json.provisioningUrl);
    await dora.require();
    const second = { json: { authRequestId: id }, headers: bearer(await dora.ofRequired()) };
    for (const answer of [
      await server.post('/oidc/login/ext-jwt', second),
      await verifyEnrollment(server, id, app.code()),
    ]) {
      assert.equal(answer.status, 401, answer.text);
      assert.equal(await reasonOf(server, answer), 'signer-not-independent');
    }
  });
});

test('a signer that comes to share the issuer of the required one ends what it opened', async () => {
  const three = await startTestIdp();
  const third = await createSigner(admin, three, 'third', { audience: 'third' });
  await createUserWithPolicy(server, 'erin', await needing(required));
  const token = await tokenOf(server, three, 'erin@idp', { aud: 'third' });
  const { ofRequired } = tokens('erin');
  const { access_token } = await redeemed(server, await submitJwt(server, token, await ofRequired()));
  const call = async () =>
    (
      await server.get('/edge/client/v1/current-identity', {
        headers: bearer(access_token, await ofRequired()),
      })
    ).status;
  assert.equal(await call(), 200);
  assert.equal(
    (await admin.call('PATCH', `external-jwt-signers/${third}`, { issuer: one.issuer })).status,
    200,
  );
  assert.equal(await call(), 401);
  await three.close();
});
