import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { send, startTestListener } from './support.ts';

const full = '/edge/client/v1/things/1';
const half = '/edge/client/v1/half';
const admin = '/edge/management/v1/things';

describe('guards', () => {
  test('each endpoint lets in those it is for', async (t) => {
    const { port } = await startTestListener(t);
    const table: readonly [string, string, number][] = [
      [full, 'full', 200],
      [full, 'later', 200],
      [full, 'admin', 200],
      [full, 'partial', 401],
      [half, 'full', 200],
      [half, 'partial', 200],
      [admin, 'admin', 200],
      [admin, 'full', 403],
      [admin, 'partial', 401],
    ];
    for (const [path, token, status] of table) {
      const answer = await send(port, path, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(answer.status, status, `${token} ${path}`);
      if (status === 403) assert.equal(answer.json.error.code, 'FORBIDDEN');
      if (status === 401) assert.equal(answer.json.error.code, 'UNAUTHORIZED');
    }
  });

  test('without a token there are two challenges, each on its own line', async (t) => {
    const { port } = await startTestListener(t);
    for (const path of [full, half, admin]) {
      const answer = await send(port, path);
      assert.equal(answer.status, 401);
      assert.equal(
        answer.headers['www-authenticate'],
        'zt-session realm="zt-session", error="missing", error_description="no matching token was provided", ' +
          'Bearer realm="overlay-oidc", error="missing", error_description="no matching token was provided"',
      );
    }
  });

  test('an authenticated answer says when the session ends', async (t) => {
    const { port } = await startTestListener(t);
    const answer = await send(port, half, { headers: { authorization: 'Bearer full' } });
    assert.match(String(answer.headers['expires-at']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const seconds = Number(answer.headers['expiration-seconds']);
    assert.ok(seconds > 1790 && seconds <= 1800, String(seconds));
    const forbidden = await send(port, admin, { headers: { authorization: 'Bearer full' } });
    assert.deepEqual([forbidden.status, forbidden.headers['expires-at'] === undefined], [403, false]);
    const partial = await send(port, full, { headers: { authorization: 'Bearer partial' } });
    assert.deepEqual([partial.status, partial.headers['expires-at']], [401, undefined]);
    const anonymous = await send(port, '/edge/client/v1/version', {
      headers: { authorization: 'Bearer full' },
    });
    assert.equal(anonymous.headers['expires-at'], undefined);
  });

  test('a client that accepts none of the media types gets the JSON document', async (t) => {
    const { port } = await startTestListener(t);
    const table: readonly [string, string, number][] = [
      ['/edge/client/v1/version', 'text/html', 200],
      ['/edge/client/v1/version', 'application/json;q=1', 200],
      ['/edge/client/v1/version', '*/*', 200],
      ['/oidc/token', 'image/png', 400],
      ['/oidc/authorization?client_id=x', 'image/png', 200],
      ['/oidc/authorization?client_id=x', 'text/html', 200],
    ];
    for (const [path, accept, status] of table) {
      const method = path === '/oidc/token' ? 'POST' : 'GET';
      const answer = await send(port, path, { method, headers: { accept } });
      assert.equal(answer.status, status, `${path} ${accept}`);
      const { 'content-type': type } = answer.headers;
      assert.match(String(type), /^application\/json/, `${path} ${accept}`);
    }
  });
});
