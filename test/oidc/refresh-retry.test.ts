// Refreshes whose answer was lost, and what a client is told of a refresh token that is no longer good.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fixedClock, HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { callWith, claimsOf, login, refresh } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { loginAt, refreshAs, registerClient } from '../support/oidc-clients.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let server: TestServer;
before(async () => {
  server = await startTestServer({
    clock,
    configure: (yaml) => yaml.replace(/refreshTokenGrace: 0s/, 'refreshTokenGrace: 30s'),
  });
  await server.createUser({ name: 'alice', password });
});
after(() => server?.close());

function assertRefused(answer: Answer, reason: string | undefined): void {
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.json.error, 'invalid_grant');
  assert.equal(answer.json.reason, reason, answer.text);
}

describe('within the grace', () => {
  test('the same token gives the same successor, as often as it comes, until that is used', async () => {
    const { refresh_token: first } = await login(server, 'alice', password);
    const one = (await refresh(server, first)).json;
    clock.advance(29 * SECOND);
    for (let round = 0; round < 3; round += 1) {
      const again = await refresh(server, first);
      assert.equal(again.status, 200, again.text);
      assert.equal(again.json.refresh_token, one.refresh_token);
      assert.equal((await callWith(server, again.json.access_token)).status, 200);
      assert.equal(claimsOf(again.json.access_token).z_asid, claimsOf(one.access_token).z_asid);
    }
    const next = await refresh(server, one.refresh_token);
    assert.equal(next.status, 200);
    assert.notEqual(next.json.refresh_token, one.refresh_token);
    // Somebody else had it: the family ends.
    assertRefused(await refresh(server, first), 'reused');
    assertRefused(await refresh(server, next.json.refresh_token), 'reused');
  });

  test('many at once all get the one successor', async () => {
    const { refresh_token } = await login(server, 'alice', password);
    const answers = await Promise.all(Array.from({ length: 16 }, () => refresh(server, refresh_token)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ json }) => json.refresh_token)).size, 1);
    assert.equal((await refresh(server, answers[0]?.json.refresh_token)).status, 200);
  });

  test('another client gets nothing, and a session that has ended stays ended', async () => {
    const root = await rootOf(server);
    const [app, other] = [await registerClient(root), await registerClient(root)];
    const { refresh_token: first } = await loginAt(server, app, 'alice');
    const { refresh_token: second } = (await refreshAs(server, app, first)).json;
    assertRefused(await refreshAs(server, other, first), undefined);
    assertRefused(await refresh(server, first), undefined);
    assert.equal((await refreshAs(server, app, first)).json.refresh_token, second);
    const scope = 'openid';
    assert.equal((await refreshAs(server, app, first, { scope })).json.scope, 'openid');
    const { id_token } = (await refreshAs(server, app, first)).json;
    await server.post('/oidc/end_session', { form: { id_token_hint: id_token } });
    assertRefused(await refreshAs(server, app, first), 'revoked');
    assertRefused(await refreshAs(server, app, second), 'revoked');
  });

  test('a disabled identity gets nothing', async () => {
    const id = await server.createUser({ name: 'carol', password });
    const { refresh_token } = await login(server, 'carol', password);
    await refresh(server, refresh_token);
    await server.store.identities.update(id, { disabledAt: clock.now() }, clock.now());
    assertRefused(await refresh(server, refresh_token), 'revoked');
  });
});

test('after the grace a token that was used before ends the family', async () => {
  const { refresh_token: first } = await login(server, 'alice', password);
  const { refresh_token: second } = (await refresh(server, first)).json;
  clock.advance(30 * SECOND);
  assertRefused(await refresh(server, first), 'reused');
  assertRefused(await refresh(server, second), 'reused');
});

test('expired is told from the rest, and nothing is told of what is not ours', async () => {
  const { refresh_token } = await login(server, 'alice', password);
  clock.advance(24 * HOUR + MINUTE);
  assertRefused(await refresh(server, refresh_token), 'expired');
  for (const text of ['x', `${refresh_token}x`, refresh_token.slice(0, -2)]) {
    assertRefused(await refresh(server, text), undefined);
  }
});

test('without a grace a duplicate is refused as before, and the reason is told all the same', async () => {
  const strict = await startTestServer({ clock });
  try {
    await strict.createUser({ name: 'alice', password });
    const { refresh_token: first } = await login(strict, 'alice', password);
    const { refresh_token: second } = (await refresh(strict, first)).json;
    assertRefused(await refresh(strict, first), 'reused');
    assert.equal((await refresh(strict, second)).status, 200, 'a duplicate within two seconds harms nothing');
  } finally {
    await strict.close();
  }
});
