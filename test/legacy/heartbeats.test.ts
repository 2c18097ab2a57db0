import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { certificateLogin, enrolled, withCertificate } from '../support/certificates.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { assertRefused, loggedIn } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { assertNoSession, managementRoot, openSession } from './support.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await startTestServer({ clock });
await server.createUser({ name: 'alice', password });
const id = await createIdentity(server, 'router');
await server.store.identities.update(id, { type: 'Router' }, clock.now());
const router = withCertificate(server, await enrolled(server, id));
after(async () => {
  router?.closeConnections();
  await server.close();
});

const path = `${managementRoot}/api-sessions/heartbeats`;
async function beat(ids: readonly string[]) {
  const { access_token } = await certificateLogin(router);
  return router.post(path, { json: { ids }, headers: { authorization: `Bearer ${access_token}` } });
}

describe('a connection that a router reports', () => {
  test('keeps its session alive, and no other', async () => {
    const [kept, idle] = [await openSession(server, 'alice'), await openSession(server, 'alice')];
    for (let beats = 0; beats < 3; beats += 1) {
      clock.advance(20 * MINUTE);
      const answer = await beat([kept.id, kept.id]);
      assert.deepEqual([answer.status, answer.json.data], [200, { alive: 1 }], answer.text);
    }
    assertNoSession(await idle.get('current-identity'));
    assert.equal((await kept.get('current-identity')).status, 200);
  });

  test('revives no ended session, and reveals nothing about unknown ids', async () => {
    const session = await openSession(server, 'alice');
    await session.call('DELETE', 'current-api-session');
    const late = await openSession(server, 'alice');
    clock.advance(30 * MINUTE);
    assert.deepEqual((await beat([session.id, late.id, 'unknown'])).json.data, { alive: 0 });
    assertNoSession(await session.get('current-identity'));
    assertNoSession(await late.get('current-identity'));
  });

  test('costs one read and one write, however many sessions the node does not have in memory', async (t) => {
    const opened = await Promise.all(Array.from({ length: 20 }, () => openSession(server, 'alice')));
    const reads = t.mock.method(server.store.apiSessions, 'listByIds');
    const single = t.mock.method(server.store.apiSessions, 'find');
    const writes = t.mock.method(server.store.apiSessions, 'recordActivity');
    assert.deepEqual((await beat(opened.map(({ id }) => id))).json.data, { alive: 20 });
    const calls = [reads, single, writes].map(({ mock }) => mock.callCount());
    assert.deepEqual(calls, [1, 0, 1]);
  });

  test('is accepted from routers only', async () => {
    const session = await openSession(server, 'alice');
    const alice = await loggedIn(server, 'alice');
    assertRefused(await alice.call('POST', path, { ids: [session.id] }), 403, 'FORBIDDEN');
    assert.equal((await server.post(path, { json: { ids: [] } })).status, 401);
  });
});
