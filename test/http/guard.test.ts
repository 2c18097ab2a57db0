import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { send, startTestListener } from './support.ts';

const full = '/edge/client/v1/things/1';
const half = '/edge/client/v1/half';
const admin = '/edge/management/v1/things';

describe('guards', () => {
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
