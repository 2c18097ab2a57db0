import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { send, startTestListener } from './support.ts';

const paths = [
  ['GET', '/edge/client/v1/version'],
  ['GET', '/edge/client/v1/things/1'],
  ['POST', '/oidc/token'],
  ['POST', '/oidc/login/username'],
  ['GET', '/oidc/authorization'],
  ['GET', '/unknown'],
  ['PUT', '/oidc/token'],
] as const;

const allowed = (port: number) => [
  `https://localhost:${port}`,
  'https://app.example',
  'http://localhost:3000',
  'http://localhost',
  'http://127.0.0.1:8400',
  'https://wild.example',
  'https://wild.example:8443',
];

const foreign = (port: number) => [
  'null',
  'https://evil.example',
  'https://app.example.evil',
  'https://evil.app.example',
  'http://app.example',
  'https://app.example:444',
  'https://APP.example',
  'https://app.example/',
  'https://app.example.',
  'http://localhost.evil.example',
  'https://wild.example.evil.example:8443',
  'https://evil.wild.example:8443',
  'http://wild.example:8443',
  'http://localhost:0',
  'http://localhost:070',
  'http://localhost:99999',
  'http://localhost:80@evil.example',
  'http://localhost:',
  'https://localhost:3000',
  'http://127.0.0.1:8401',
  'http://127.0.0.1',
  'http://[::1]:8400',
  'com.example.app://x',
  `http://localhost:${port}x`,
  '*',
  '',
];

describe('requests of web pages', () => {
  test('origins that receive codes may read every answer, errors included', async (t) => {
    const { port } = await startTestListener(t);
    for (const origin of allowed(port)) {
      for (const [method, path] of paths) {
        const answer = await send(port, path, { method, headers: { origin } });
        assert.equal(answer.headers['access-control-allow-origin'], origin, `${origin} ${method} ${path}`);
        assert.equal(answer.headers['access-control-allow-credentials'], undefined);
        assert.equal(answer.headers.vary, 'origin');
        const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
        for (const name of [
          'date',
          'location',
          'www-authenticate',
          'auth-request-id',
          'totp-required',
          'expires-at',
          'expiration-seconds',
          'x-request-id',
        ]) {
          assert.ok(exposed.includes(name), name);
        }
      }
    }
  });

  test('other origins get no CORS header at all', async (t) => {
    const { port } = await startTestListener(t);
    for (const origin of foreign(port)) {
      for (const [method, path] of paths) {
        const answer = await send(port, path, { method, headers: { origin } });
        const names = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
        assert.deepEqual(names, [], `${origin} ${method} ${path}`);
        assert.equal(answer.headers.vary, 'origin');
      }
    }
  });

  test('preflights are answered for allowed origins and say nothing to others', async (t) => {
    const { port } = await startTestListener(t);
    const preflight = (origin: string, path: string) =>
      send(port, path, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,zt-session',
        },
      });
    for (const origin of allowed(port)) {
      for (const path of ['/oidc/token', '/edge/client/v1/things/1', '/oidc/login/username']) {
        const answer = await preflight(origin, path);
        assert.equal(answer.status, 204);
        assert.equal(answer.headers['access-control-allow-origin'], origin);
        assert.equal(answer.headers['access-control-allow-methods'], 'GET, POST, PUT, PATCH, DELETE');
        assert.equal(
          answer.headers['access-control-allow-headers'],
          'authorization, dpop, content-type, accept, if-match, zt-session, mfa-validation-code, traceparent, tracestate, baggage',
        );
        assert.equal(answer.headers['access-control-max-age'], '600');
      }
    }
    for (const origin of foreign(port)) {
      const answer = await preflight(origin, '/oidc/token');
      assert.ok(!Object.keys(answer.headers).some((name) => name.startsWith('access-control-')), origin);
    }
  });
});
