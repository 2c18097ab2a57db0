import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createClientApi } from '../../packages/client/src/api/edge-api.ts';
import { Refusal, SessionEnded, Unreachable } from '../../packages/client/src/errors.ts';
import { startDeviceLogin } from '../../packages/client/src/login/device-login.ts';
import { startDirectLogin } from '../../packages/client/src/login/direct-login.ts';
import { discover, type Provider } from '../../packages/client/src/oidc/provider.ts';
import type { Tokens } from '../../packages/client/src/oidc/tokens.ts';
import { openSession, type Session, type SessionEvent } from '../../packages/client/src/session/session.ts';
import { memoryTokenStore } from '../../packages/client/src/session/token-store.ts';
import type { Transport } from '../../packages/client/src/transport.ts';
import { HOUR, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import { transportTo } from './support.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await serverOfFile({ clock });
await server.createUser({ name: 'ada', password });

/** Requests to the token endpoint, as they leave, without those that lacked a nonce: they use nothing up. */
const refreshes: string[] = [];
const counted =
  (send: Transport): Transport =>
  async (request) => {
    if (!request.url.endsWith('/oidc/token')) return send(request);
    const form = await request.clone().text();
    refreshes.push(form);
    const response = await send(request);
    if ((await response.clone().text()).includes('use_dpop_nonce'))
      refreshes.splice(refreshes.lastIndexOf(form), 1);
    return response;
  };

async function providerWith(transport: Transport = transportTo(server)): Promise<Provider> {
  return discover({ baseUrl: server.url, transport: counted(transport), now: () => clock.now() });
}

async function loggedIn(provider: Provider): Promise<Tokens> {
  const state = await (await startDirectLogin(provider)).password({ username: 'ada', password });
  assert.ok(state.kind === 'done');
  refreshes.length = 0;
  return state.tokens;
}

async function sessionOf(transport?: Transport) {
  const provider = await providerWith(transport);
  const session = openSession({ provider, store: memoryTokenStore(await loggedIn(provider)) });
  const events: SessionEvent[] = [];
  session.on((event) => events.push(event));
  return { provider, session, events };
}

describe('a session', () => {
  test('is recognised by the program that the transport names, not by the protocol library', async () => {
    await server.createUser({ name: 'eve', password });
    const login = await startDirectLogin(await providerWith());
    assert.equal((await login.password({ username: 'eve', password })).kind, 'done');
    const admin = await rootOf(server);
    const { data } = (await admin.get(`last-logins?filter=${encodeURIComponent('identityName = "eve"')}`))
      .json;
    assert.deepEqual(
      data.map(({ program }: { program: string }) => program),
      ['overlay-auth-client'],
    );
  });

  test('uses an access token while it is valid, and renews it before it expires', async () => {
    const { session, events } = await sessionOf();
    const first = await session.accessToken();
    clock.advance(28 * MINUTE);
    assert.equal(await session.accessToken(), first);
    assert.equal(refreshes.length, 0);
    clock.advance(1.5 * MINUTE);
    assert.notEqual(await session.accessToken(), first);
    assert.equal(refreshes.length, 1);
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['renewed'],
    );
  });

  test('renews at its own time: those that logged in together do not renew together', async () => {
    const provider = await providerWith();
    const sessions: Session[] = [];
    for (const drawn of [0.9, 0.5, 0]) {
      const store = memoryTokenStore(await loggedIn(provider));
      sessions.push(openSession({ provider, store, random: () => drawn }));
    }
    const renewedAfter = async (minutes: number) => {
      clock.advance(minutes * MINUTE);
      for (const session of sessions) await session.accessToken();
      return refreshes.splice(0).length;
    };
    assert.equal(await renewedAfter(28), 0);
    for (const time of ['first', 'second', 'third']) assert.equal(await renewedAfter(0.4), 1, time);
    assert.equal(await renewedAfter(0.4), 0);
  });

  test('uses a refresh token once, however many wait for it', async () => {
    const { session } = await sessionOf();
    clock.advance(40 * MINUTE);
    const tokens = await Promise.all(Array.from({ length: 50 }, () => session.accessToken()));
    assert.equal(new Set(tokens).size, 1);
    assert.equal(refreshes.length, 1);
    clock.advance(40 * MINUTE);
    await session.accessToken();
    assert.equal(new Set(refreshes.map((form) => new URLSearchParams(form).get('refresh_token'))).size, 2);
  });

  test('over two holders of one store renews once', async () => {
    const provider = await providerWith();
    const store = memoryTokenStore(await loggedIn(provider));
    const [one, two] = [openSession({ provider, store }), openSession({ provider, store })];
    clock.advance(40 * MINUTE);
    const [a, b] = await Promise.all([one.accessToken(), two.accessToken()]);
    assert.equal(a, b);
    assert.equal(refreshes.length, 1);
  });

  test('behind an API renews a token that the server refuses early, once for all calls', async () => {
    const provider = await providerWith();
    // It looks good here, and is not: such as after new signing keys.
    const tokens = { ...(await loggedIn(provider)), accessToken: 'e30.e30.e30' };
    const session = openSession({ provider, store: memoryTokenStore(tokens) });
    const api = createClientApi({ baseUrl: server.url, token: session, transport: transportTo(server) });
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.GET('/current-identity')));
    assert.deepEqual(new Set(answers.map(({ data }) => data.data.name)), new Set(['ada']));
    assert.equal(refreshes.length, 1);
  });

  test('gets the refusal where a renewal gives the very token that is refused, and renews once', async () => {
    const refused = 'e30.e30.e30';
    const honest = transportTo(server);
    const provider = await providerWith(async (request) => {
      const isRefresh = refreshes.length > 0 && request.url.endsWith('/oidc/token');
      if (refreshes.length > 5) throw new Error('it goes on for ever');
      const response = await honest(request);
      if (!isRefresh || response.status !== 200) return response;
      const answer = (await response.json()) as object;
      return Response.json({ ...answer, access_token: refused });
    });
    const tokens = { ...(await loggedIn(provider)), accessToken: refused };
    const session = openSession({ provider, store: memoryTokenStore(tokens) });
    const api = createClientApi({ baseUrl: server.url, token: session, transport: honest });
    await assert.rejects(api.GET('/current-identity'), Refusal);
    assert.equal(refreshes.length, 1);
  });

  test('that the server has ended is an event and a typed error, and nothing is sent again', async () => {
    const { session, events } = await sessionOf();
    const { refreshToken } = await session.fresh();
    const form = { client_id: 'overlay', token: refreshToken ?? '' };
    await server.post('/oidc/revoke', { form });
    clock.advance(HOUR);
    await assert.rejects(session.accessToken(), (error) => {
      assert.ok(error instanceof SessionEnded);
      assert.equal(error.reason, 'refused');
      assert.notEqual(error.requestId, undefined);
      return true;
    });
    const [event] = events;
    assert.ok(event?.kind === 'ended' && event.reason === 'refused' && event.requestId !== undefined);
    await assert.rejects(session.accessToken(), { kind: 'session-ended', reason: 'not-logged-in' });
    assert.equal(refreshes.length, 1);
  });

  test('reports its end once, and the end of the next login again', async () => {
    const { provider, session, events } = await sessionOf();
    const { refreshToken } = await session.fresh();
    await server.post('/oidc/revoke', { form: { client_id: 'overlay', token: refreshToken ?? '' } });
    clock.advance(HOUR);
    const calls = Array.from({ length: 3 }, () => session.accessToken());
    const outcomes = await Promise.allSettled(calls);
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    await assert.rejects(session.accessToken(), { kind: 'session-ended', reason: 'not-logged-in' });
    await session.logOut();
    const reasons = () => events.map((event) => (event.kind === 'ended' ? event.reason : event.kind));
    assert.deepEqual(reasons(), ['refused']);

    await session.begin(await loggedIn(provider));
    await session.accessToken();
    await session.logOut();
    assert.deepEqual(reasons(), ['refused', 'logged-out']);
  });

  test('tells nothing to a listener whose signal is aborted, before or after', async () => {
    const { session } = await sessionOf();
    const heard: string[] = [];
    const later = new AbortController();
    session.on(() => heard.push('before'), { signal: AbortSignal.abort() });
    session.on(() => heard.push('after'), { signal: later.signal });
    later.abort();
    await session.logOut();
    assert.deepEqual(heard, []);
  });

  test('without a refresh token ends with its access token', async () => {
    const provider = await providerWith();
    const tokens = await loggedIn(provider);
    const session = openSession({ provider, store: memoryTokenStore({ ...tokens, refreshToken: null }) });
    assert.equal(await session.accessToken(), tokens.accessToken);
    clock.advance(HOUR);
    await assert.rejects(session.accessToken(), { kind: 'session-ended', reason: 'expired' });
    assert.equal(refreshes.length, 0);
  });

  test('that is logged out is ended at the server, and forgotten', async () => {
    const { provider, session, events } = await sessionOf();
    const tokens = await session.fresh();
    await session.logOut();
    assert.equal(await session.tokens(), null);
    assert.deepEqual(events, [{ kind: 'ended', reason: 'logged-out', requestId: undefined }]);
    const restored = openSession({ provider, store: memoryTokenStore(tokens) });
    await assert.rejects(restored.renewedToken(tokens.accessToken), { reason: 'refused' });
  });
});

