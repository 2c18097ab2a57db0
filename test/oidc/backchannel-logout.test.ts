// OpenID Connect Back-Channel Logout 1.0, as an application receives it. Tokens are verified by jose.

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { DAY, HOUR, MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import {
  broughtBack,
  follow,
  signedInBrowser,
  signIn,
  withBrowserSession,
} from '../support/browser-session.ts';
import { cookieBrowser } from '../support/cookie-browser.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { authorizationQuery, callWith, claimsOf, codeOf, type Tokens } from '../support/flow.ts';
import { type Caller, loggedIn, password, rootOf } from '../support/management.ts';
import {
  type MessageReceiver,
  type ReceivedMessage,
  startMessageReceiver,
} from '../support/message-receiver.ts';
import {
  appRedirectUri,
  basic,
  loginAt,
  redeemAs,
  refreshAs,
  registerClient,
  type TestClient,
} from '../support/oidc-clients.ts';
import { serverOfFile } from '../support/test-server.ts';
import { eventually } from '../support/until.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await serverOfFile({ clock, configure: withBrowserSession });
let root = await rootOf(server);

let loggedInAt = clock.now();
/** The administrator's tokens expire while the clock advances. */
async function asRoot(): Promise<Caller> {
  if (clock.now() - loggedInAt > 20 * MINUTE) root = await loggedIn(server, 'root');
  loggedInAt = clock.now();
  return root;
}

const postLogout = 'https://app.example/bye';

/** A client with its receiver, and a person who can log in to it. */
async function application(t: TestContext, fields: Record<string, unknown> = {}) {
  const receiver = await startMessageReceiver();
  t.after(() => receiver.close());
  const app = await registerClient(await asRoot(), {
    backchannelLogoutUri: `${receiver.url}/logout?tenant=1`,
    postLogoutRedirectUris: [postLogout],
    ...fields,
  });
  const name = `person ${crypto.randomUUID()}`;
  const id = await server.createUser({ name, password });
  return { app, receiver, name, id, logIn: (changes = {}) => loginAt(server, app, name, changes) };
}

/** Checks a logout token as section 2.6 says. @returns its claims */
async function verified({ id }: TestClient, message: ReceivedMessage) {
  assert.equal(message.method, 'POST');
  assert.equal(message.headers['content-type'], 'application/x-www-form-urlencoded');
  const form = new URLSearchParams(message.body);
  assert.deepEqual([...form.keys()], ['logout_token']);
  const token = String(form.get('logout_token'));
  const keys = createLocalJWKSet((await server.get('/oidc/keys')).json);
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: server.issuer,
    audience: id,
    typ: 'logout+jwt',
    maxTokenAge: '10s',
    requiredClaims: ['iat', 'exp', 'jti', 'sub', 'sid', 'events'],
    currentDate: new Date(clock.now()),
  });
  assert.deepEqual(payload.events, { 'http://schemas.openid.net/event/backchannel-logout': {} });
  assert.equal(payload.nonce, undefined);
  assert.ok(Number(payload.exp) - Number(payload.iat) <= 120);
  return { ...payload, sid: payload.sid, alg: protectedHeader.alg };
}

/** Checks that the application learns of the end of the session of these tokens. */
async function assertTold(
  { app, receiver }: { app: TestClient; receiver: MessageReceiver },
  tokens: Tokens,
  at = 0,
) {
  const { sid, sub } = claimsOf(tokens.id_token);
  const claims = await verified(app, await receiver.at(at));
  assert.deepEqual([claims.sid, claims.sub], [sid, sub]);
  return claims;
}

const deliveriesOf = async ({ id }: TestClient, query = '') =>
  (await (await asRoot()).get(`oidc-clients/${id}/deliveries${query}`)).json.data;

/** Resolves when the deliveries of a client are as expected. */
const untilDeliveries = (
  app: TestClient,
  isSo: (deliveries: Awaited<ReturnType<typeof deliveriesOf>>) => boolean,
) => eventually(() => deliveriesOf(app), isSo);

test('discovery says that logout tokens are sent, with the session', async () => {
  const { json } = await server.get('/oidc/.well-known/openid-configuration');
  assert.deepEqual(
    [json.backchannel_logout_supported, json.backchannel_logout_session_supported],
    [true, true],
  );
});

