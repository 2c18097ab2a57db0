import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Route } from '../../src/http/request/route.ts';
import { asId, type IdentityId } from '../../src/model/ids.ts';
import type { Permission } from '../../src/model/permission.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

// One thread: it reaches into the store of that.
const server = await serverOfFile({ signing: true, threads: 1 });
const admin = await rootOf(server);

async function somebodyWith(name: string, permissions: readonly Permission[]): Promise<[string, Caller]> {
  const id = await server.createUser({ name, password });
  const answer = await admin.call('PATCH', `identities/${id}`, { permissions });
  assert.equal(answer.status, 200, answer.text);
  return [id, await loggedIn(server, name)];
}

/** An answer to HEAD has no body. */
function assertForbidden(method: string, answer: Answer): void {
  if (method === 'HEAD') assert.equal(answer.status, 403);
  else assertRefused(answer, 403, 'FORBIDDEN');
}

/** Each operation that only administrators may use, on something that does not exist. */
function guardedOperations(): readonly {
  readonly method: string;
  readonly path: string;
  readonly route: Route;
}[] {
  return server.controller.services.routes
    .filter(({ guard }) => guard === 'admin')
    .flatMap((route) =>
      route.methods.map((method) => ({ method, path: route.path.replace(':id', 'no-such'), route })),
    );
}

/** Operations that change nothing but have a body, since a token may not be in a path and a policy cannot be. */
const askingByPost = [
  '/edge/management/v1/external-jwt-signers/:id/verify',
  '/edge/management/v1/external-jwt-signers/:id/test',
  '/edge/management/v1/external-jwt-signers/:id/test-result',
  '/edge/management/v1/auth-policies/preview',
  '/edge/management/v1/identities/:id/login-explanation',
];

test('an operation of administrators is refused without a right', async () => {
  const [, caller] = await somebodyWith('without', []);
  for (const { method, path } of guardedOperations()) {
    const body = method === 'GET' || method === 'HEAD' ? undefined : {};
    assertForbidden(method, await caller.call(method, path, body));
  }
});

