// What a node holds in memory is true, or the node does not use it: a change that it could not read is read before
// the next caller is let in.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { fixedClock } from '../../src/platform/clock.ts';
import { callWith, login } from '../support/flow.ts';
import { password } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let server: TestServer;
let original: TestServer['store']['changes']['readAfter'];
before(async () => {
  // Breaks the store, or the feed, of the only thread that the test can reach.
  server = await startTestServer({ clock, threads: 1 });
  await server.createUser({ name: 'alice', password });
  original = server.store.changes.readAfter;
});
afterEach(() => void Object.assign(server.store.changes, { readAfter: original }));
after(() => server.close());

/** The next reads of the change feed fail. */
function failReads(count: number): void {
  let left = count;
  const readAfter: typeof original = (seq) => {
    left -= 1;
    return left >= 0 ? Promise.reject(new Error('disk I/O error')) : original(seq);
  };
  Object.assign(server.store.changes, { readAfter });
}

test('a session that ended while the feed could not be read is still refused', async () => {
  const { access_token, id_token } = await login(server, 'alice', password);
  assert.equal((await callWith(server, access_token)).status, 200);
  failReads(1);
  assert.equal((await server.get(`/oidc/end_session?id_token_hint=${id_token}`)).status, 200);
  assert.equal((await callWith(server, access_token)).status, 401);
});

test('as long as it cannot be read nobody is let in, and afterwards everybody is again', async () => {
  const gone = await login(server, 'alice', password);
  const stays = await login(server, 'alice', password);
  failReads(1000);
  await server.get(`/oidc/end_session?id_token_hint=${gone.id_token}`);
  for (const { access_token } of [gone, stays]) {
    const answer = await callWith(server, access_token);
    assert.equal(answer.status, 503);
    assert.ok(answer.headers['retry-after']);
    assert.ok(!answer.text.includes('I/O'));
  }
  Object.assign(server.store.changes, { readAfter: original });
  assert.equal((await callWith(server, stays.access_token)).status, 200);
  assert.equal((await callWith(server, gone.access_token)).status, 401);
});
