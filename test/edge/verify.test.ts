import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { typedName } from '../../src/model/names.ts';
import { openSession } from '../legacy/support.ts';
import { createPolicy } from '../support/external-jwt.ts';
import type { Answer } from '../support/https-client.ts';
import { loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const path = '/auth/verify';
const name = 'Åda, 100% “root”';

const server = await serverOfFile();
const id = await server.createUser({ name, username: 'ada', password });
const roleAttributes = ['crew', 'night shift', 'a,bå'].map(typedName);
await server.store.identities.update(id, { roleAttributes }, server.clock.now());
const bearer = (await loggedIn(server, 'ada')).accessToken;

const verify = (headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Answer> =>
  server.request(method, path, { headers });
const withBearer = (token: string) => ({ authorization: `Bearer ${token}` });
const told = ({ headers }: Answer) =>
  Object.keys(headers).filter((header) => /^(?:remote|x-auth)-/.test(header));

describe('forward authentication', () => {
  test('names the caller of an access token in headers, for every method of the request', async () => {
    for (const method of ['GET', 'HEAD']) {
      for (const accept of ['*/*', 'text/html', 'image/png', 'application/json;q=0']) {
        const answer = await verify({ ...withBearer(bearer), accept, origin: 'https://app.example' }, method);
        assert.equal(answer.status, 200, `${method} ${accept} ${answer.text}`);
        assert.equal(answer.text, '');
        assert.equal(decodeURIComponent(String(answer.headers['remote-user'])), name);
        assert.match(String(answer.headers['remote-user']), /^[\x21-\x7e]+ 100%25 [\x21-\x7e]+$/);
        assert.equal(answer.headers['remote-groups'], 'crew,night shift,a%2Cb%C3%A5');
        assert.equal(answer.headers['x-auth-mechanism'], 'oidc');
        assert.equal(answer.headers['x-auth-methods'], 'password');
        assert.equal(answer.headers['x-auth-admin'], 'false');
        assert.equal(answer.headers['remote-client'], 'overlay');
        assert.equal(answer.headers['cache-control'], 'no-store');
        assert.ok(answer.headers['expires-at']);
      }
    }
  });

  test('names the caller of a zt-session the same way, and leaves no header out', async () => {
    const { token, id } = await openSession(server, 'ada');
    const legacy = await verify({ 'zt-session': token });
    const oidc = await verify(withBearer(bearer));
    assert.equal(legacy.headers['x-auth-mechanism'], 'legacy');
    assert.equal(legacy.headers['x-auth-session-id'], id);
    assert.equal(legacy.headers['remote-id'], oidc.headers['remote-id']);
    assert.equal(legacy.headers['remote-client'], '-');
    assert.deepEqual(told(legacy), told(oidc));
    for (const answer of [legacy, oidc]) {
      for (const header of told(answer))
        assert.match(String(answer.headers[header]), /^[\x21-\x7e][\x20-\x7e]*$/, header);
    }
    await server.createUser({ name: 'nobody special', username: 'plain', password });
    const plain = await verify(withBearer((await loggedIn(server, 'plain')).accessToken));
    assert.deepEqual(told(plain), told(oidc));
    assert.equal(plain.headers['remote-user'], 'nobody special');
    assert.equal(plain.headers['remote-groups'], '');
  });

  test('refuses a session that lacks a factor with 403, because no other token of it helps', async () => {
    const id = await server.createUser({ name: 'cyd', password });
    const cyd = await loggedIn(server, 'cyd');
    const legacy = await openSession(server, 'cyd');
    const authPolicyId = await createPolicy(server, 'codes', { secondary: { requireTotp: true } });
    await server.store.identities.update(id, { authPolicyId }, server.clock.now());
    const begun = await openSession(server, 'cyd');
    for (const headers of [
      withBearer(cyd.accessToken),
      { 'zt-session': legacy.token },
      { 'zt-session': begun.token },
    ]) {
      const answer = await verify(headers);
      assert.equal(answer.status, 403, answer.text);
      assert.equal(answer.json.error.code, 'FORBIDDEN');
      assert.deepEqual(told(answer), []);
    }
  });

  test('refuses exactly as an API call does, with the same challenges, and names no person', async () => {
    const session = await openSession(server, 'ada');
    for (const headers of [
      {},
      withBearer('nonsense'),
      withBearer(`${bearer}x`),
      { authorization: 'Basic YTpi' },
      { 'zt-session': 'nonsense' },
      { 'zt-session': '' },
      { 'zt-session': `${session.token}x` },
      { 'remote-user': 'root', 'remote-id': 'root', 'x-auth-admin': 'true' },
    ]) {
      const asked = await verify(headers);
      const called = await server.get('/edge/client/v1/current-identity', { headers });
      assert.equal(asked.status, 401, JSON.stringify(headers));
      assert.deepEqual(
        [asked.status, asked.headers['www-authenticate'], asked.json.error.code],
        [called.status, called.headers['www-authenticate'], called.json.error.code],
      );
      assert.deepEqual(told(asked), []);
    }
  });

  test('refuses disabled identities and ended sessions at once', async () => {
    const root = await rootOf(server);
    const id = await server.createUser({ name: 'bob', password });
    const bob = await loggedIn(server, 'bob');
    const session = await openSession(server, 'bob');
    assert.equal((await verify(withBearer(bob.accessToken))).status, 200);
    await session.call('DELETE', 'current-api-session');
    assert.equal((await verify({ 'zt-session': session.token })).status, 401);
    const disabled = await root.call('POST', `identities/${id}/disable`, {});
    assert.equal(disabled.status, 200, disabled.text);
    assert.equal((await verify(withBearer(bob.accessToken))).status, 401);
  });

  test('never says yes without the guard: OPTIONS, TRACE, other paths', async () => {
    for (const headers of [{}, { origin: 'https://app.example', 'access-control-request-method': 'GET' }]) {
      const answer = await verify(headers, 'OPTIONS');
      assert.equal(answer.status, 405);
      assert.equal(answer.headers.allow, 'GET, HEAD');
    }
    for (const [method, where] of [
      ...['TRACE', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, path] as const),
      ['GET', `${path}/`],
      ['GET', '/auth/Verify'],
      ['GET', '/edge/client/v1/auth/verify'],
      ['OPTIONS', `${path}/x`],
    ] as const) {
      const { status } = await server.request(method, where);
      assert.ok(status >= 400, `${method} ${where}: ${status}`);
    }
  });
});
