// Credentials in places where they do not belong, or several at once.

import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  beginLogin,
  locationOf,
  login,
  redeem,
  redirectUri,
  refresh,
  submitPassword,
  type Tokens,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { serverOfFile } from '../support/test-server.ts';
import { createTotpUser, partialLogin, password, totpPolicy } from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let tokens: Tokens;
const server = await serverOfFile({ clock });
await server.createUser({ name: 'alice', password });
beforeEach(async () => {
  tokens = await login(server, 'alice', password);
});

const session = (headers: Record<string, string | readonly string[]>): Promise<Answer> =>
  server.get('/edge/client/v1/current-api-session', { headers });

describe('the Authorization header', () => {
  test('may come up to three times, in any order or joined by a proxy', async () => {
    const good = `Bearer ${tokens.access_token}`;
    const other = `Bearer ${tokens.id_token}`;
    for (const authorization of [[good, other], [other, good], [other, other, good], `${other}, ${good}`]) {
      assert.equal((await session({ authorization })).status, 200);
    }
    assert.equal((await session({ authorization: [other, other, other, good] })).status, 400);
    assert.equal((await session({ authorization: [other, other] })).status, 401);
  });

  test('with another scheme or empty is not a token, and a broken one is an invalid one', async () => {
    const basic = `Basic ${Buffer.from('alice:x').toString('base64')}`;
    for (const authorization of [
      basic,
      'Bearer',
      'Bearer , bearer',
      'DPoP',
      tokens.access_token,
      `Token ${tokens.access_token}`,
      `Bearer\t${tokens.access_token}`,
    ]) {
      const answer = await session({ authorization });
      assert.equal(answer.status, 401);
      assert.match(answer.lines('www-authenticate').join(), /^zt-session .*"missing".*Bearer .*"missing"/);
    }
    for (const authorization of [
      'Bearer x y',
      `Bearer "${tokens.access_token}"`,
      `Bearer Bearer ${tokens.access_token}`,
    ]) {
      const answer = await session({ authorization });
      assert.equal(answer.status, 401);
      assert.match(answer.lines('www-authenticate').join(), /^Bearer realm="overlay-oidc", error="invalid"/);
    }
  });

  test('with any other kind of our tokens is refused, and so is an access token as a session token', async () => {
    for (const token of [tokens.id_token, tokens.refresh_token, await beginLogin(server)]) {
      assert.equal((await session({ authorization: `Bearer ${token}` })).status, 401);
    }
    for (const value of [tokens.access_token, tokens.refresh_token, 'x', '', 'a.b.c', '0'.repeat(4000)]) {
      const answer = await session({ 'zt-session': value });
      assert.equal(answer.status, 401, value.slice(0, 20));
      assert.match(answer.lines('www-authenticate').join(), /zt-session realm="zt-session"/);
    }
  });
});

describe('credentials of a login', () => {
  test('in the query are not read, with any method', async () => {
    const id = await beginLogin(server);
    const query = `authRequestID=${id}&username=alice&password=${encodeURIComponent(password)}`;
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']) {
      const answer = await server.request(method, `/oidc/login/username?${query}`);
      assert.ok([200, 400, 405].includes(answer.status), `${method} ${answer.status}`);
      assert.equal(answer.headers.location, undefined);
    }
    assert.equal((await submitPassword(server, id, 'alice', password)).status, 302);
  });

  test('lead to the client, wherever else further parameters point', async () => {
    for (const name of ['next', 'goto', 'rd', 'continue', 'returnTo', 'redirect_uri', 'redirect', 'url']) {
      const id = await beginLogin(server);
      const evil = 'https://evil.example/';
      const answer = await server.post(`/oidc/login/username?${name}=${encodeURIComponent(evil)}`, {
        json: { authRequestId: id, username: 'alice', password, [name]: evil },
      });
      assert.ok(locationOf(answer).startsWith(`${redirectUri}?code=`), name);
    }
  });
});

test('a login that lacks a factor opens nothing: its id is neither a code nor a token', async () => {
  await createTotpUser(server, await totpPolicy(server), 'bob');
  const id = await partialLogin(server, 'bob');
  assert.equal((await redeem(server, id)).json.error, 'invalid_grant');
  assert.equal((await refresh(server, id)).json.error, 'invalid_grant');
  for (const { methods, path, guard } of server.controller.services.routes) {
    if (guard === 'anonymous') continue;
    for (const headers of [{ authorization: `Bearer ${id}` }, { 'zt-session': id }]) {
      const answer = await server.request(methods[0] as string, path.replace(/:\w+/g, 'default'), {
        headers,
      });
      assert.equal(answer.status, 401, path);
    }
  }
});

test('addresses that caches take for files are not our pages', async () => {
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  for (const path of [
    '/oidc/userinfo/x.css',
    '/oidc/userinfo;x.css',
    '/oidc/userinfo%2fx.css',
    '/oidc/login/username/.js',
    '/edge/client/v1/current-identity/a.png',
  ]) {
    const answer = await server.get(path, { headers });
    assert.equal(answer.status, 404, path);
    assert.equal(answer.headers['cache-control'], 'no-store');
  }
});

test('a logout with an endless state is refused, and the session continues', async () => {
  const path = `/oidc/end_session?id_token_hint=${tokens.id_token}&state=`;
  assert.ok(
    [414, 431].includes((await server.get(path + 'x'.repeat(200_000)).catch(() => ({ status: 431 }))).status),
  );
  assert.equal((await server.get(path + 'x'.repeat(5000))).status, 400);
  assert.equal((await session({ authorization: `Bearer ${tokens.access_token}` })).status, 200);
});
