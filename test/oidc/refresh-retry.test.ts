// Refreshes whose answer was lost, and what a client learns about a refresh token that is no longer valid.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { keyVault, vaultKey } from '../../src/platform/secrets/key-vault.ts';
import { nextRefreshToken, readOpaqueToken } from '../../src/tokens/opaque-token.ts';
import { openServerSecrets } from '../../src/tokens/server-secrets.ts';
import { goClient, pathOf, startCompatibleServer } from '../compatibility/support.ts';
import { auditedBy, loggedDetail } from '../support/audit.ts';
import { cookieBrowser } from '../support/cookie-browser.ts';
import { dpopCaller, dpopKey } from '../support/dpop.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  beginLogin,
  callWith,
  claimsOf,
  codeOf,
  locationOf,
  login,
  obtainCode,
  redeem,
  refresh,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { loginAt, refreshAs, registerClient } from '../support/oidc-clients.ts';
import { masterKey, serverOfFile, startTestServer, type TestServer } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
// Log lines of refusals are sampled each second.
beforeEach(() => void clock.advance(2 * SECOND));
const server = await serverOfFile({
  clock,
  configure: (yaml) => yaml.replace(/refreshTokenGrace: 0s/, 'refreshTokenGrace: 30s'),
});
const root = await rootOf(server);
await server.createUser({ name: 'alice', password });

const descriptions = {
  expired: 'the refresh token has expired; log in again',
  revoked: 'the session of the refresh token has ended; log in again',
  reused: 'the refresh token has been used already; use its successor',
};

interface Refusal {
  /** What the client learns. */
  readonly told: keyof typeof descriptions | undefined;
  /** What administrators read, if it differs. */
  readonly recorded?: string;
  /** The client that presented it. */
  readonly clientId?: string;
  readonly at?: TestServer;
}

function assertRefused(
  answer: Answer,
  { told, recorded = told, clientId = 'overlay', at = server }: Refusal,
): void {
  assertTold(answer, told);
  const [refusal, ...more] = auditedBy(at, answer);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [refusal?.event, refusal?.reason, refusal?.clientId],
    ['refresh.refused', recorded, clientId],
  );
  assert.match(String(refusal?.sessionId), /^[0-9a-f-]{36}$/);
  assert.equal(loggedDetail(at, answer), `refresh token refused: ${recorded}`);
}

function assertTold(answer: Answer, told: Refusal['told']): void {
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.json.error, 'invalid_grant');
  assert.equal(answer.json.reason, told, answer.text);
  if (told !== undefined) assert.equal(answer.json.error_description, descriptions[told]);
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
    // A thief had the token: the family ends.
    assertRefused(await refresh(server, first), { told: 'reused' });
    assertRefused(await refresh(server, next.json.refresh_token), { told: 'reused', recorded: 'ended' });
  });

  test('many at once all get the one successor', async () => {
    const { refresh_token } = await login(server, 'alice', password);
    const answers = await Promise.all(Array.from({ length: 16 }, () => refresh(server, refresh_token)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ json }) => json.refresh_token)).size, 1);
    assert.equal((await refresh(server, answers[0]?.json.refresh_token)).status, 200);
  });

  test('another client gets nothing, and a session that has ended stays ended', async () => {
    const [app, other] = [await registerClient(root), await registerClient(root)];
    const { refresh_token: first } = await loginAt(server, app, 'alice');
    const { refresh_token: second } = (await refreshAs(server, app, first)).json;
    const foreign = { told: undefined, recorded: 'wrong-binding' } as const;
    assertRefused(await refreshAs(server, other, first), { ...foreign, clientId: other.id });
    assertRefused(await refresh(server, first), foreign);
    assert.equal((await refreshAs(server, app, first)).json.refresh_token, second);
    const scope = 'openid';
    assert.equal((await refreshAs(server, app, first, { scope })).json.scope, 'openid');
    const { id_token } = (await refreshAs(server, app, first)).json;
    await server.post('/oidc/end_session', { form: { id_token_hint: id_token } });
    const ended = { recorded: 'ended', clientId: app.id };
    for (const text of [first, second]) {
      assertRefused(await refreshAs(server, app, text), { told: 'revoked', ...ended });
      // Only its client may learn whose it was and how it ended.
      assertRefused(await refresh(server, text), { told: undefined, recorded: 'ended' });
    }
  });

  test('a disabled identity gets nothing', async () => {
    const id = await server.createUser({ name: 'carol', password });
    const { refresh_token } = await login(server, 'carol', password);
    await refresh(server, refresh_token);
    await server.store.identities.update(id, { disabledAt: clock.now() }, clock.now());
    assertRefused(await refresh(server, refresh_token), { told: 'revoked', recorded: 'ended' });
  });
});

test('an application that may have no refresh tokens any more uses up none', async () => {
  const app = await registerClient(root);
  const { refresh_token } = await loginAt(server, app, 'alice');
  const scopes = (names: string[]) => root.call('PATCH', `oidc-clients/${app.id}`, { scopes: names });
  await scopes(['openid']);
  const refused = await refreshAs(server, app, refresh_token);
  assertTold(refused, undefined);
  assert.equal(loggedDetail(server, refused), 'offline_access was taken from the client');
  await scopes(['openid', 'offline_access']);
  assert.equal((await refreshAs(server, app, refresh_token)).status, 200);
});

