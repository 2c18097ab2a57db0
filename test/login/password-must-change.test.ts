// A password that must be changed: the login asks for a new one before it gives a code.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { DAY } from '../../src/platform/clock.ts';
import { goClient, startCompatibleServer } from '../compatibility/support.ts';
import { authenticate } from '../legacy/support.ts';
import { createPolicy, reasonOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, codeOf, login, redeem, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, loggedIn, password, rootOf } from '../support/management.ts';
import { createTotpUser, enroll, submitCode, totpPolicy } from '../support/totp.ts';

const next = 'eleven loud umbrellas';
const clock = fixedClock('2026-03-01T12:00:00Z');
let admin: Caller;
const server = await startCompatibleServer(clock);
admin = await rootOf(server);
after(() => server.close());

async function mustChange(name: string): Promise<string> {
  const id = await server.createUser({ name, password });
  const answer = await admin.call('PATCH', `identities/${id}`, { passwordMustChange: true });
  assert.equal(answer.status, 200, answer.text);
  assert.equal((await admin.get(`identities/${id}`)).json.data.passwordMustChange, true);
  return id;
}

const replace = (authRequestId: string, secret: string): Promise<Answer> =>
  server.post('/oidc/login/password-change', { json: { authRequestId, password: secret } });

const typesOf = (answer: Answer): readonly string[] =>
  answer.json.authQueries.map(({ typeId }: { typeId: string }) => typeId);

describe('a person whose password must change', () => {
  test('has to choose a new one, and then gets the code', async () => {
    const id = await mustChange('alice');
    const request = await beginLogin(server);
    const asked = await submitPassword(server, request, 'alice', password);
    assert.equal(asked.status, 200, asked.text);
    assert.deepEqual(asked.json.authQueries, [
      {
        typeId: 'PASSWORD-CHANGE',
        httpMethod: 'POST',
        httpUrl: '/oidc/login/password-change',
        minLength: 12,
        provider: 'overlay',
      },
    ]);
    const queries = await server.get(`/oidc/login/auth-queries?id=${request}`);
    assert.deepEqual(queries.json, asked.json);
    const done = await replace(request, next);
    const tokens = await redeem(server, codeOf(done));
    assert.equal(tokens.status, 200, tokens.text);
    assert.equal((await admin.get(`identities/${id}`)).json.data.passwordMustChange, false);
    assert.equal(typeof (await login(server, 'alice', next)).access_token, 'string');
    assertRefused(
      await submitPassword(server, await beginLogin(server), 'alice', password),
      401,
      'INVALID_AUTH',
    );
  });

  test('cannot keep the old one, nor choose one that the rules refuse', async () => {
    await mustChange('bert');
    const request = await beginLogin(server);
    await submitPassword(server, request, 'bert', password);
    for (const bad of [password, 'short', 'bertbertbert', '']) {
      assertRefused(await replace(request, bad), 400, 'INVALID_FIELD', 'password');
    }
    assert.match((await replace(request, password)).text, /the current password/);
    codeOf(await replace(request, next));
  });

  test('cannot replace it before the other factors are proven', async () => {
    await createTotpUser(server, await totpPolicy(server), 'cora');
    const { app } = await enroll(server, clock, 'cora');
    const { data } = (await admin.get(`identities?filter=${encodeURIComponent('name="cora"')}`)).json;
    await admin.call('PATCH', `identities/${data[0].id}`, { passwordMustChange: true });
    const request = await beginLogin(server);
    const asked = await submitPassword(server, request, 'cora', password);
    assert.deepEqual(typesOf(asked), ['MFA', 'PASSWORD-CHANGE']);
    assertRefused(await replace(request, next), 409, 'CONFLICT');
    clock.advance(60_000);
    const after = await submitCode(server, request, app.code());
    assert.deepEqual(typesOf(after), ['PASSWORD-CHANGE']);
    codeOf(await replace(request, next));
  });

  test('may not choose for another person, without a login, or when it is not required', async () => {
    await server.createUser({ name: 'dana', password });
    assertRefused(await replace(await beginLogin(server), next), 400, 'INVALID_AUTH_REQUEST');
    assertRefused(await replace('nonsense', next), 400, 'INVALID_AUTH_REQUEST');
    await mustChange('dirk');
    const request = await beginLogin(server);
    await submitPassword(server, request, 'dirk', password);
    // The request now belongs to dana, who has no step left: the code is given, and no password has to change.
    codeOf(await submitPassword(server, request, 'dana', password));
    assertRefused(await replace(request, next), 400, 'INVALID_AUTH_REQUEST');
    assert.equal(typeof (await login(server, 'dana', password)).access_token, 'string');
  });

  test('with two logins at once replaces the password once', async () => {
    await mustChange('emil');
    const requests = [await beginLogin(server), await beginLogin(server)];
    for (const request of requests) await submitPassword(server, request, 'emil', password);
    const secrets = [next, 'twelve loud umbrellas'];
    const answers = await Promise.all(requests.map((request, at) => replace(request, secrets[at] ?? '')));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [302, 400]);
    const winner = answers.findIndex(({ status }) => status === 302);
    assert.equal(typeof (await login(server, 'emil', secrets[winner] ?? '')).access_token, 'string');
  });

  test('keeps open sessions until the password is replaced, and then loses them', async () => {
    await server.createUser({ name: 'fay', password });
    const session = await loggedIn(server, 'fay');
    const { id } = (await session.get('/edge/client/v1/current-identity')).json.data;
    await admin.call('PATCH', `identities/${id}`, { passwordMustChange: true });
    assert.equal((await session.get('/edge/client/v1/current-identity')).status, 200);
    const request = await beginLogin(server);
    await submitPassword(server, request, 'fay', password);
    codeOf(await replace(request, next));
    assertRefused(await session.get('/edge/client/v1/current-identity'), 401, 'UNAUTHORIZED');
  });

  test('is done after changing it on the account page', async () => {
    await server.createUser({ name: 'gil', password });
    const session = await loggedIn(server, 'gil');
    const own = '/edge/client/v1/current-identity';
    const { id } = (await session.get(own)).json.data;
    await admin.call('PATCH', `identities/${id}`, { passwordMustChange: true });
    const [updb] = (await session.get(`${own}/authenticators`)).json.data;
    const change = { password: next, currentPassword: password };
    const answer = await session.call('PATCH', `${own}/authenticators/${updb.id}`, change);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(typeof (await login(server, 'gil', next)).access_token, 'string');
    // A password set by an administrator leaves the demand in place: the person did not choose it.
    await admin.call('PATCH', `identities/${id}`, { passwordMustChange: true });
    await admin.call('PATCH', `authenticators/${updb.id}`, { password });
    assert.deepEqual(typesOf(await submitPassword(server, await beginLogin(server), 'gil', password)), [
      'PASSWORD-CHANGE',
    ]);
  });

  test('with an existing SDK or a legacy session gets a clear refusal', async () => {
    await mustChange('hana');
    const request = await beginLogin(server, { client_id: goClient });
    const refused = await submitPassword(server, request, 'hana', password);
    assertRefused(refused, 403, 'PASSWORD_CHANGE_REQUIRED');
    assert.match(refused.text, /account page/);
    const legacy = await authenticate(server, 'hana');
    assertRefused(legacy, 403, 'PASSWORD_CHANGE_REQUIRED');
    assert.equal(await reasonOf(server, legacy), 'password-change-required');
    // A caller who gives the wrong one learns nothing.
    assertRefused(await authenticate(server, 'hana', 'wrong password'), 401, 'INVALID_AUTH');
  });
});

