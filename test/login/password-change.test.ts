// A password changes between its check and the step that records the login.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asId } from '../../src/model/ids.ts';
import { hashPasswordBlocking, preparePassword } from '../../src/platform/secrets/password-hash.ts';
import { authenticate } from '../legacy/support.ts';
import { beginLogin, submitPassword } from '../support/flow.ts';
import { assertRefused, password } from '../support/management.ts';
import { userNamed } from '../support/names.ts';
import { serverOfFile } from '../support/test-server.ts';

// The tests change the store of the thread that answers.
const server = await serverOfFile({ threads: 1 });

type Step = (args: unknown) => Promise<unknown>;

/** Changes a person's password right before the store records the next login. */
async function changeBefore(concern: object, name: string, username: string): Promise<() => void> {
  const steps = concern as Record<string, Step>;
  const original = steps[name] as Step;
  const login = await server.store.authenticators.findPasswordLogin(userNamed(username).usernameKey);
  const id = login?.authenticator.id ?? asId('none');
  steps[name] = async (args) => {
    const passwordHash = await server.controller.services.hasher.hash('eleven loud umbrellas', 'test');
    const when = { now: server.clock.now() };
    assert.ok(await server.store.authenticators.updatePassword(id, { passwordHash }, when));
    return original(args);
  };
  return () => {
    steps[name] = original;
  };
}

test('an OIDC login with the old password gives no code', async () => {
  await server.createUser({ name: 'alice', password });
  const id = await beginLogin(server);
  const restore = await changeBefore(server.store.authRequests, 'recordPrimaryLogin', 'alice');
  const answer = await submitPassword(server, id, 'alice', password).finally(restore);
  assertRefused(answer, 401, 'INVALID_AUTH');
  assert.equal(answer.headers.location, undefined);
  const again = await submitPassword(server, id, 'alice', 'eleven loud umbrellas');
  assert.equal(again.status, 302, 'the new password goes on with the same login');
});

test('a legacy login with the old password opens no session', async () => {
  await server.createUser({ name: 'bob', password });
  const restore = await changeBefore(server.store.apiSessions, 'openLegacy', 'bob');
  const answer = await authenticate(server, 'bob').finally(restore);
  assertRefused(answer, 401, 'INVALID_AUTH');
});

test('a login that has to replace the password is over when another one replaces it meanwhile', async (t) => {
  const id = await server.createUser({ name: 'dave', password });
  await server.store.identities.update(id, { passwordMustChange: true }, server.clock.now());
  const requests = [await beginLogin(server), await beginLogin(server)] as const;
  for (const request of requests) await submitPassword(server, request, 'dave', password);
  const replace = (authRequestId: string, secret: string) =>
    server.post('/oidc/login/password-change', { json: { authRequestId, password: secret } });
  const { authRequests } = server.store;
  const findLogin = authRequests.findLogin.bind(authRequests);
  const found = t.mock.method(authRequests, 'findLogin', async (...asked: Parameters<typeof findLogin>) => {
    const login = await findLogin(...asked);
    found.mock.restore();
    assert.equal((await replace(requests[1], 'eleven loud umbrellas')).status, 302);
    return login;
  });
  assertRefused(await replace(requests[0], 'twelve loud umbrellas'), 400, 'INVALID_AUTH_REQUEST');
});

test('logins at the same moment all pass when the first one renews an old hash', async () => {
  await server.createUser({ name: 'carol', password });
  const login = await server.store.authenticators.findPasswordLogin(userNamed('carol').usernameKey);
  const old = hashPasswordBlocking(preparePassword(password), { memoryKiB: 8192, passes: 1, lanes: 1 });
  const when = { now: server.clock.now() };
  const id = login?.authenticator.id ?? asId('none');
  assert.ok(await server.store.authenticators.updatePassword(id, { passwordHash: old }, when));
  const requests = await Promise.all([1, 2, 3].map(() => beginLogin(server)));
  const answers = await Promise.all([
    ...requests.map((request) => submitPassword(server, request, 'carol', password)),
    authenticate(server, 'carol'),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [302, 302, 302, 200],
  );
  const renewed = await server.store.authenticators.findPasswordLogin(userNamed('carol').usernameKey);
  assert.notEqual(renewed?.passwordHash, old);
  assert.equal((await submitPassword(server, await beginLogin(server), 'carol', password)).status, 302);
});