test('a resource that was not granted uses nothing up', async () => {
  const [one, two] = ['https://one.example', 'https://two.example'];
  const app = await registerClient(root, { resources: [one, two] });
  const { refresh_token } = await loginAt(server, app, 'alice', { resource: one });
  const refused = await refreshAs(server, app, refresh_token, { resource: two });
  assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_target']);
  assert.deepEqual(auditedBy(server, refused), []);
  assert.equal((await refreshAs(server, app, refresh_token)).status, 200);
});

test('by a clock that was set back an identity may be disabled again, and gets nothing while it is', async () => {
  const id = await server.createUser({ name: 'dave', password });
  const disabled = { disabledAt: clock.now(), disabledUntil: clock.now() + MINUTE };
  await server.store.identities.update(id, disabled, clock.now());
  clock.advance(2 * MINUTE);
  const { refresh_token } = await login(server, 'dave', password);
  const back = 90 * SECOND;
  clock.set(clock.now() - back);
  const refused = await refresh(server, refresh_token);
  clock.set(clock.now() + back);
  assertRefused(refused, { told: 'revoked', recorded: 'identity-unavailable' });
  assert.equal((await refresh(server, refresh_token)).status, 200);
});

test('after the grace a token that was used before ends the family', async () => {
  const { refresh_token: first } = await login(server, 'alice', password);
  const { refresh_token: second } = (await refresh(server, first)).json;
  clock.advance(30 * SECOND);
  assertRefused(await refresh(server, first), { told: 'reused' });
  assertRefused(await refresh(server, second), { told: 'reused', recorded: 'ended' });
});

test('a refresh is in the audit trail, with whose session it is', async () => {
  const first = await login(server, 'alice', password);
  // So does a retry: the receiver of the answer gets tokens.
  for (const _time of ['first', 'again']) {
    const answer = await refresh(server, first.refresh_token);
    const [event, ...more] = auditedBy(server, answer);
    assert.deepEqual(more, []);
    const { sub, z_asid } = claimsOf(first.access_token);
    assert.deepEqual(
      [event?.event, event?.identityId, event?.sessionId, event?.clientId],
      ['token.refreshed', sub, z_asid, 'overlay'],
    );
  }
});

test('the session says when and from where it was refreshed last', async () => {
  const { refresh_token, access_token } = await login(server, 'alice', password);
  clock.advance(HOUR);
  const { json } = await refresh(server, refresh_token);
  const session = await server.store.apiSessions.find(claimsOf(access_token).z_asid);
  assert.equal(session?.lastActivityAt, clock.now());
  assert.equal(claimsOf(json.access_token).auth_time * SECOND, clock.now() - HOUR);
});

test('expired is told from the rest, also when nothing is left of the session', async () => {
  const { refresh_token: unused } = await login(server, 'alice', password);
  const { refresh_token: used } = await login(server, 'alice', password);
  const { refresh_token: next } = (await refresh(server, used)).json;
  clock.advance(24 * HOUR);
  for (const token of [unused, next]) assertRefused(await refresh(server, token), { told: 'expired' });
  await server.store.expiry.deleteExpired(clock.now(), 10_000);
  for (const token of [unused, next]) {
    const forgotten = await refresh(server, token);
    assertTold(forgotten, 'expired');
    assert.deepEqual(auditedBy(server, forgotten), []);
    assert.equal(loggedDetail(server, forgotten), 'refresh token refused: unknown');
  }
});

test('a session is read at its first refresh only, and its end counts at the next', async (t) => {
  // Each thread reads a session for itself.
  const single = await startTestServer({ clock, threads: 1 });
  t.after(() => single.close());
  await single.createUser({ name: 'alice', password });
  const first = await login(single, 'alice', password);
  const find = t.mock.method(single.store.apiSessions, 'find');
  let { refresh_token } = first;
  for (const reads of [1, 1, 1]) {
    refresh_token = (await refresh(single, refresh_token)).json.refresh_token;
    assert.equal(find.mock.callCount(), reads);
  }
  const { z_asid } = claimsOf(first.access_token);
  assert.equal(await single.store.apiSessions.end(z_asid, 'administrator', clock.now()), true);
  assertRefused(await refresh(single, refresh_token), { told: 'revoked', recorded: 'ended', at: single });
});

test('nothing is told of what is not ours', async () => {
  const { refresh_token } = await login(server, 'alice', password);
  for (const text of ['x', `${refresh_token}x`, refresh_token.slice(0, -2)]) {
    const answer = await refresh(server, text);
    assertTold(answer, undefined);
    assert.deepEqual(auditedBy(server, answer), []);
  }
});

