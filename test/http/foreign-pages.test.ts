// Who may send a request that could change something: programs, our own pages and those of allowed origins.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyParameters } from '../../src/http/request/fields.ts';
import { route } from '../../src/http/request/route.ts';
import { echoRoutes, send, sendRaw, startTestListener } from './support.ts';

type Headers = Readonly<Record<string, string>>;

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const login = { method: 'POST', body: 'username=a&password=b', path: '/oidc/login/username', headers: form };
const changing = [
  login,
  { ...login, path: '/oidc/token', body: 'grant_type=a' },
  { ...login, path: '/edge/client/v1/things', body: '{}', headers: { 'content-type': 'application/json' } },
  {
    ...login,
    path: '/oidc/login/totp/enroll',
    method: 'DELETE',
    body: 'a=b',
    headers: { ...form, 'content-length': '3' },
  },
  { method: 'DELETE', path: '/edge/client/v1/things/1', headers: { authorization: 'Bearer full' } },
] as const;

const sites = ['cross-site', 'same-site', 'Same-Origin', 'same-origin, same-origin', 'elsewhere', ''];
const origins = [
  'https://evil.example',
  'https://evil.app.example',
  'https://app.example.evil',
  'https://app.example, https://evil.example',
  'http://app.example',
  'NULL',
  'file://',
  'chrome-extension://aaaa',
  '',
];

/** Their scripts may read the refusal. */
const allowed = new Set(['https://app.example', 'http://localhost:3000']);

function foreign(port: number): readonly Headers[] {
  return [
    ...origins.map((origin) => ({ origin })),
    ...origins.map((origin) => ({ origin, 'sec-fetch-site': 'same-origin' })),
    ...origins.map((origin) => ({ origin, 'sec-fetch-site': 'none' })),
    { origin: 'null' },
    { origin: 'null', 'sec-fetch-site': 'none' },
    ...sites.map((site) => ({ origin: 'null', 'sec-fetch-site': site })),
    ...sites.map((site) => ({ 'sec-fetch-site': site })),
    { origin: `https://localhost:${port + 1}`, 'sec-fetch-site': 'same-site' },
    { origin: `http://LOCALHOST:${port}`, 'sec-fetch-site': 'same-site' },
    { origin: `https://127.0.0.1:${port}`, 'sec-fetch-site': 'cross-site' },
    // A form of an allowed origin: the person would see the answer.
    { origin: 'https://app.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    { origin: 'http://localhost:3000', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
    { 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-user': '?1' },
  ];
}

function own(port: number): readonly Headers[] {
  return [
    {},
    { 'sec-fetch-mode': 'cors' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'null', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' },
    { origin: `https://localhost:${port}`, 'sec-fetch-site': 'same-origin' },
    { origin: `https://localhost:${port}` },
    { origin: 'https://app.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
    { origin: 'https://app.example', accept: '*/*' },
  ];
}

describe('an endpoint that could change something', () => {
  test('is refused when a page of another site sends it, with any body and headers', async (t) => {
    const { port } = await startTestListener(t);
    for (const { path, ...request } of changing) {
      for (const headers of foreign(port)) {
        const what = `${request.method} ${path} ${JSON.stringify(headers)}`;
        const answer = await send(port, path, { ...request, headers: { ...request.headers, ...headers } });
        assert.equal(answer.status, 403, what);
        // People get a page.
        const error = answer.json?.error ?? 'FORBIDDEN';
        assert.equal(
          typeof error === 'string' ? error : error.code,
          path === '/oidc/token' ? 'access_denied' : 'FORBIDDEN',
        );
        const isAllowed = allowed.has(String((headers as Headers).origin));
        assert.equal(answer.headers['access-control-allow-origin'] !== undefined, isAllowed, what);
        assert.equal(answer.headers['set-cookie'], undefined, what);
        assert.equal(answer.headers.location, undefined, what);
      }
    }
  });

  test('is accepted from programs, from our own pages and from those of allowed origins', async (t) => {
    const { port } = await startTestListener(t);
    for (const { path, ...request } of changing) {
      for (const headers of own(port)) {
        const answer = await send(port, path, { ...request, headers: { ...request.headers, ...headers } });
        assert.ok(answer.status < 300, `${path} ${JSON.stringify(headers)}: ${answer.text}`);
      }
    }
  });

  test('is refused before anybody waits for the body, asks who calls, or looks at the media type', async (t) => {
    const { port } = await startTestListener(t);
    const lines = (line: string, ...more: string[]) =>
      [
        line,
        `Host: localhost:${port}`,
        'Origin: https://evil.example',
        'Connection: close',
        ...more,
        '',
        '',
      ].join('\r\n');
    const requests = [
      lines('POST /oidc/login/username HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 500'),
      lines('POST /oidc/login/username HTTP/1.1', 'Content-Type: a/b', 'Content-Length: 9999999'),
      lines('POST /oidc/login/username HTTP/1.1', 'Accept: image/png', 'Content-Length: 500'),
      lines('DELETE /edge/client/v1/things/1 HTTP/1.1', 'Authorization: Bearer worthless'),
      lines('DELETE /edge/client/v1/things/1 HTTP/1.1'),
    ];
    for (const request of requests) {
      const answer = await sendRaw(port, request);
      assert.equal(answer.status, 403, `${request}\n${answer.text}`);
    }
  });

  test('is refused alike for unknown methods and paths, but not for another host', async (t) => {
    const { port } = await startTestListener(t);
    const origin = 'https://evil.example';
    for (const [method, path] of [
      ['PUT', '/oidc/token'],
      ['PATCH', '/edge/client/v1/version'],
      ['POST', '/unknown'],
      ['POST', '/health-checks'],
      ['PURGE', '/oidc/token'],
    ] as const) {
      assert.equal(
        (await send(port, path, { method, headers: { origin } })).status,
        403,
        `${method} ${path}`,
      );
    }
    const headers = { origin, host: 'evil.example' };
    assert.equal((await send(port, '/oidc/token', { method: 'POST', headers })).status, 421);
  });

  test('becomes a link where an endpoint says why the forms of other sites lead there', async (t) => {
    const open = route(['GET', 'POST'], '/edge/client/v1/open', {
      api: 'edge-client',
      guard: 'anonymous',
      load: 'light',
      errors: 'edge',
      summary: 'For a test',
      answers: {},
      acceptsForeignPages: 'for a test',
      query: anyParameters,
      body: { json: false, form: true, schema: anyParameters },
      handler: () => ({ status: 204, headers: {}, body: null }),
    });
    const { port } = await startTestListener(t, { routes: [...echoRoutes, open] });
    for (const headers of foreign(port)) {
      const answer = await send(port, `${open.path}?a=1&b=2`, {
        method: 'POST',
        headers: { ...form, ...headers },
        body: 'b=%26&c=%C3%A4',
      });
      assert.equal(answer.status, 303, JSON.stringify(headers));
      assert.equal(answer.headers.location, `${open.path}?a=1&b=2&b=%26&c=%C3%A4`);
      assert.equal(answer.headers['set-cookie'], undefined);
      assert.equal((await send(port, open.path, { method: 'DELETE', headers })).status, 403);
    }
  });
});

describe('an endpoint that changes nothing', () => {
  test('is answered whichever page sends it', async (t) => {
    const { port } = await startTestListener(t);
    for (const headers of [...foreign(port), ...own(port)]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const answer = await send(port, '/edge/client/v1/version', { method, headers });
        assert.ok(answer.status < 300, `${method} ${JSON.stringify(headers)}`);
      }
    }
  });
});
