import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asId } from '../../src/model/ids.ts';
import { HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { loggedIn } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { assertNoSession, openSession, sessionOf } from './support.ts';

async function withServer(
  run: (server: TestServer, clock: ReturnType<typeof fixedClock>) => Promise<void>,
  timeout = '30m',
): Promise<void> {
  const clock = fixedClock('2026-01-01T00:00:00Z');
  const configure = (yaml: string) => yaml.replace(/sessionTimeout: \w+/, `sessionTimeout: ${timeout}`);
  // Half an hour passes in no time; normally a thread writes every ten seconds which sessions were used.
  await using server = await startTestServer({ clock, configure, threads: 1 });
  await server.createUser({ name: 'alice', password });
  await run(server, clock);
}

describe('a legacy session', () => {
  test('ends when the timeout has passed without a call, to the millisecond', () =>
    withServer(async (server, clock) => {
      const [early, late] = [await openSession(server, 'alice'), await openSession(server, 'alice')];
      clock.advance(30 * MINUTE - 1);
      assert.equal((await early.get('current-identity')).status, 200);
      clock.advance(1);
      assertNoSession(await late.get('current-identity'));
      assertNoSession(await late.get('current-api-session'));
    }));

  test('has the timeout of the configuration', () =>
    withServer(async (server, clock) => {
      const session = await openSession(server, 'alice');
      assert.equal(session.opened.json.data.expirationSeconds, 300);
      clock.advance(5 * MINUTE - 1);
      assert.equal((await session.get('current-identity')).headers['expiration-seconds'], '300');
      clock.advance(5 * MINUTE);
      assertNoSession(await session.get('current-identity'));
    }, '5m'));

  test('is extended by each call, and every call says until when', () =>
    withServer(async (server, clock) => {
      const session = await openSession(server, 'alice');
      for (let call = 0; call < 6; call += 1) {
        clock.advance(29 * MINUTE);
        const answer = await session.get('current-api-session');
        assert.equal(answer.status, 200, `call ${call}`);
        const until = new Date(clock.now() + 30 * MINUTE).toISOString();
        assert.equal(answer.headers['expires-at'], until);
        assert.equal(answer.headers['expiration-seconds'], '1800');
        assert.equal(answer.json.data.expiresAt, until);
        assert.equal(answer.json.data.lastActivityAt, new Date(clock.now()).toISOString());
      }
      // The store knows it too, before it could take the session for expired.
      assert.equal((await session.call('DELETE', 'current-api-session')).status, 200);
    }));

  test('is not written for each call', () =>
    withServer(async (server, clock) => {
      const session = await openSession(server, 'alice');
      const opened = clock.now();
      const id = asId<never>(session.id);
      for (let call = 0; call < 5; call += 1) {
        clock.advance(SECOND);
        await session.get('current-identity');
      }
      assert.equal((await server.store.apiSessions.find(id))?.lastActivityAt, opened);
      await server.controller.services.view.legacy.flush();
      const stored = await server.store.apiSessions.find(id);
      assert.equal(stored?.lastActivityAt, clock.now());
      assert.equal(stored?.expiresAt, clock.now() + 30 * MINUTE);
    }));

  test('survives a restart, with its last use, and an ended one stays ended', () =>
    withServer(async (server, clock) => {
      const [kept, ended] = [await openSession(server, 'alice'), await openSession(server, 'alice')];
      await ended.call('DELETE', 'current-api-session');
      clock.advance(20 * MINUTE);
      await kept.get('current-identity');
      await server.stop();
      clock.advance(25 * MINUTE);
      const again = await startTestServer({ clock, home: server.home });
      try {
        assert.equal((await sessionOf(again, kept.opened).get('current-identity')).status, 200);
        assertNoSession(await sessionOf(again, ended.opened).get('current-identity'));
        clock.advance(30 * MINUTE);
        assertNoSession(await sessionOf(again, kept.opened).get('current-identity'));
      } finally {
        await again.stop();
      }
    }));

  test('never shows more than the timeout or less than zero, even when the clock is set', () =>
    withServer(async (server, clock) => {
      const session = await openSession(server, 'alice');
      await session.get('current-identity');
      clock.set(clock.now() - 6 * HOUR);
      const back = await session.get('current-identity');
      assert.equal(back.status, 200);
      assert.equal(back.headers['expiration-seconds'], '1800');
      clock.set(clock.now() + 12 * HOUR);
      assertNoSession(await session.get('current-identity'));
    }));

  test('that was used shortly before its end can still be ended by an administrator', () =>
    withServer(async (server, clock) => {
      await server.createUser({ name: 'root', password, isAdmin: true });
      const session = await openSession(server, 'alice');
      clock.advance(29 * MINUTE + 50 * SECOND);
      await session.get('current-identity');
      clock.advance(MINUTE);
      const admin = await loggedIn(server, 'root');
      assert.equal((await admin.call('DELETE', `api-sessions/${session.id}`)).status, 200);
      assertNoSession(await session.get('current-identity'));
    }));
});

describe('two nodes', () => {
  test('share what a session is, its use after a short while and its end at once', () =>
    withServer(async (server, clock) => {
      const session = await openSession(server, 'alice');
      const { view } = server.controller.services;
      clock.advance(20 * MINUTE);
      // As another node writes that it was used there.
      const now = clock.now();
      const id = asId<never>(session.id);
      await server.store.apiSessions.recordActivity([
        { id, lastActivityAt: now, expiresAt: now + 30 * MINUTE },
      ]);
      clock.advance(20 * MINUTE);
      assert.equal((await session.get('current-identity')).status, 200, 'by this node alone it was over');
      await server.store.apiSessions.end(id, 'administrator', clock.now());
      await view.feed.catchUp();
      assertNoSession(await session.get('current-identity'));
    }));
});