describe('a policy by which passwords get too old', () => {
  test('asks for a new one from then on, and again as long after that', async () => {
    const created = await admin.call('POST', 'auth-policies', {
      name: 'ninety days',
      primary: { updb: { allowed: true, mustChangeAfter: '2160h' } },
    });
    assert.equal(created.status, 201, created.text);
    const authPolicyId = created.json.data.id;
    const { data } = (await admin.get(`auth-policies/${authPolicyId}`)).json;
    assert.equal(data.primary.updb.mustChangeAfter, '2160h');
    const id = await server.createUser({ name: 'ines', password });
    await admin.call('PATCH', `identities/${id}`, { authPolicyId });
    assert.equal(typeof (await login(server, 'ines', password)).access_token, 'string');
    clock.advance(90 * DAY);
    admin = await loggedIn(server, 'root');
    const explained = await admin.get(`identities/${id}/login-explanation?method=password`);
    assert.deepEqual(explained.json.data.asks, ['password-change']);
    const request = await beginLogin(server);
    assert.deepEqual(typesOf(await submitPassword(server, request, 'ines', password)), ['PASSWORD-CHANGE']);
    codeOf(await replace(request, next));
    clock.advance(89 * DAY);
    assert.equal(typeof (await login(server, 'ines', next)).access_token, 'string');
    clock.advance(DAY);
    assert.deepEqual(typesOf(await submitPassword(server, await beginLogin(server), 'ines', next)), [
      'PASSWORD-CHANGE',
    ]);
  });

  test('says in advance whom it would affect', async () => {
    admin = await loggedIn(server, 'root');
    const id = await createPolicy(server, 'to be stricter', {});
    const user = await server.createUser({ name: 'jan', password });
    await admin.call('PATCH', `identities/${user}`, { authPolicyId: id });
    const preview = async (mustChangeAfter: string | null) => {
      const policy = { id, name: 'to be stricter', primary: { updb: { mustChangeAfter } } };
      return (await admin.call('POST', 'auth-policies/preview', policy)).json.data.asksMore.count;
    };
    assert.equal(await preview('48h'), 0);
    clock.advance(2 * DAY);
    admin = await loggedIn(server, 'root');
    assert.deepEqual([await preview('48h'), await preview(null)], [1, 0]);
  });

  test('accepts no duration that would affect most logins, and nothing that is not a duration', async () => {
    for (const mustChangeAfter of ['1h', '23h59m', 'soon', 90, '0']) {
      const policy = { name: 'odd', primary: { updb: { mustChangeAfter } } };
      const field = 'primary.updb.mustChangeAfter';
      assertRefused(await admin.call('POST', 'auth-policies', policy), 400, 'COULD_NOT_VALIDATE', field);
    }
  });

  test('travels with the declared state', async () => {
    const policy = { name: 'declared', primary: { updb: { mustChangeAfter: '720h' } } };
    const state = { 'auth-policy': [policy] };
    const applied = await admin.call('POST', 'state', { state });
    assert.equal(applied.status, 200, applied.text);
    const { data } = (await admin.get('state?kinds=auth-policy')).json;
    const found = data['auth-policy'].find(({ name }: { name: string }) => name === 'declared');
    assert.equal(found.primary.updb.mustChangeAfter, '720h');
    const again = await admin.call('POST', 'state', { state: { 'auth-policy': [found] } });
    assert.deepEqual(again.json.data.changed, []);
  });
});