describe('the permission to read', () => {
  test('allows every read, and no change', async () => {
    const [, reader] = await somebodyWith('reader', ['read']);
    for (const { method, path, route } of guardedOperations()) {
      const asks = method === 'POST' && askingByPost.includes(route.path);
      const reads = method === 'GET' || method === 'HEAD' || asks;
      const answer = await reader.call(method, path, method === 'GET' || method === 'HEAD' ? undefined : {});
      if (reads && route.permission === 'read') {
        const expected = asks ? [400, 404] : [200, 404];
        assert.ok(expected.includes(answer.status), `${method} ${path} ${answer.text}`);
      } else assertForbidden(method, answer);
    }
    assert.ok(guardedOperations().some(({ route }) => route.permission === 'read'));
    const { pagination } = (await reader.get('identities?limit=none')).json.meta;
    assert.equal(pagination.limit, 500, 'lists of any length are for administrators');
  });

  test('does not show secrets of enrollments', async () => {
    const [, reader] = await somebodyWith('curious', ['read', 'helpdesk']);
    const invited = createdId(
      await admin.call('POST', 'identities', { name: 'invited', type: 'User', enrollment: { ott: true } }),
    );
    const ottOf = async (caller: Caller) =>
      Object.keys((await caller.get(`identities/${invited}`)).json.data.enrollment.ott).sort();
    assert.deepEqual(await ottOf(admin), ['expiresAt', 'id', 'jwt', 'token']);
    assert.deepEqual(await ottOf(reader), ['expiresAt', 'id']);
    const shownToAdministrators = ['enrollments?limit=none', `identities/${invited}/enrollments`];
    for (const path of shownToAdministrators) assert.match((await admin.get(path)).text, /"token":"/, path);
    for (const path of ['identities?limit=none', ...shownToAdministrators]) {
      const answer = await reader.get(path);
      assert.equal(answer.status, 200);
      assert.doesNotMatch(answer.text, /"(?:token|jwt)"/, path);
    }
  });

  test('is shown with the identity, also to its owner', async () => {
    const [id, shown] = await somebodyWith('shown', ['read']);
    assert.deepEqual((await admin.get(`identities/${id}`)).json.data.permissions, ['read']);
    const { data } = (await shown.get('/edge/client/v1/current-identity')).json;
    assert.deepEqual([data.permissions, data.isAdmin], [['read'], false]);
  });

  test('ends with the next call after it is removed', async () => {
    const [id, former] = await somebodyWith('former', ['read']);
    assert.equal((await former.get('identities')).status, 200);
    await admin.call('PATCH', `identities/${id}`, { permissions: null });
    assertRefused(await former.get('identities'), 403, 'FORBIDDEN');
  });

  test('cannot be granted by a caller who only has a permission', async () => {
    const [id, greedy] = await somebodyWith('greedy', ['read', 'helpdesk']);
    for (const wanted of [{ permissions: ['helpdesk'] }, { isAdmin: true }]) {
      assertRefused(await greedy.call('PATCH', `identities/${id}`, wanted), 403, 'FORBIDDEN');
    }
    const fresh = { name: 'accomplice', type: 'User', permissions: ['read'] };
    assertRefused(await greedy.call('POST', 'identities', fresh), 403, 'FORBIDDEN');
  });

  test('does not make an identity count as the last administrator', async () => {
    await somebodyWith('witness', ['read', 'helpdesk']);
    const { id } = (await admin.get('current-identity')).json.data;
    assertRefused(await admin.call('PATCH', `identities/${id}`, { isAdmin: false }), 409, 'CONFLICT');
  });

  test('that does not exist is refused by name', async () => {
    const body = { name: 'odd', type: 'User', permissions: ['everything'] };
    assertRefused(await admin.call('POST', 'identities', body), 'permissions.0');
  });

  test('can be set on creation, and replacing an identity without it removes it', async () => {
    const id = createdId(
      await admin.call('POST', 'identities', { name: 'made', type: 'User', permissions: ['read', 'read'] }),
    );
    assert.deepEqual((await admin.get(`identities/${id}`)).json.data.permissions, ['read']);
    await admin.call('PUT', `identities/${id}`, { name: 'made', type: 'User', isAdmin: false });
    assert.deepEqual((await admin.get(`identities/${id}`)).json.data.permissions, []);
  });
});

describe('the permission of a help desk', () => {
  test('allows letting people in again, and no other change', async () => {
    const [, helper] = await somebodyWith('helper', ['helpdesk']);
    const id = await server.createUser({ name: 'locked-out', password });
    const caller = await loggedIn(server, 'locked-out');
    assert.equal((await helper.call('POST', `identities/${id}/unlock`, {})).status, 200);
    // There is nothing to remove, and nothing forbids it.
    assertRefused(await helper.call('DELETE', `identities/${id}/mfa`), 404, 'NOT_FOUND');
    assert.equal((await helper.call('DELETE', `identities/${id}/api-sessions`)).status, 200);
    assertRefused(await caller.get('/edge/client/v1/current-identity'), 401, 'UNAUTHORIZED');
    for (const { method, path, route } of guardedOperations()) {
      if (route.permission !== undefined) continue;
      assertForbidden(method, await helper.call(method, path, {}));
    }
  });

  test('does not apply to those with more rights', async () => {
    const [, helper] = await somebodyWith('second helper', ['helpdesk']);
    const [readerId, reader] = await somebodyWith('second reader', ['read']);
    const { id: adminId } = (await admin.get('current-identity')).json.data;
    for (const id of [readerId, adminId]) {
      assertRefused(await helper.call('POST', `identities/${id}/unlock`, {}), 403, 'FORBIDDEN');
      assertRefused(await helper.call('DELETE', `identities/${id}/mfa`), 403, 'FORBIDDEN');
      assertRefused(await helper.call('DELETE', `identities/${id}/api-sessions`), 403, 'FORBIDDEN');
    }
    const session = (await reader.get('/edge/client/v1/current-api-session')).json.data.id;
    assertRefused(await helper.call('DELETE', `api-sessions/${session}`), 403, 'FORBIDDEN');
    assert.equal((await server.store.apiSessions.find(asId(session)))?.endedAt, null);
  });

  test('does not apply to an identity that gets more rights while the call is under way', async (t) => {
    const [, helper] = await somebodyWith('third helper', ['helpdesk']);
    const changes: readonly ((id: string, session: string) => readonly [method: string, path: string])[] = [
      (id) => ['POST', `identities/${id}/unlock`],
      (id) => ['DELETE', `identities/${id}/mfa`],
      (id) => ['DELETE', `identities/${id}/api-sessions`],
      (id) => ['DELETE', `identities/${id}/invitation`],
      (_id, session) => ['DELETE', `api-sessions/${session}`],
    ];
    for (const [at, change] of changes.entries()) {
      const id = await server.createUser({ name: `promoted ${at}`, password });
      const caller = await loggedIn(server, `promoted ${at}`);
      const session = (await caller.get('/edge/client/v1/current-api-session')).json.data.id;
      const [method, path] = change(id, session);
      promotedOnceFound(t, id);
      const answer = await helper.call(method, path, method === 'POST' ? {} : undefined);
      assertRefused(answer, 403, 'FORBIDDEN');
      assert.equal((await server.store.apiSessions.find(asId(session)))?.endedAt, null, path);
    }
  });
});

/** Gives an identity a permission right after the call that comes next has read what they may do. */
function promotedOnceFound(t: TestContext, id: IdentityId): void {
  const { identities } = server.store;
  const find = identities.find.bind(identities);
  const found = t.mock.method(identities, 'find', async (asked: IdentityId) => {
    const identity = await find(asked);
    if (asked === id) {
      found.mock.restore();
      await identities.update(id, { permissions: ['read'] }, server.clock.now());
    }
    return identity;
  });
}
