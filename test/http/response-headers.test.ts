import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Listener } from '../../src/config/config.ts';
import { assetRoutes } from '../../src/http/pages/assets.ts';
import { page, redirect } from '../../src/http/request/answer.ts';
import { route } from '../../src/http/request/route.ts';
import { contentSecurityPolicy } from '../../src/http/request/security-headers.ts';
import { html } from '../../src/pages/html.ts';
import { bindPoint, branded, echoRoutes, send, startTestListener } from './support.ts';

const stylesheet = { path: branded.look.stylesheetPath };

const pages = route(['GET', 'POST'], '/page', {
  api: 'pages',
  guard: 'anonymous',
  load: 'light',
  errors: 'html-or-edge',
  summary: 'For a test',
  answers: {},
  handler: (context) =>
    context.method === 'POST'
      ? redirect('http://localhost:8400/auth/callback?code=x')
      : page(html`<p>${'<script>'}</p>`, { formTargets: ['http://localhost:8400'] }),
});

describe('headers of answers', () => {
  test('every answer has the security headers, for every kind of answer', async (t) => {
    const { port } = await startTestListener(t, {
      routes: [...echoRoutes, ...assetRoutes(branded.assets), pages],
    });
    const requests = [
      ['GET', '/edge/client/v1/version'],
      ['GET', '/edge/client/v1/things/1'],
      ['POST', '/oidc/token'],
      ['GET', '/unknown'],
      ['GET', '/%'],
      ['PUT', '/page'],
      ['POST', '/page'],
      ['GET', '/page'],
      ['OPTIONS', '/page'],
      ['GET', stylesheet.path],
    ] as const;
    for (const [method, path] of requests) {
      const { headers } = await send(port, path, { method });
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.equal(headers['referrer-policy'], 'no-referrer', path);
      assert.match(String(headers['x-request-id']), /^[0-9A-Z]{10}$/, path);
      const cached = path === stylesheet.path ? 'public, max-age=31536000, immutable' : 'no-store';
      assert.equal(headers['cache-control'], cached, path);
      for (const name of ['server', 'x-powered-by', 'via', 'set-cookie'])
        assert.equal(headers[name], undefined);
    }
  });

  test('browsers are told to use https only if a public authority or the configuration vouches for it', async (t) => {
    const host = 'b2.test';
    const told = async (strictTransportSecurity: Listener['strictTransportSecurity'], address: string) => {
      const listener = { bindPoints: [bindPoint(`${address}:0`)], strictTransportSecurity };
      const { port } = await startTestListener(t, { listener });
      const { status, headers } = await send(port, '/edge/client/v1/version', {
        headers: { host: `${address}:${port}` },
      });
      assert.equal(status, 200);
      return headers['strict-transport-security'];
    };
    assert.equal(await told('auto', host), undefined);
    assert.equal(await told('off', host), undefined);
    assert.equal(await told('on', host), 'max-age=31536000');
    for (const loopback of ['localhost', 'app.localhost', '127.0.0.1'])
      assert.equal(await told('on', loopback), undefined, loopback);
  });

  test('a host that is not ours gets no promise about it', async (t) => {
    const listener = { bindPoints: [bindPoint('b2.test:0')], strictTransportSecurity: 'on' as const };
    const { port } = await startTestListener(t, { listener });
    const { status, headers } = await send(port, '/edge/client/v1/version', {
      headers: { host: 'evil.example' },
    });
    assert.equal(status, 421);
    assert.equal(headers['strict-transport-security'], undefined);
  });

  test('a page allows nothing that it does not use', async (t) => {
    const { port } = await startTestListener(t, { routes: [pages] });
    const { headers, text } = await send(port, '/page', { headers: { accept: 'text/html' } });
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self' http://localhost:8400; base-uri 'none'; frame-ancestors 'none'; script-src 'self'; connect-src 'self'",
    );
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(text, '<p>&lt;script&gt;</p>');
    const failed = await send(port, '/nowhere', { headers: { accept: 'text/html' } });
    assert.match(
      String(failed.headers['content-security-policy']),
      /^default-src 'none'; .*frame-ancestors 'none'; script-src 'self'; connect-src 'self'$/,
    );
    assert.ok(failed.text.includes(`href="${stylesheet.path}"`));
  });

  test('a form target cannot smuggle in a directive', () => {
    for (const target of [
      "'unsafe-inline'",
      'http://a b',
      'http://a;script-src *',
      'http://a,b',
      '*',
      'https://*',
      '',
      'http://a\r\nx',
    ]) {
      assert.throws(() => contentSecurityPolicy({ formTargets: [target] }), RangeError, target);
    }
    const good = ['http://localhost:8400', 'https://app.example', 'com.example.app:', 'http://[::1]:80'];
    assert.ok(contentSecurityPolicy({ formTargets: good }).includes(`'self' ${good.join(' ')};`));
  });
});
