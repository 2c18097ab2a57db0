import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { queueOf } from '../../src/model/delivery.ts';
import type { NewBrowserSession } from '../../src/store/contracts/auth-requests.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import { newClient } from './contract-oidc-clients.ts';
import {
  createUser,
  HOUR,
  MINUTE,
  newAuthRequest,
  newId,
  progressOf,
  query,
  redemption,
  SECOND,
  t0,
  type User,
  uniqueName,
} from './fixtures.ts';

function newBrowserSession(changes: Partial<NewBrowserSession> = {}): NewBrowserSession {
  return {
    id: newId(),
    tokenHash: uniqueName('cookie'),
    application: 'wiki',
    ipAddress: '192.0.2.7',
    now: t0,
    expiresAt: t0 + HOUR,
    replaces: null,
    most: 100,
    ...changes,
  };
}

/** A browser login that ends with a code and a browser session. */
async function signedIn(
  store: Store,
  user: User,
  { clientId, ...changes }: Partial<NewBrowserSession> & { readonly clientId?: string } = {},
) {
  const browserSession = newBrowserSession(changes);
  const authRequest = newAuthRequest({ browserBinding: 'browser', ...(clientId && { clientId }) });
  const code = { hash: uniqueName('code'), expiresAt: t0 + MINUTE, forgetFailures: [], browserSession };
  const login = { authRequest, progress: progressOf(user), code, expiresAt: t0 + 10 * MINUTE, now: t0 };
  assert.equal(await store.authRequests.recordPrimaryLogin(login), 'recorded');
  return { ...browserSession, authRequest, codeHash: code.hash };
}

type SignedIn = Awaited<ReturnType<typeof signedIn>>;

function isThere(store: Store, { id, tokenHash }: SignedIn, now = t0): Promise<boolean> {
  return store.browserSessions.findByToken(id, tokenHash, now).then((found) => found !== null);
}

function use(user: User, { id, tokenHash }: SignedIn) {
  const code = { hash: uniqueName('code'), expiresAt: t0 + MINUTE, forgetFailures: [] };
  const authRequest = newAuthRequest({ browserBinding: 'browser' });
  const progress = progressOf(user);
  const times = { now: t0 + SECOND, expiresAt: t0 + 2 * HOUR };
  return { id, tokenHash, application: 'shop', authRequest, progress, code, ...times };
}

