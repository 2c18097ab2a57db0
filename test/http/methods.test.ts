import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { send, sendRaw, startTestListener } from './support.ts';

describe('methods', () => {
  test('a known path refuses every other method and names its own', async (t) => {
    const { port } = await startTestListener(t);
    const table: readonly [string, string][] = [
      ['/edge/client/v1/version', 'GET, HEAD, OPTIONS'],
      ['/edge/client/v1/things', 'POST, OPTIONS'],
      ['/edge/client/v1/things/1', 'GET, DELETE, OPTIONS'],
      ['/oidc/token', 'POST, OPTIONS'],
      ['/oidc/login/username', 'POST, OPTIONS'],
    ];
    for (const [path, allow] of table) {
      for (const method of [
        'GET',
        'HEAD',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'TRACE',
        'PROPFIND',
        'QUERY',
        'PURGE',
      ]) {
        if (allow.split(', ').includes(method)) continue;
        const answer = await send(port, path, { method });
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.equal(answer.headers.allow, allow, `${method} ${path}`);
        assert.equal(answer.headers['cache-control'], 'no-store');
      }
    }
  });

  test('HEAD is answered without a body where it is offered', async (t) => {
    const { port } = await startTestListener(t);
    const answer = await send(port, '/edge/client/v1/version', { method: 'HEAD' });
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.ok(Number(answer.headers['content-length']) > 0);
  });

  test('methods that this server does not support are refused', async (t) => {
    const { port } = await startTestListener(t);
    const path = '/edge/client/v1/version';
    const table: readonly [string, readonly number[]][] = [
      [`get ${path}`, [400]],
      [`BREW ${path}`, [400]],
      [`CONNECT localhost:${port}`, [405]],
      ['OPTIONS *', [404, 405]],
      [`TRACE ${path}`, [405]],
      [`Get ${path}`, [400]],
    ];
    for (const [line, statuses] of table) {
      const answer = await sendRaw(
        port,
        `${line} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
      );
      assert.ok(statuses.includes(answer.status), `${line}: ${answer.text}`);
      assert.ok(answer.closed, line);
    }
  });

  test('an unknown path is not found, in a page for people', async (t) => {
    const { port } = await startTestListener(t);
    const paths = [
      '/',
      '/oidc',
      '/oidc/token/',
      '/oidc/token/x.css',
      '/oidc//token',
      '/OIDC/token',
      '/edge/client/v1/version/',
      '/edge/client/v1/version;a',
      '/edge/client/v1/%76ersion2',
      '/edge/client/v1/../v1/version',
      '/edge/client/v1/things/a/b',
      `/edge/client/v1/things/${'a'.repeat(500)}`,
      '/fabric/v1/cluster',
      '/__proto__',
    ];
    for (const path of paths) {
      const answer = await send(port, path, { headers: { accept: 'application/json' } });
      assert.equal(answer.status, 404, path);
      assert.equal(answer.json.error.code, 'NOT_FOUND');
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal((await send(port, path, { method: 'POST', body: 'x' })).status, 404, path);
    }
    const page = await send(port, '/nowhere', { headers: { accept: 'text/html' } });
    assert.equal(page.status, 404);
    assert.match(page.text, /<h1>Not found<\/h1>/);
  });

  test('an address that cannot be decoded is refused', async (t) => {
    const { port } = await startTestListener(t);
    for (const path of ['/%', '/%zz', '/oidc/%ff', '/edge/client/v1/things/%E0%A4%A']) {
      const answer = await send(port, path);
      assert.ok([400, 404].includes(answer.status), `${path} ${answer.status}`);
      assert.equal(answer.headers['x-request-id'], answer.json.error.requestId);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    }
  });
});
