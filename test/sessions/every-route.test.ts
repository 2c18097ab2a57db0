// Rules for every endpoint there is: the list is the server's own, so that a new one cannot be forgotten.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { mediaTypesOf, type Route } from '../../src/http/request/route.ts';
import { defaultAuthPolicyId } from '../../src/model/ids.ts';
import { assertNoSession, clientRoot, managementRoot, openSession, type Session } from '../legacy/support.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { refresh } from '../support/flow.ts';
import { assertRefused, callerWith, loggedIn } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { password, totpPolicy } from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await startTestServer({ clock, signing: true });
after(() => server.close());

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly route: Route;
}

function operations(): readonly Operation[] {
  return server.controller.services.routes.flatMap((route) =>
    route.methods.map((method) => ({ method, path: route.path.replaceAll(/:\w+/g, 'no-such'), route })),
  );
}

/** What a session may do while a factor is missing (spec 5.6): read itself, answer what it is asked, or give up. */
const openToPartial = [
  // Refuses in its own way.
  'GET auth/verify',
  'DELETE current-api-session',
  'GET current-api-session',
  'GET current-identity/mfa',
  'GET current-identity/mfa/qr-code',
  'POST authenticate/mfa',
  'POST current-identity/mfa',
  'POST current-identity/mfa/verify',
];

describe('a session that lacks a factor', () => {
  let session: Session;
  before(async () => {
    const id = await server.createUser({ name: 'partial', password });
    const authPolicyId = await totpPolicy(server);
    await server.store.identities.update(id, { authPolicyId }, clock.now());
    session = await openSession(server, 'partial');
  });

  test('is let through by the endpoints of the specification only', async () => {
    const open = operations().filter(({ route }) => route.guard === 'partial');
    // HEAD is GET without the body.
    const nameOf = (method: string) => (method === 'HEAD' ? 'GET' : method);
    const names = open.map(
      ({ method, path }) => `${nameOf(method)} ${path.replace(/^(\/edge\/\w+\/v1)?\//, '')}`,
    );
    for (const name of names) assert.ok(openToPartial.includes(name), name);
    let asked = 0;
    for (const { method, path, route } of operations()) {
      if (route.guard !== 'full' && route.guard !== 'admin') continue;
      const answer = await session.call(
        method,
        path,
        method === 'GET' || method === 'HEAD' ? {} : { json: {} },
      );
      asked += 1;
      assert.equal(answer.status, 401, `${method} ${path} ${answer.text}`);
      if (method !== 'HEAD' && route.errors === 'edge') assertRefused(answer, 401, 'UNAUTHORIZED');
    }
    assert.ok(asked > 60);
  });

  test('may end itself, and has then ended', async () => {
    for (const root of [clientRoot, managementRoot]) {
      const partial = await openSession(server, 'partial', root);
      const answer = await partial.call('DELETE', 'current-api-session');
      assert.deepEqual([answer.status, answer.json], [200, { data: {}, meta: {} }]);
      assertNoSession(await partial.get('current-api-session'));
      assertNoSession(await partial.post('authenticate/mfa', { code: '123456' }));
    }
  });

  test('may end itself with an access token too, after the policy started to require the factor', async () => {
    const id = await server.createUser({ name: 'strict', password });
    const { accessToken, refreshToken } = await loggedIn(server, 'strict', password);
    await server.store.identities.update(id, { authPolicyId: await totpPolicy(server) }, clock.now());
    const caller = callerWith(server, accessToken);
    assertRefused(await caller.get(`${clientRoot}/current-identity`), 401, 'UNAUTHORIZED');
    assert.equal((await caller.call('DELETE', `${clientRoot}/current-api-session`)).status, 200);
    await server.store.identities.update(id, { authPolicyId: defaultAuthPolicyId }, clock.now());
    assertRefused(await caller.get(`${clientRoot}/current-identity`), 401, 'UNAUTHORIZED');
    assert.equal((await refresh(server, refreshToken)).json.error, 'invalid_grant');
  });
});

test('without a token no endpoint of a session opens, and the challenges name both mechanisms', async () => {
  for (const { method, path, route } of operations()) {
    if (route.guard === 'anonymous') continue;
    const answer = await server.request(method, path);
    assert.equal(answer.status, 401, `${method} ${path}`);
    if (route.errors === 'edge' && method !== 'HEAD') assertRefused(answer, 401, 'UNAUTHORIZED');
    assert.deepEqual(
      answer.lines('www-authenticate').map((line) => line.split(', error_description')[0]),
      ['zt-session realm="zt-session", error="missing"', 'Bearer realm="overlay-oidc", error="missing"'],
      `${method} ${path}`,
    );
  }
});

describe('every path', () => {
  const known = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];
  const served = () => operations().filter(({ route }) => route.api !== 'health' && route.api !== 'metrics');

  test('refuses unknown methods, and names the allowed ones', async () => {
    for (const [path, there] of Map.groupBy(served(), (operation) => operation.path)) {
      const answersPreflight = there.every(({ route }) => route.refusesPreflight !== true);
      const allowed = [...there.map(({ method }) => method), ...(answersPreflight ? ['OPTIONS'] : [])].sort();
      for (const method of [...known, 'OPTIONS']) {
        if (method !== 'OPTIONS' && allowed.includes(method)) continue;
        const answer = await server.request(method, path);
        assert.equal(
          answer.status,
          method === 'OPTIONS' && answersPreflight ? 204 : 405,
          `${method} ${path}`,
        );
        assert.deepEqual(String(answer.headers.allow).split(', ').sort(), allowed, `${method} ${path}`);
        if (answer.status === 204) assert.equal(answer.text, '');
        else if (method !== 'HEAD' && there[0]?.route.errors === 'edge')
          assertRefused(answer, 405, 'METHOD_NOT_ALLOWED');
      }
    }
  });

  test('refuses media types that it cannot produce, except for a JSON document', async () => {
    for (const { method, path, route } of served()) {
      const answer = await server.request(method, path, { headers: { accept: 'video/mp4' } });
      const isRefused = !mediaTypesOf(route).includes('application/json');
      assert.equal(answer.status === 406, isRefused, `${method} ${path} ${answer.text}`);
      assert.ok(answer.headers['x-request-id']);
    }
  });

  test('refuses a body that is longer than it allows', async () => {
    const body = 'a'.repeat(300 * 1024);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const { method, path, route } of served()) {
      if (method === 'GET' || method === 'HEAD' || route.guard !== 'anonymous') continue;
      const answer = await server.request(method, path, { headers, body });
      assert.equal(answer.status, 413, `${method} ${path} ${answer.text}`);
    }
  });
});