export function browserSessionTests({ store }: SharedDatabase): void {
  describe('browser sessions', () => {
    test('open with the code of a login, and are found by cookie until they expire', async () => {
      const user = await createUser(store);
      const session = await signedIn(store, user);
      const found = await store.browserSessions.findByToken(session.id, session.tokenHash, t0);
      assert.deepEqual(found, {
        id: session.id,
        issuer: session.authRequest.issuer,
        progress: { ...progressOf(user), browserSessionId: session.id },
        applications: ['wiki'],
        ipAddress: '192.0.2.7',
        createdAt: t0,
        lastUsedAt: t0,
        expiresAt: t0 + HOUR,
      });
      assert.equal(await store.browserSessions.findByToken(session.id, 'another cookie', t0), null);
      assert.equal(await isThere(store, session, t0 + HOUR), false);
    });

    test('also open with the last factor of a login', async () => {
      const user = await createUser(store);
      const authRequest = newAuthRequest();
      const known = progressOf(user);
      const times = { expiresAt: t0 + MINUTE, now: t0 };
      await store.authRequests.recordPrimaryLogin({ authRequest, progress: known, code: null, ...times });
      const browserSession = newBrowserSession();
      const code = { hash: uniqueName('code'), expiresAt: t0 + MINUTE, forgetFailures: [], browserSession };
      const progress = { ...known, passed: [...known.passed, 'totp' as const] };
      const factor = { key: authRequest.key, generation: 1, known, progress, code, ...times };
      assert.equal(await store.authRequests.recordFactor(factor), 'recorded');
      const found = await store.browserSessions.findByToken(browserSession.id, browserSession.tokenHash, t0);
      assert.deepEqual(found?.progress.passed, progress.passed);
    });

    test('replace the previous one, and beyond the limit the oldest are deleted', async () => {
      const user = await createUser(store);
      const first = await signedIn(store, user);
      const second = await signedIn(store, user, { replaces: first.id, now: t0 + 1 });
      assert.deepEqual([await isThere(store, first), await isThere(store, second)], [false, true]);
      const third = await signedIn(store, user, { most: 2, now: t0 + 2 });
      const fourth = await signedIn(store, user, { most: 2, now: t0 + 3 });
      const left = await Promise.all([second, third, fourth].map((session) => isThere(store, session)));
      assert.deepEqual(left, [false, true, true]);
    });

    test('end beyond the limit as at a logout: applications are told, and no code is left', async () => {
      const client = newClient({ backchannelLogoutUri: 'https://app.example/logout' });
      await store.oidcClients.create(client, t0);
      const user = await createUser(store);
      const [first, second] = [
        await signedIn(store, user, { clientId: client.id }),
        await signedIn(store, user, { clientId: client.id, now: t0 + 1 }),
      ];
      const redeem = redemption(first);
      await store.authRequests.redeemCode(redeem);
      const next = use(user, second);
      await store.browserSessions.continueWith(next);
      await signedIn(store, user, { most: 1, now: t0 + 2 });
      const told = await store.deliveries.next(
        queueOf('logout', client.id),
        { order: 'oldest', most: 10 },
        t0 + SECOND,
      );
      assert.deepEqual(
        told.map(({ id }) => id),
        [redeem.session.id],
      );
      await store.oidcClients.delete(client.id, t0);
      for (const login of [second, { authRequest: next.authRequest, codeHash: next.code.hash }])
        assert.equal((await store.authRequests.redeemCode(redemption(login))).outcome, 'refused');
    });

    test('take over the API sessions and codes of the one that the same person replaces', async () => {
      for (const isRedeemedBefore of [true, false]) {
        const user = await createUser(store);
        const first = await signedIn(store, user);
        const login = redemption(first);
        if (isRedeemedBefore) await store.authRequests.redeemCode(login);
        const second = await signedIn(store, user, { replaces: first.id, now: t0 + 1 });
        if (!isRedeemedBefore) assert.equal((await store.authRequests.redeemCode(login)).outcome, 'redeemed');
        assert.equal(await store.apiSessions.end(login.session.id, 'logout', t0 + 2), true);
        assert.equal(await isThere(store, second, t0 + 2), false);
      }
    });

    test('take over nothing of another person', async () => {
      const [user, other] = [await createUser(store), await createUser(store)];
      const [first, unused] = [await signedIn(store, other), await signedIn(store, other)];
      const login = redemption(first);
      await store.authRequests.redeemCode(login);
      const second = await signedIn(store, user, { replaces: first.id, now: t0 + 1 });
      const third = await signedIn(store, user, { replaces: unused.id, now: t0 + 1 });
      assert.equal(await store.apiSessions.end(login.session.id, 'logout', t0 + 2), true);
      assert.deepEqual([await isThere(store, second), await isThere(store, third)], [true, true]);
      assert.equal((await store.authRequests.redeemCode(redemption(unused))).outcome, 'refused');
    });

    test('that have ended leave no code behind', async () => {
      const user = await createUser(store);
      const [session, other] = [await signedIn(store, user), await signedIn(store, user)];
      const next = use(user, session);
      await store.browserSessions.continueWith(next);
      await store.browserSessions.end(session.id, t0);
      for (const login of [session, { authRequest: next.authRequest, codeHash: next.code.hash }])
        assert.equal((await store.authRequests.redeemCode(redemption(login))).outcome, 'refused');
      assert.equal((await store.authRequests.redeemCode(redemption(other))).outcome, 'redeemed');
    });

    test('give another authorization its code, once, and last longer by it', async () => {
      const user = await createUser(store);
      const session = await signedIn(store, user);
      const next = use(user, session);
      assert.equal(await store.browserSessions.continueWith(next), 'recorded');
      assert.equal(
        await store.browserSessions.continueWith({ ...next, code: { ...next.code, hash: 'x' } }),
        'finished',
      );
      const found = await store.browserSessions.findByToken(session.id, session.tokenHash, t0 + HOUR);
      assert.deepEqual(found?.applications, ['wiki', 'shop']);
      assert.deepEqual([found?.lastUsedAt, found?.expiresAt], [t0 + SECOND, t0 + 2 * HOUR]);
      const login = { authRequest: next.authRequest, codeHash: next.code.hash };
      const redeemed = await store.authRequests.redeemCode(redemption(login));
      assert.equal(redeemed.outcome, 'redeemed');
    });

    test('that have ended give no code', async () => {
      const user = await createUser(store);
      const session = await signedIn(store, user);
      const next = use(user, session);
      assert.equal(await store.browserSessions.continueWith({ ...next, tokenHash: 'another' }), 'gone');
      assert.equal(await store.browserSessions.continueWith({ ...next, now: t0 + HOUR }), 'gone');
      assert.equal(await store.browserSessions.end(session.id, t0), true);
      assert.equal(await store.browserSessions.end(session.id, t0), false);
      assert.equal(await store.browserSessions.continueWith(next), 'gone');
      assert.equal(await store.authRequests.findLogin(next.authRequest.key, t0), null);
    });

    test('end with what ends the sessions of their identity', async () => {
      const ends: readonly (readonly [string, (user: User, session: SignedIn) => Promise<unknown>])[] = [
        ['all sessions', (user) => store.apiSessions.endAllOf(user.id, 'administrator', t0 + 1)],
        ['disabling', (user) => store.identities.update(user.id, { disabledAt: t0 + 1 }, t0 + 1)],
        ['deletion', (user) => store.identities.delete(user.id, t0 + 1)],
        ['the authenticator', (user) => store.authenticators.delete(user.authenticatorId, t0 + 1)],
      ];
      for (const [what, end] of ends) {
        const user = await createUser(store);
        const session = await signedIn(store, user);
        await end(user, session);
        assert.equal(await isThere(store, session, t0 + 2), false, what);
      }
    });

    test('end with the API session they opened when that is logged out, not when it is one too many', async () => {
      for (const [reason, isLeft] of [
        ['logout', false],
        ['administrator', false],
        ['revoked', false],
        ['too-many', true],
        ['refresh-reuse', true],
      ] as const) {
        const user = await createUser(store);
        const session = await signedIn(store, user);
        const redeem = redemption(session);
        await store.authRequests.redeemCode(redeem);
        assert.equal(await store.apiSessions.end(redeem.session.id, reason, t0 + 1), true);
        assert.equal(await isThere(store, session), isLeft, reason);
      }
    });

    test('end with all others, also the one behind the API session that is kept', async () => {
      const user = await createUser(store);
      const [own, other] = [await signedIn(store, user), await signedIn(store, user)];
      const redeem = redemption(own);
      await store.authRequests.redeemCode(redeem);
      await store.apiSessions.endOthers({ id: redeem.session.id, identityId: user.id }, 'logout', t0 + 1);
      assert.deepEqual([await isThere(store, own), await isThere(store, other)], [false, false]);
    });

    test('are listed and found with the name of their identity', async () => {
      const user = await createUser(store);
      const session = await signedIn(store, user);
      const filter = { op: '=', field: 'identityId', value: user.id } as const;
      const page = await store.browserSessions.list(query({ filter }), t0);
      assert.deepEqual(
        page.items.map(({ id, identityName }) => [id, identityName]),
        [[session.id, user.identity.name]],
      );
      assert.equal((await store.browserSessions.find(session.id, t0))?.identityName, user.identity.name);
      assert.equal(await store.browserSessions.find(session.id, t0 + HOUR), null);
    });
  });
}