describe('the application is told when', () => {
  const ends: readonly (readonly [
    what: string,
    end: (of: Awaited<ReturnType<typeof application>>, tokens: Tokens) => Promise<unknown>,
  ])[] = [
    [
      'it asks for the logout itself',
      async (_of, tokens) => {
        const asked = { id_token_hint: tokens.id_token, post_logout_redirect_uri: postLogout };
        const answer = await server.get(`/oidc/end_session?${new URLSearchParams(asked)}`);
        assert.deepEqual([answer.status, answer.headers.location], [302, postLogout]);
      },
    ],
    [
      'it revokes its refresh token',
      ({ app }, tokens) =>
        server.post('/oidc/revoke', { form: { token: tokens.refresh_token }, headers: basic(app) }),
    ],
    [
      'an administrator ends the session',
      async (_of, tokens) => (await asRoot()).call('DELETE', `api-sessions/${claimsOf(tokens.id_token).sid}`),
    ],
    [
      'the identity is disabled',
      async ({ id }) => (await asRoot()).call('POST', `identities/${id}/disable`, { durationMinutes: 0 }),
    ],
    ['the identity is deleted', async ({ id }) => (await asRoot()).call('DELETE', `identities/${id}`)],
    [
      'a refresh token is used twice',
      async ({ app }, tokens) => {
        await refreshAs(server, app, tokens.refresh_token);
        clock.advance(MINUTE);
        assert.equal((await refreshAs(server, app, tokens.refresh_token)).status, 400);
      },
    ],
    [
      'sessions of the identity are revoked',
      async ({ id }) => (await asRoot()).call('POST', 'revocations', { id, type: 'IDENTITY' }),
    ],
  ];
  for (const [what, end] of ends) {
    test(what, async (t) => {
      const of = await application(t);
      const tokens = await of.logIn();
      await end(of, tokens);
      await assertTold(of, tokens);
      assert.equal((await of.receiver.at(0)).path, '/logout?tenant=1');
      const [{ createdAt: _created, lastAttemptAt: _last, ...delivery }] = await untilDeliveries(
        of.app,
        ([first]) => first?.state === 'delivered',
      );
      const { sid } = claimsOf(tokens.id_token);
      assert.deepEqual(delivery, {
        id: sid,
        sessionId: sid,
        identityId: of.id,
        state: 'delivered',
        attempts: 1,
        result: 'HTTP 200',
      });
    });
  }

  test('its access tokens have long expired, because it keeps a session of its own', async (t) => {
    const of = await application(t);
    const tokens = await of.logIn({ scope: 'openid' });
    clock.advance(2 * DAY);
    await server.store.expiry.deleteExpired(clock.now(), 1000);
    assert.equal((await callWith(server, tokens.access_token, '/oidc/userinfo')).status, 401);
    const answer = await (await asRoot()).call('POST', `identities/${of.id}/disable`, {
      durationMinutes: 0,
    });
    assert.equal(answer.status, 200, answer.text);
    await assertTold(of, tokens);
  });

  test('the person logs out at another application of the same browser', async (t) => {
    const [wiki, shop] = [await application(t), await application(t)];
    const browser = await signedInBrowser(server, wiki.name);
    const enter = async ({ app }: typeof wiki) => {
      const asked = { client_id: app.id, redirect_uri: appRedirectUri };
      const page = await follow(
        browser,
        await browser.get(`/oidc/authorization?${authorizationQuery(asked)}`),
      );
      const code = codeOf(await browser.submit(page, {}));
      return (await redeemAs(server, app, code)).json as Tokens;
    };
    const tokens = [await enter(wiki), await enter(shop)] as const;
    const asked = { id_token_hint: tokens[0].id_token, post_logout_redirect_uri: postLogout };
    assert.ok(broughtBack(await browser.get(`/oidc/end_session?${new URLSearchParams(asked)}`)));
    await assertTold(wiki, tokens[0]);
    await assertTold(shop, tokens[1]);
  });

  test('the person has logged in again before in the same browser, for another application', async (t) => {
    const [wiki, shop] = [await application(t), await application(t)];
    const browser = cookieBrowser(server);
    const enter = async ({ app }: typeof wiki) => {
      const asked = { client_id: app.id, redirect_uri: appRedirectUri, prompt: 'login' };
      const code = codeOf(await signIn(browser, wiki.name, asked));
      return (await redeemAs(server, app, code)).json as Tokens;
    };
    const tokens = [await enter(wiki), await enter(shop)] as const;
    await browser.submit(await browser.get('/oidc/end_session'));
    await assertTold(wiki, tokens[0]);
    await assertTold(shop, tokens[1]);
    assert.equal(wiki.receiver.received.length, 1, 'and of nothing when the person logged in again');
  });
});

test('tokens are signed with the algorithm of the client, one for each attempt', async (t) => {
  for (const alg of ['RS256', 'ES256']) {
    const of = await application(t, { idTokenSigningAlg: alg });
    const tokens = await of.logIn();
    of.receiver.answer(503);
    await (await asRoot()).call('DELETE', `api-sessions/${claimsOf(tokens.id_token).sid}`);
    const first = await assertTold(of, tokens);
    of.receiver.answer(204);
    await untilDeliveries(of.app, ([delivery]) => delivery?.result === 'HTTP 503');
    clock.advance(2 * SECOND);
    const second = await assertTold(of, tokens, 1);
    assert.deepEqual([first.alg, second.alg], [alg, alg]);
    assert.notEqual(first.jti, second.jti);
    await untilDeliveries(of.app, ([delivery]) => delivery?.state === 'delivered' && delivery.attempts === 2);
  }
});

