import assert from 'node:assert/strict';
import { test } from 'node:test';
import { login, refresh } from '../support/flow.ts';
import { startTestServer } from '../support/test-server.ts';

test('a restart refuses ended sessions from the first request on', async (t) => {
  const first = await startTestServer();
  await first.createUser({ name: 'alice', password: 'seven quiet lanterns' });
  const ended = await login(first, 'alice', 'seven quiet lanterns');
  const alive = await login(first, 'alice', 'seven quiet lanterns');
  const form = { token: ended.refresh_token, client_id: 'overlay' };
  assert.equal((await first.post('/oidc/revoke', { form })).status, 200);
  await first.stop();

  const second = await startTestServer({ home: first.home });
  t.after(() => second.close());
  // The system gave it another port; the tokens name the first one.
  second.controller.services.issuers.add(first.issuer);
  const userinfo = async (token: string) =>
    (await second.get('/oidc/userinfo', { headers: { authorization: `Bearer ${token}` } })).status;
  assert.equal(await userinfo(ended.access_token), 401);
  assert.equal(await userinfo(alive.access_token), 200);
  assert.equal((await refresh(second, ended.refresh_token)).status, 400);
});
