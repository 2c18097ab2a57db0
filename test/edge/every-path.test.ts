// What holds for every path of the client API alike, one table over all of them. What is special to one stands in its
// own test.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { csrPem, ecKeys } from '../support/csr.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { assertRefused, loggedIn, password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock, signing: true });
await server.createUser({ name: 'alice', password });
const alice = await loggedIn(server, 'alice');

interface Path {
  /** Below `/edge/client/v1/`, unless it begins with a slash; `:id` stands for an id. */
  readonly path: string;
  readonly methods: readonly string[];
  /** Those that read a JSON body. */
  readonly reads: readonly string[];
}

const at = (path: string, methods: string, reads = ''): Path => ({
  path: path.startsWith('/') ? path : `/edge/client/v1/${path}`,
  methods: methods.split(' '),
  reads: reads.split(' ').filter((method) => method !== ''),
});

const paths: readonly Path[] = [
  at('version', 'GET HEAD'),
  ...['enumerated-capabilities', 'protocols', 'specs', 'specs/client', 'specs/client/spec'].map((path) =>
    at(path, 'GET HEAD'),
  ),
  at('openapi.json', 'GET HEAD'),
  at('docs', 'GET HEAD'),
  at('docs/:id', 'GET HEAD'),
  at('.well-known/est/cacerts', 'GET HEAD'),
  at('network-jwts', 'GET HEAD'),
  at('external-jwt-signers', 'GET HEAD'),
  at('controllers', 'GET HEAD'),
  at('authenticate', 'POST', 'POST'),
  at('authenticate/mfa', 'POST', 'POST'),
  at('enroll', 'POST', 'POST'),
  ...['ott', 'ottca', 'ca', 'updb', 'token'].map((method) => at(`enroll/${method}`, 'POST', 'POST')),
  at('current-api-session', 'GET HEAD DELETE'),
  at('current-api-session/certificates', 'GET HEAD POST', 'POST'),
  at('current-api-session/certificates/:id', 'GET HEAD DELETE'),
  at('current-api-session/service-updates', 'GET HEAD'),
  at('current-identity', 'GET HEAD'),
  at('current-identity/mfa', 'GET HEAD POST DELETE', 'DELETE'),
  at('current-identity/mfa/verify', 'POST', 'POST'),
  at('current-identity/mfa/qr-code', 'GET HEAD'),
  at('current-api-session/totp-token', 'POST', 'POST'),
  // Reading it uses a code up.
  at('current-identity/mfa/recovery-codes', 'GET POST', 'POST'),
  at('current-identity/passkeys', 'GET HEAD POST', 'POST'),
  at('current-identity/passkeys/options', 'POST', 'POST'),
  at('current-identity/passkeys/:id', 'PATCH DELETE', 'PATCH DELETE'),
  at('current-identity/authenticators', 'GET HEAD'),
  at('current-identity/applications', 'GET HEAD'),
  at('current-identity/authenticators/:id', 'GET HEAD PUT PATCH', 'PUT PATCH'),
  at('current-identity/authenticators/:id/extend', 'POST', 'POST'),
  at('current-identity/authenticators/:id/extend-verify', 'POST', 'POST'),
  at('current-identity/password-rules', 'GET HEAD'),
  at('current-identity/last-logins', 'GET HEAD'),
  at('current-identity/login-attempts', 'GET HEAD'),
  at('current-identity/api-sessions', 'GET HEAD DELETE'),
  at('current-identity/api-sessions/:id', 'DELETE'),
  at('current-identity/edge-routers', 'GET HEAD'),
  at('services', 'GET HEAD'),
  at('services/:id', 'GET HEAD'),
  at('services/:id/edge-routers', 'GET HEAD'),
  at('services/:id/terminators', 'GET HEAD'),
  at('sessions', 'GET HEAD POST', 'POST'),
  at('sessions/:id', 'GET HEAD DELETE'),
  at('edge-routers', 'GET HEAD'),
  // What they are sent is not read.
  at('posture-response', 'POST'),
  at('posture-response-bulk', 'POST'),
];

/** Not below the prefix, and with rules of its own: test/edge/verify.test.ts. */
const forProxies = '/auth/verify';

function send(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const authorization = `Bearer ${alice.accessToken}`;
  const init = { headers: { authorization, ...headers } };
  return server.request(method, path, body === undefined ? init : { ...init, body });
}

test('the table has every path of the client API', () => {
  const existing = server.controller.services.routes
    .filter(({ api, aliasOf, path }) => api === 'edge-client' && aliasOf === undefined && path !== forProxies)
    .flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
  const listed = paths.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
  assert.deepEqual(listed.sort(), existing.sort(), 'write each path into the table of this file');
});

test('every path but the API description is also there without the prefix, with the same rules', async () => {
  const routes = server.controller.services.routes.filter(({ api }) => api === 'edge-client');
  const described = routes.filter(
    ({ aliasOf, path }) => aliasOf === undefined && !/openapi|docs|\/spec$/.test(path) && path !== forProxies,
  );
  for (const { path, methods, guard } of described) {
    const bare = routes.filter(({ aliasOf }) => aliasOf === path);
    const expected = [{ path: path.replace('/edge/client/v1', ''), methods, guard }];
    // The root of the API has the version document too.
    const same = bare.filter(
      (one) => methods.join() === one.methods.join() && !/^\/edge\/client\/v1\/?$/.test(one.path),
    );
    assert.deepEqual(
      same.map(({ path, methods, guard }) => ({ path, methods, guard })),
      expected,
    );
  }
});