test('an untrustworthy answer to a renewal ends the session, because its token is used up', async () => {
  const send = transportTo(server);
  let isLying = false;
  const { session, events } = await sessionOf(async (request) => {
    const isRefresh = isLying && (await request.clone().text()).includes('grant_type=refresh_token');
    const response = await send(request);
    if (!isRefresh || !response.ok) return response;
    const tokens = (await response.json()) as object;
    return Response.json({ ...tokens, id_token: undefined });
  });
  clock.advance(HOUR);
  isLying = true;
  await assert.rejects(session.accessToken(), { kind: 'protocol', code: 'answer_invalid' });
  isLying = false;
  await assert.rejects(session.accessToken(), { kind: 'session-ended', reason: 'not-logged-in' });
  assert.equal(refreshes.length, 1);
  assert.deepEqual(events, [{ kind: 'ended', reason: 'answer-refused', requestId: undefined }]);
});

describe('when the network fails', () => {
  test('a renewal without an answer is sent again at once, with the same token', async () => {
    const send = transportTo(server);
    let lost = 0;
    const { session } = await sessionOf(async (request) => {
      const isRefresh = (await request.clone().text()).includes('grant_type=refresh_token');
      if (isRefresh && lost === 0) {
        lost += 1;
        throw new TypeError('the connection broke before anything was sent');
      }
      return send(request);
    });
    clock.advance(HOUR);
    await session.accessToken();
    assert.equal(refreshes.length, 2);
    assert.equal(refreshes[0], refreshes[1]);
  });

  test('and by one that cannot do its work right now, a log-out forgets nothing', async () => {
    const send = transportTo(server);
    for (const status of [429, 500, 503]) {
      let isBusy = false;
      const { session, events } = await sessionOf(async (request) => {
        if (!isBusy) return send(request);
        return Response.json({ error: 'temporarily_unavailable' }, { status });
      });
      isBusy = true;
      await assert.rejects(session.logOut(), { kind: 'refused', status });
      assert.deepEqual(events, []);
      isBusy = false;
      await session.logOut();
      assert.equal(await session.tokens(), null);
    }
  });

  test('a device goes on asking while the server cannot answer', async () => {
    const send = transportTo(server);
    const answers = [429, 503, 500];
    const provider = await providerWith(async (request) => {
      const status = request.url.endsWith('/oidc/token') ? answers.shift() : undefined;
      return status === undefined ? send(request) : Response.json({ error: 'unavailable' }, { status });
    });
    const pause = async () => clock.advance(MINUTE);
    const device = await startDeviceLogin(provider, { pause });
    await assert.rejects(device.wait(), { kind: 'refused', code: 'expired_token' });
    assert.deepEqual(answers, []);
    assert.ok(clock.now() >= device.expiresAt);
  });

  for (const when of ['as a pause begins', 'in the middle of a pause'] as const) {
    test(`a device that is to stop waiting ${when} does so at once`, async () => {
      const stop = new AbortController();
      const reason = new Error('enough');
      const pause = () => {
        if (when === 'as a pause begins') stop.abort(reason);
        else setImmediate(() => stop.abort(reason));
        return new Promise<void>(() => {});
      };
      const device = await startDeviceLogin(await providerWith(), { pause });
      await assert.rejects(device.wait({ signal: stop.signal }), reason);
    });
  }

  test('a device that is to stop waiting while it asks does so at once', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const send = transportTo(server);
    const provider = await providerWith((request) => {
      if (!request.url.endsWith('/oidc/token')) return send(request);
      stop.abort(reason);
      return new Promise<Response>(() => {});
    });
    const device = await startDeviceLogin(provider, { pause: async () => {} });
    await assert.rejects(device.wait({ signal: stop.signal }), reason);
  });

  test('the session stays, and continues later', async () => {
    const send = transportTo(server);
    let isDown = false;
    const { session, events } = await sessionOf(async (request) => {
      if (isDown) throw new TypeError('no network');
      return send(request);
    });
    clock.advance(HOUR);
    isDown = true;
    await assert.rejects(session.accessToken(), (error) => error instanceof Unreachable);
    await assert.rejects(session.logOut(), (error) => error instanceof Unreachable);
    isDown = false;
    await session.accessToken();
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['renewed'],
    );
  });

  test('a token that cannot be renewed is used until it expires', async () => {
    const send = transportTo(server);
    let isDown = false;
    const { session } = await sessionOf(async (request) => {
      if (isDown) throw new TypeError('no network');
      return send(request);
    });
    const token = await session.accessToken();
    isDown = true;
    clock.advance(29.5 * MINUTE);
    assert.equal(await session.accessToken(), token);
    assert.equal(refreshes.length, 2, 'it was tried, twice');
    await assert.rejects(session.renewedToken(token), (error) => error instanceof Unreachable);
    clock.advance(MINUTE);
    await assert.rejects(session.accessToken(), (error) => error instanceof Unreachable);
  });

  test('a busy server ends nothing', async () => {
    const send = transportTo(server);
    let isBusy = false;
    const { session } = await sessionOf(async (request) => {
      if (isBusy) return new Response('{}', { status: 503, headers: { 'retry-after': '7' } });
      return send(request);
    });
    clock.advance(HOUR);
    isBusy = true;
    await assert.rejects(session.accessToken(), { kind: 'refused', status: 503, retryAfterSeconds: 7 });
    isBusy = false;
    await session.accessToken();
  });
});
