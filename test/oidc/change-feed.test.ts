// What a node holds in memory is true, or the node does not use it: a change that it could not read is read before
// the next caller is let in.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { asId, type RevocationId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import { HOUR, SECOND } from '../../src/platform/clock.ts';
import { assertNoSession, openSession } from '../legacy/support.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { authorize, beginLogin, callWith, claimsOf, login } from '../support/flow.ts';
import { createdId, password, rootOf } from '../support/management.ts';
import { serverOfFile, type TestServer } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let original: TestServer['store']['changes']['readAfter'];
// Breaks the store, or the feed, of the only thread that the test can reach.
const server = await serverOfFile({ clock, threads: 1 });
await server.createUser({ name: 'alice', password });
original = server.store.changes.readAfter;
afterEach(() => void Object.assign(server.store.changes, { readAfter: original }));

/** The next reads of the change feed fail. */
function failReads(count: number): void {
  let left = count;
  const readAfter: typeof original = (from) => {
    left -= 1;
    return left >= 0 ? Promise.reject(new Error('disk I/O error')) : original(from);
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

test('as long as it cannot be read every call is refused, and afterwards calls work again', async () => {
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

/** A clock that is set back: earlier reads are not trusted, so everything is read again, and no single change. */
async function whileEverythingIsReadAgain(change: () => Promise<unknown>): Promise<void> {
  clock.set(clock.now() - 3 * SECOND);
  await change();
}

test('a change while everything is read again counts at once, for each kind', async () => {
  const { store } = server;
  const id = await server.createUser({ name: 'bob', password });
  const { access_token } = await login(server, 'bob', password);
  assert.equal((await callWith(server, access_token)).status, 200);
  await whileEverythingIsReadAgain(() =>
    store.apiSessions.end(claimsOf(access_token).z_asid, 'administrator', clock.now()),
  );
  assert.equal((await callWith(server, access_token)).status, 401);

  const lifted = await login(server, 'bob', password);
  const jti = asId<RevocationId>(String(claimsOf(lifted.access_token).jti));
  const expiresAt = clock.now() + HOUR;
  const revocation = { id: jti, type: 'JTI', issuedBefore: null, expiresAt, tags: {} } as const;
  await whileEverythingIsReadAgain(() => store.revocations.revoke(revocation, clock.now()));
  assert.equal((await callWith(server, lifted.access_token)).status, 401);
  await whileEverythingIsReadAgain(() => store.revocations.delete(jti, clock.now()));
  assert.equal((await callWith(server, lifted.access_token)).status, 200);

  const session = await openSession(server, 'bob');
  assert.equal((await session.get('current-identity')).status, 200);
  await whileEverythingIsReadAgain(() =>
    store.apiSessions.end(asId(session.id), 'administrator', clock.now()),
  );
  assertNoSession(await session.get('current-identity'));

  const tokens = await login(server, 'bob', password);
  assert.equal((await callWith(server, tokens.access_token)).json.data.identity.name, 'bob');
  await whileEverythingIsReadAgain(() =>
    store.identities.update(id, { name: typedName('robert') }, clock.now()),
  );
  assert.equal((await callWith(server, tokens.access_token)).json.data.identity.name, 'robert');

  const root = await rootOf(server);
  const signer = { name: 'idp', issuer: 'https://idp.example', audience: 'overlay', certPem: server.caPem };
  await whileEverythingIsReadAgain(async () =>
    createdId(await root.call('POST', 'external-jwt-signers', signer)),
  );
  const { headers } = await server.post('/oidc/login/ext-jwt', {
    json: { authRequestId: await beginLogin(server) },
  });
  assert.match(String(headers['www-authenticate']), /https:\/\/idp\.example/);

  let client = '';
  await whileEverythingIsReadAgain(async () => {
    const fields = { name: 'app', type: 'public', redirectUris: ['https://app.example/cb'] };
    client = createdId(await root.call('POST', 'oidc-clients', fields));
  });
  const asked = { client_id: client, redirect_uri: 'https://app.example/cb' };
  assert.equal((await authorize(server, asked)).status, 302);
});