test('a code that comes again ends the session, whose client is told that something was used twice', async () => {
  const code = await obtainCode(server, 'alice', password);
  const { refresh_token } = (await redeem(server, code)).json;
  assert.equal((await redeem(server, code)).status, 400);
  assertRefused(await refresh(server, refresh_token), { told: 'reused', recorded: 'ended' });
});

describe('without a grace', () => {
  let strict: TestServer;
  before(async () => {
    strict = await startTestServer({ clock });
    await strict.createUser({ name: 'alice', password });
  });
  after(() => strict?.close());

  test('a duplicate is refused as before, and the reason is told all the same', async () => {
    const { refresh_token: first } = await login(strict, 'alice', password);
    const { refresh_token: second } = (await refresh(strict, first)).json;
    const duplicate = { told: 'reused', recorded: 'duplicate', at: strict } as const;
    assertRefused(await refresh(strict, first), duplicate);
    assert.equal((await refresh(strict, second)).status, 200, 'a duplicate within two seconds harms nothing');
  });

  test('two seconds later it is no duplicate, and ends the family', async () => {
    const { refresh_token: first } = await login(strict, 'alice', password);
    const { refresh_token: second } = (await refresh(strict, first)).json;
    clock.advance(2 * SECOND - 1);
    assertRefused(await refresh(strict, first), { told: 'reused', recorded: 'duplicate', at: strict });
    clock.advance(1);
    assertRefused(await refresh(strict, first), { told: 'reused', at: strict });
    assertRefused(await refresh(strict, second), { told: 'reused', recorded: 'ended', at: strict });
  });

  test('a tab whose answer was lost tries again for a minute, with the key of its session', async () => {
    const key = dpopKey();
    const caller = dpopCaller(strict, clock, key);
    const opened = async (inBrowser: boolean) => {
      let code = '';
      if (inBrowser) {
        const browser = cookieBrowser(strict);
        const page = await browser.get(
          locationOf(await browser.get(`/oidc/authorization?${authorizationQuery()}`)),
        );
        code = codeOf(await browser.submit(page, { username: 'alice', password }));
      } else code = await obtainCode(strict, 'alice', password);
      return (await redeem(caller, code)).json.refresh_token;
    };
    const first = await opened(true);
    const lost = (await refresh(caller, first)).json;
    clock.advance(59 * SECOND);
    const again = await refresh(caller, first);
    assert.equal(again.status, 200, again.text);
    assert.equal(again.json.refresh_token, lost.refresh_token);
    // Another key and none get nothing, and end nothing.
    for (const thief of [strict, dpopCaller(strict, clock, dpopKey())])
      assertTold(await refresh(thief, first), undefined);
    const next = await refresh(caller, lost.refresh_token);
    assert.equal(next.status, 200, next.text);
    // The successor was used: a thief has the token and the key.
    assertRefused(await refresh(caller, first), { told: 'reused', at: strict });

    for (const [inBrowser, wait] of [
      [true, 61],
      [false, 3],
    ] as const) {
      const token = await opened(inBrowser);
      assert.equal((await refresh(caller, token)).status, 200);
      clock.advance(wait * SECOND);
      assertRefused(await refresh(caller, token), { told: 'reused', at: strict });
    }
  });

  test('a successor does not follow from the token before it', async () => {
    const vault = keyVault(vaultKey(masterKey));
    const { tagKey } = await openServerSecrets({ keys: strict.store.keys, vault, random: strict.random });
    const { refresh_token: first } = await login(strict, 'alice', password);
    const token = readOpaqueToken(tagKey, 'refresh', first);
    assert.ok(token);
    const needs = { random: strict.random, tagKey };
    const followed = nextRefreshToken(needs, token, { form: 'opaque', retriedText: first });
    assert.notEqual((await refresh(strict, first)).json.refresh_token, followed.text);
  });
});

test('the clients of existing SDKs have a grace by default, and no others', async (t) => {
  const own = await startCompatibleServer(clock);
  t.after(() => own.close());
  await own.createUser({ name: 'alice', password });
  for (const [clientId, after, status] of [
    [goClient, 9, 200],
    [goClient, 11, 400],
    ['overlay', 1, 400],
  ] as const) {
    const id = await beginLogin(own, { client_id: clientId });
    const json = { id, username: 'alice', password };
    let answer = await own.post('/oidc/login/password', { json });
    // An alias comes back by way of our own address.
    if (clientId === goClient) answer = await own.get(pathOf(locationOf(answer)));
    const token = (await redeem(own, codeOf(answer), { client_id: clientId })).json.refresh_token;
    const first = (await refresh(own, token, { client_id: clientId })).json;
    clock.advance(after * SECOND);
    const again = await refresh(own, token, { client_id: clientId });
    assert.equal(again.status, status, `${clientId} after ${after} s: ${again.text}`);
    if (status !== 200) continue;
    const [one, other] = [first, again.json].map((tokens) => tokens.refresh_token);
    assert.equal(claimsOf(one).jti, claimsOf(other).jti);
    // Both are one token: what follows from either may be retried too.
    for (const each of [one, other])
      assert.equal((await refresh(own, each, { client_id: clientId })).status, 200);
  }
});