describe('an application that does not take the token', () => {
  /** Ends a session, and waits for the first attempt. */
  async function refused(t: TestContext, how: Parameters<MessageReceiver['answer']>[0]) {
    const of = await application(t);
    const tokens = await of.logIn();
    of.receiver.answer(how);
    await (await asRoot()).call('DELETE', `api-sessions/${claimsOf(tokens.id_token).sid}`);
    await of.receiver.at(0);
    const [delivery] = await untilDeliveries(of.app, ([first]) => first?.attempts === 1);
    return { ...of, delivery };
  }

  test('with 400 is not asked again, and administrators see it', async (t) => {
    const { app, delivery } = await refused(t, 400);
    assert.deepEqual([delivery?.state, delivery?.result], ['failed', 'HTTP 400']);
    assert.equal((await deliveriesOf(app, '?state=failed')).length, 1);
    assert.deepEqual(await deliveriesOf(app, '?state=waiting'), []);
  });

  test('is asked again, after every answer, and no redirect is followed', async (t) => {
    const elsewhere = await startMessageReceiver();
    t.after(() => elsewhere.close());
    for (const [how, result] of [
      [500, 'HTTP 500'],
      [404, 'HTTP 404'],
      [(response) => response.writeHead(307, { location: `${elsewhere.url}/` }).end(), 'HTTP 307'],
      [(response) => response.socket?.destroy(), 'the server could not be reached or broke the connection'],
    ] as [Parameters<MessageReceiver['answer']>[0], string][]) {
      const { delivery } = await refused(t, how);
      assert.deepEqual([delivery?.state, delivery?.result], ['waiting', result]);
    }
    assert.equal(elsewhere.received.length, 0);
  });

  test('and sends an endless answer is not listened to', async (t) => {
    const { delivery } = await refused(t, (response) => {
      response.writeHead(200);
      const more = () =>
        void (response.writable && response.write(Buffer.alloc(65_536)) && setImmediate(more));
      more();
    });
    assert.equal(delivery?.state, 'delivered');
  });

  test('delays no other session of its people, and no other application', async (t) => {
    const of = await application(t);
    const sessions = [await of.logIn(), await of.logIn()] as const;
    const poison = claimsOf(sessions[0].id_token).sid;
    of.receiver.answer((response) => {
      const token = new URLSearchParams(of.receiver.received.at(-1)?.body).get('logout_token') ?? '';
      response.writeHead(claimsOf(token).sid === poison ? 500 : 200).end();
    });
    await (await asRoot()).call('POST', `identities/${of.id}/disable`, { durationMinutes: 0 });
    const deliveries = await untilDeliveries(of.app, (all) =>
      all.some(({ state }: Record<string, unknown>) => state === 'delivered'),
    );
    assert.equal(
      deliveries.find((delivery: Record<string, unknown>) => delivery.sessionId === poison)?.state,
      'waiting',
    );
  });

  test('is asked at the address that it has by then, and no more once it has none', async (t) => {
    const { app, receiver } = await refused(t, 503);
    const moved = await startMessageReceiver();
    t.after(() => moved.close());
    const change = (backchannelLogoutUri: string | null) =>
      root.call('PATCH', `oidc-clients/${app.id}`, { backchannelLogoutUri });
    assert.equal((await change(`${moved.url}/new`)).status, 200);
    clock.advance(2 * SECOND);
    assert.equal((await moved.at(0)).path, '/new');
    assert.equal(receiver.received.length, 1);

    const other = await refused(t, 503);
    await root.call('PATCH', `oidc-clients/${other.app.id}`, { backchannelLogoutUri: null });
    clock.advance(2 * SECOND);
    const [delivery] = await untilDeliveries(other.app, ([first]) => first?.state === 'failed');
    assert.match(String(delivery?.result), /no backchannelLogoutUri/);
  });

  test('is given up after three days', async (t) => {
    const { app } = await refused(t, 503);
    clock.advance(3 * DAY + HOUR);
    const [delivery] = await untilDeliveries(app, ([first]) => first?.state === 'failed');
    assert.equal(delivery?.result, 'given up after: HTTP 503');
  });
});

test('nothing is sent for an application without the address, or for one that was deleted', async (t) => {
  const without = await application(t, { backchannelLogoutUri: null });
  const tokens = await without.logIn();
  await (await asRoot()).call('DELETE', `api-sessions/${claimsOf(tokens.id_token).sid}`);
  assert.deepEqual(await deliveriesOf(without.app), []);
  const deleted = await application(t);
  await deleted.logIn();
  assert.equal((await root.call('DELETE', `oidc-clients/${deleted.app.id}`)).status, 200);
  const answer = await root.get(`oidc-clients/${deleted.app.id}/deliveries`);
  assert.equal(answer.status, 404);
  assert.equal(deleted.receiver.received.length, 0);
});

test('a logout token opens nothing, and no ID token passes for one', async (t) => {
  const of = await application(t);
  const tokens = await of.logIn();
  assert.equal(decodeProtectedHeader(tokens.id_token).typ, 'JWT');
  await (await asRoot()).call('DELETE', `api-sessions/${claimsOf(tokens.id_token).sid}`);
  const token = String(new URLSearchParams((await of.receiver.at(0)).body).get('logout_token'));
  assert.equal((await callWith(server, token, '/oidc/userinfo')).status, 401);
  assert.equal((await server.get(`/oidc/end_session?id_token_hint=${token}`)).status, 400);
});
