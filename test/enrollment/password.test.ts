import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clientApi, enrollBy, invited, uniqueName } from '../support/enrollment.ts';
import { createPolicy, reasonOf } from '../support/external-jwt.ts';
import { login } from '../support/flow.ts';
import { assertRefused, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
const admin = await rootOf(server);

describe('an enrollment with a password', () => {
  test('sets the password that the person chose, once', async () => {
    const { token } = await invited(admin, { updb: 'ana' });
    const json = { username: 'ana', password };
    const answer = await enrollBy(server, 'updb', token, { json });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.data.cert, '');
    assert.equal(answer.json.data.username, 'ana');
    assert.equal(typeof (await login(server, 'ana', password)).access_token, 'string');
    const again = await enrollBy(server, 'updb', token, { json });
    assertRefused(again, 400, 'INVALID_ENROLLMENT_TOKEN');
  });

  test('is among the login attempts, for administrators and for the person', async () => {
    const { token } = await invited(admin, { updb: 'abe' });
    const answer = await enrollBy(server, 'updb', token, { json: { password } });
    const reference = String(answer.headers['x-request-id']);
    const records = await Promise.all([
      admin.get(`login-attempts/${reference}`).then(({ json }) => json.data.attempts[0]),
      admin
        .get(`login-attempts?filter=${encodeURIComponent(`reference="${reference}"`)}`)
        .then(({ json }) => json.data[0]),
      (await loggedIn(server, 'abe'))
        .get(`${clientApi}/current-identity/login-attempts?sort=at`)
        .then(({ json }) => json.data[0]),
    ]);
    for (const { mechanism, outcome, reference: shown } of records) {
      assert.deepEqual([mechanism, outcome, shown], ['enrollment', 'passed', reference]);
    }
    // Each of them matches the API description.
    const { json } = await server.get('/edge/management/v1/openapi.json');
    const { enum: mechanisms } = json.components.schemas.LoginAttempt.properties.mechanism;
    assert.deepEqual(mechanisms, ['oidc', 'legacy', 'enrollment', 'request']);
  });

  test('holds the password to the rules of the policy, and keeps the token', async () => {
    const standard = await server.store.authPolicies.find('default' as never);
    const updb = { ...standard?.primary.updb, requireNumberChar: true } as never;
    const authPolicyId = await createPolicy(server, 'with digits', { primary: { updb } });
    const { token } = await invited(admin, { updb: 'ben' }, { authPolicyId });
    for (const bad of ['short', 'password1', 'seven quiet lanterns']) {
      const answer = await enrollBy(server, 'updb', token, { json: { password: bad } });
      assertRefused(answer, 400, 'INVALID_FIELD', 'password');
      assert.ok(!answer.text.includes(bad));
      assert.equal(await reasonOf(server, answer), 'enrollment-password-refused');
    }
    const json = { token, password: 'seven quiet lanterns 7' };
    assert.equal((await server.post(`${clientApi}/enroll/updb`, { json })).status, 200);
  });

  test('gives the user name of the enrollment and no other', async () => {
    const { token } = await invited(admin, { updb: 'cleo' });
    const other = await enrollBy(server, 'updb', token, { json: { username: 'root', password } });
    assertRefused(other, 'username');
    assertRefused(await enrollBy(server, 'updb', token, { json: {} }), 'password');
    const spelled = await enrollBy(server, 'updb', token, { json: { username: 'CLEO', password } });
    assert.equal(spelled.status, 200, spelled.text);
  });

  test('reports a user name that was taken meanwhile, and keeps the token', async () => {
    const { token } = await invited(admin, { updb: 'dora' });
    await server.createUser({ name: uniqueName(), username: 'dora', password });
    const answer = await enrollBy(server, 'updb', token, { json: { password } });
    assertRefused(answer, 409, 'CONFLICT');
    assert.equal(await reasonOf(server, answer), 'already-enrolled');
    const second = await enrollBy(server, 'updb', token, { json: { password } });
    assertRefused(second, 409, 'CONFLICT');
  });
});