test('a client that stored the bare address logs in, calls and logs out', async () => {
  const body = JSON.stringify({ username: 'alice', password });
  const opened = await server.post('/authenticate?method=password', {
    headers: { 'content-type': 'application/json' },
    body,
  });
  assert.equal(opened.status, 200, opened.text);
  const headers = { 'zt-session': String(opened.json.data.token) };
  assert.equal((await server.get('/current-identity', { headers })).json.data.name, 'alice');
  assert.equal((await server.request('DELETE', '/current-api-session', { headers })).status, 200);
  assertRefused(await server.get('/current-identity', { headers }), 401, 'UNAUTHORIZED');
});

for (const { path: template, methods, reads } of paths) {
  const path = template.replace(':id', 'no-such-id');
  describe(template, () => {
    test('has nothing below it but what the table lists', async () => {
      const isId = template.endsWith('/:id');
      const hasId = paths.some((other) => other.path === `${template}/:id`);
      // What stands beside an id may be one.
      const isBesideIds = paths.some((other) => other.path === template.replace(/[^/]+$/, ':id'));
      const besides = [
        ...(isId || isBesideIds ? [] : [';a=b', 'x']),
        ...(hasId ? [] : ['/', '/x', '/%2e%2e']),
      ];
      for (const below of ['/no/such/path', '//x', '/x/', ...besides]) {
        for (const method of ['GET', 'POST']) {
          assertRefused(await send(method, `${path}${below}`), 404, 'NOT_FOUND');
        }
      }
    });

    test('gives its JSON document, and no page, to clients that accept something else', async () => {
      for (const method of methods.filter((name) => name === 'GET' || name === 'HEAD')) {
        const expected = /\/docs(?:\/:id)?$/.test(template) ? 406 : (await send(method, path)).status;
        const answer = await send(method, path, { accept: 'image/bmp' });
        assert.equal(answer.status, expected, answer.text);
        if (method !== 'HEAD' && expected === 406) assertRefused(answer, 406, 'NOT_ACCEPTABLE');
      }
    });

    if (template.includes(':id')) {
      test('does not find an entity that does not exist, for any form of its id', async () => {
        const bodies = { csr: csrPem(ecKeys()), clientCertCsr: csrPem(ecKeys()), clientCert: 'x', password };
        const body = JSON.stringify({ ...bodies, currentPassword: password, username: 'x', name: 'x' });
        // Lists of what belongs to something that is not there are as empty as all others.
        const isList = /services\/:id\/./.test(template);
        for (const id of ['nobody', 'a'.repeat(65), '..%2Fversion', '%00', '%27', '%7B%7D', ';a=b']) {
          for (const method of methods) {
            const answer = reads.includes(method)
              ? await send(method, template.replace(':id', id), { 'content-type': 'application/json' }, body)
              : await send(method, template.replace(':id', id));
            if (isList) assert.equal(answer.status, 200, answer.text);
            else if (method === 'HEAD') assert.equal(answer.status, 404);
            else assertRefused(answer, 404, 'NOT_FOUND');
          }
        }
      });
    }

    if (methods.includes('HEAD')) {
      test('answers HEAD like GET, without the body', async () => {
        const [get, head] = [await send('GET', path), await send('HEAD', path)];
        assert.deepEqual([head.status, head.text], [get.status, '']);
        for (const name of ['content-type', 'content-length', 'cache-control', 'expires-at']) {
          assert.equal(head.headers[name], get.headers[name], name);
        }
        assert.ok(Number(head.headers['content-length']) > 0);
      });
    }

    for (const method of methods.filter((one) => one !== 'GET' && one !== 'HEAD')) {
      test(`refuses a body of ${method} that is too long`, async () => {
        const long = JSON.stringify({ code: 'x'.repeat(65 * 1024) });
        const answer = await send(method, path, { 'content-type': 'application/json' }, long);
        assertRefused(answer, 413, 'REQUEST_ENTITY_TOO_LARGE');
      });
    }

    for (const method of reads) {
      test(`refuses a body of ${method} that is no JSON object`, async () => {
        for (const body of ['{', '[]', '"x"', 'null', '7', '{"code":"1","code":"2"}', '\ufeff{}']) {
          const answer = await send(method, path, { 'content-type': 'application/json' }, body);
          assertRefused(answer, 400, 'COULD_NOT_PARSE_BODY', 'body');
        }
      });

      test(`refuses a body of ${method} of another media type`, async () => {
        for (const type of [
          'application/x-www-form-urlencoded',
          'application/xml',
          'application/json; charset=utf-16',
        ]) {
          const answer = await send(method, path, { 'content-type': type }, '{"code":"1"}');
          assertRefused(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
        }
      });
    }
  });
}
