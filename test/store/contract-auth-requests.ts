import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AuthPolicyId, asId, type BrowserSessionId } from '../../src/model/ids.ts';
import type { LoginProgress, PassedMethod } from '../../src/model/login.ts';
import type { Millis } from '../../src/platform/clock.ts';
import type { RedeemCode } from '../../src/store/contracts/auth-requests.ts';
import type { SharedDatabase } from './contract.ts';
import { newVoucher } from './contract-cas.ts';
import {
  createUser,
  DAY,
  isAlive,
  loginWithCode,
  MINUTE,
  newAuthRequest,
  newId,
  openSession,
  progressOf,
  redemption,
  rotation,
  SECOND,
  sessionLifetime,
  t0,
  uniqueName,
} from './fixtures.ts';

const wrongBindings: readonly (readonly [what: string, change: Partial<RedeemCode>])[] = [
  ['client', { clientId: 'another' }],
  ['redirect URI', { redirectUri: 'http://localhost:8400/auth/callback/' }],
  ['code challenge', { codeChallenge: 'another' }],
  ['issuer', { issuer: 'https://other.localhost:1280/oidc' }],
];

/** The password that must be replaced in a login. */
export function replacementTests({ store }: SharedDatabase): void {
  describe('a password that is replaced during a login', () => {
    test('is set once, for that login, and ends what the old one opened', async () => {
      const user = await createUser(store);
      await store.identities.update(user.id, { passwordMustChange: true }, t0);
      const [mine, other] = [newAuthRequest(), newAuthRequest()];
      for (const authRequest of [mine, other]) {
        const login = {
          authRequest,
          progress: progressOf(user),
          code: null,
          expiresAt: t0 + MINUTE,
          now: t0,
        };
        await store.authRequests.recordPrimaryLogin(login);
      }
      const change = {
        key: mine.key,
        generation: 1,
        authenticatorId: user.authenticatorId,
        passwordHash: '$argon2id$2',
        now: t0 + SECOND,
      };
      const stranger = await createUser(store);
      for (const wrong of [
        { generation: 2 },
        { now: t0 + MINUTE },
        { key: newAuthRequest().key },
        { authenticatorId: stranger.authenticatorId },
      ]) {
        assert.equal(await store.authRequests.replacePassword({ ...change, ...wrong }), false);
      }
      assert.equal(await store.authRequests.replacePassword(change), true);
      const account = await store.identities.findAccount(user.id);
      assert.equal(account?.password?.setAt, t0 + SECOND);
      assert.equal(account?.identity.passwordMustChange, false);
      const login = await store.authenticators.findPasswordLogin(user.password.usernameKey);
      assert.equal(login?.passwordHash, '$argon2id$2');
      assert.notEqual(await store.authRequests.findLogin(mine.key, t0), null);
      assert.equal(await store.authRequests.findLogin(other.key, t0), null);
    });

    test('is no longer set once the login has its code', async () => {
      const user = await createUser(store);
      const { authRequest } = await loginWithCode(store, user);
      const { key } = authRequest;
      const { authenticatorId } = user;
      const change = { key, generation: 1, authenticatorId, passwordHash: '$argon2id$2', now: t0 };
      assert.equal(await store.authRequests.replacePassword(change), false);
    });
  });
}

export function authRequestTests({ store }: SharedDatabase): void {
  describe('logins in progress', () => {
    test('a login exists from the first primary login on, and only until it expires', async () => {
      const user = await createUser(store);
      const authRequest = newAuthRequest();
      assert.equal(await store.authRequests.findLogin(authRequest.key, t0), null);
      const expiresAt = t0 + MINUTE;
      const progress = progressOf(user);
      const login = { authRequest, progress, code: null, expiresAt, now: t0 };
      assert.equal(await store.authRequests.recordPrimaryLogin(login), 'recorded');
      const record = await store.authRequests.findLogin(authRequest.key, expiresAt - 1);
      assert.deepEqual(record, { authRequest, generation: 1, progress, hasCode: false, expiresAt });
      assert.equal(await store.authRequests.findLogin(authRequest.key, expiresAt), null);
    });

    test('another primary login replaces what was proven before and raises the generation', async () => {
      const [first, second] = [await createUser(store), await createUser(store)];
      const authRequest = newAuthRequest();
      const common = { authRequest, code: null, expiresAt: t0 + MINUTE, now: t0 };
      await store.authRequests.recordPrimaryLogin({
        ...common,
        progress: progressOf(first, { passed: ['password', 'totp'] }),
      });
      await store.authRequests.recordPrimaryLogin({ ...common, progress: progressOf(second) });
      const record = await store.authRequests.findLogin(authRequest.key, t0);
      assert.deepEqual(record?.progress, progressOf(second));
      assert.equal(record?.generation, 2);
    });

    test('another primary login replaces the request too, with the browser that it is bound to', async () => {
      const [first, second] = [await createUser(store), await createUser(store)];
      const authRequest = newAuthRequest({ browserBinding: null, configTypes: ['of the first'] });
      const common = { code: null, expiresAt: t0 + MINUTE, now: t0 };
      await store.authRequests.recordPrimaryLogin({ ...common, authRequest, progress: progressOf(first) });
      const bound = { ...authRequest, browserBinding: 'browser 1', configTypes: ['of the second'] };
      const login = { ...common, authRequest: bound, progress: progressOf(second) };
      assert.equal(await store.authRequests.recordPrimaryLogin(login), 'recorded');
      const record = await store.authRequests.findLogin(authRequest.key, t0);
      assert.deepEqual(record?.authRequest, bound);
      assert.deepEqual(record?.progress, progressOf(second));
    });

    test('a login of another browser, or of none, does not replace one that is bound to a browser', async () => {
      const [first, second] = [await createUser(store), await createUser(store)];
      const authRequest = newAuthRequest({ browserBinding: 'browser 1' });
      const common = { code: null, expiresAt: t0 + MINUTE, now: t0 };
      const held = { ...common, authRequest, progress: progressOf(first) };
      await store.authRequests.recordPrimaryLogin(held);
      for (const browserBinding of ['browser 2', null]) {
        const elsewhere = { ...authRequest, browserBinding };
        const login = { ...common, authRequest: elsewhere, progress: progressOf(second) };
        assert.equal(await store.authRequests.recordPrimaryLogin(login), 'elsewhere');
        const record = await store.authRequests.findLogin(authRequest.key, t0);
        assert.deepEqual([record?.generation, record?.progress], [1, progressOf(first)]);
      }
      assert.equal(await store.authRequests.recordPrimaryLogin(held), 'recorded');
    });

    test('a request that already has a code is left as it is', async () => {
      const [first, second] = [await createUser(store), await createUser(store)];
      const login = await loginWithCode(store, first);
      const outcome = await store.authRequests.recordPrimaryLogin({
        authRequest: login.authRequest,
        progress: progressOf(second),
        code: { hash: uniqueName('code'), expiresAt: t0 + MINUTE, forgetFailures: [] },
        expiresAt: t0 + 10 * MINUTE,
        now: t0,
      });
      assert.equal(outcome, 'finished');
      const redeemed = await store.authRequests.redeemCode(redemption(login));
      assert.equal(redeemed.outcome === 'redeemed' && redeemed.identity.id, first.id);
    });

    test('a login by password is recorded only as long as the password is the one that was verified', async () => {
      const user = await createUser(store);
      const login = {
        authRequest: newAuthRequest(),
        progress: progressOf(user),
        code: null,
        expiresAt: t0 + MINUTE,
        now: t0,
        verifiedHash: user.password.passwordHash,
      };
      assert.equal(await store.authRequests.recordPrimaryLogin(login), 'recorded');
      await store.authenticators.updatePassword(
        user.authenticatorId,
        { passwordHash: '$argon2id$2' },
        { now: t0 },
      );
      const code = { hash: uniqueName('code'), expiresAt: t0 + MINUTE, forgetFailures: [] };
      for (const authRequest of [login.authRequest, newAuthRequest()]) {
        const late = { ...login, authRequest, code };
        assert.equal(await store.authRequests.recordPrimaryLogin(late), 'changed');
        assert.equal(await store.authRequests.findLogin(authRequest.key, t0), null);
      }
      const verifiedHash = '$argon2id$2';
      assert.equal(await store.authRequests.recordPrimaryLogin({ ...login, verifiedHash, code }), 'recorded');
      assert.equal(await store.authRequests.recordPrimaryLogin({ ...login, verifiedHash, code }), 'finished');
    });

    test('a login is recorded only as long as its authenticator, or what vouched for it, is there and as it was', async () => {
      const user = await createUser(store, { externalId: uniqueName('external') });
      const times = { code: null, expiresAt: t0 + MINUTE, now: t0 };
      const byCertificate = { ...times, progress: progressOf(user, { passed: ['cert'] }) };
      const progress = progressOf(user, { passed: ['ext-jwt'], authenticatorId: null });
      const byToken = { ...times, progress };
      const voucher = await newVoucher(store);
      const byClaim = { ...byToken, vouched: [{ voucher, externalId: user.identity.externalId }] };
      const byId = { ...byToken, vouched: [{ voucher, externalId: null }] };
      const recorded = (login: typeof byCertificate) =>
        store.authRequests.recordPrimaryLogin({ ...login, authRequest: newAuthRequest() });
      for (const login of [byCertificate, byToken, byClaim, byId])
        assert.equal(await recorded(login), 'recorded');
      for (const externalId of [uniqueName('external'), null]) {
        await store.identities.update(user.id, { externalId }, t0);
        assert.equal(await recorded(byClaim), 'changed');
      }
      assert.equal(await recorded(byId), 'recorded', 'it named the id');
      await store.cas.update(voucher.id, { isAuthEnabled: false }, t0 + 1);
      assert.equal(await recorded(byId), 'changed', 'the authority was changed');
      assert.equal(await recorded(byCertificate), 'recorded');
      await store.authenticators.delete(user.authenticatorId, t0);
      assert.equal(await recorded(byCertificate), 'changed');
    });

    test('a login of an identity that was disabled while it was verified is not recorded, nor its browser session', async () => {
      const user = await createUser(store);
      const id = newId<BrowserSessionId>();
      const browserSession = {
        ...{ id, tokenHash: id, application: 'overlay', ipAddress: '192.0.2.1', now: t0 },
        ...{ expiresAt: t0 + DAY, replaces: null, most: 5 },
      };
      const code = { hash: uniqueName('code'), expiresAt: t0 + MINUTE, forgetFailures: [], browserSession };
      const recorded = (now: Millis) =>
        store.authRequests.recordPrimaryLogin({
          ...{ authRequest: newAuthRequest(), progress: progressOf(user), code, expiresAt: t0 + MINUTE, now },
        });
      await store.identities.update(user.id, { disabledAt: t0, disabledUntil: t0 + 2 }, t0);
      assert.equal(await recorded(t0 + 1), 'changed');
      assert.equal(await store.browserSessions.find(id, t0), null);
      assert.equal(await recorded(t0 + 2), 'recorded');
    });

    test('the code that completes a login resets the failure counters, and nothing less does', async () => {
      const user = await createUser(store);
      const key = `totp:${user.id}`;
      const limit = { key, max: 1, lockFor: MINUTE, longestLock: MINUTE, forgetAfter: MINUTE };
      await store.attempts.count([limit], 1, t0);
      const login = {
        authRequest: newAuthRequest(),
        progress: progressOf(user),
        expiresAt: t0 + MINUTE,
        now: t0,
      };
      const finished = { hash: uniqueName('code'), expiresAt: t0 + MINUTE, forgetFailures: [key] };
      await store.authRequests.recordPrimaryLogin({ ...login, code: null });
      assert.notEqual(await store.attempts.lockedUntil(key, t0), null);
      const factor = { ...login, key: login.authRequest.key, known: login.progress, code: finished };
      assert.equal(await store.authRequests.recordFactor({ ...factor, generation: 7 }), 'superseded');
      assert.notEqual(await store.attempts.lockedUntil(key, t0), null);
      assert.equal(await store.authRequests.recordFactor({ ...factor, generation: 1 }), 'recorded');
      assert.equal(await store.attempts.lockedUntil(key, t0), null);

      await store.attempts.count([limit], 1, t0);
      assert.equal(await store.authRequests.recordPrimaryLogin({ ...login, code: finished }), 'finished');
      assert.notEqual(await store.attempts.lockedUntil(key, t0), null);
      await store.authRequests.recordPrimaryLogin({
        ...login,
        authRequest: newAuthRequest(),
        code: { ...finished, hash: uniqueName('code') },
      });
      assert.equal(await store.attempts.lockedUntil(key, t0), null);
    });

    test('a factor counts only for the generation against which it was verified', async () => {
      const user = await createUser(store);
      const authRequest = newAuthRequest();
      const common = { authRequest, code: null, expiresAt: t0 + MINUTE, now: t0 };
      await store.authRequests.recordPrimaryLogin({ ...common, progress: progressOf(user) });
      await store.authRequests.recordPrimaryLogin({ ...common, progress: progressOf(user) });
      const factor = {
        key: authRequest.key,
        known: progressOf(user),
        progress: progressOf(user, { passed: ['password', 'totp'] }),
        code: null,
        expiresAt: t0 + MINUTE,
        now: t0,
      };
      assert.equal(await store.authRequests.recordFactor({ ...factor, generation: 1 }), 'superseded');
      assert.equal(await store.authRequests.recordFactor({ ...factor, generation: 2 }), 'recorded');
      const record = await store.authRequests.findLogin(authRequest.key, t0);
      assert.deepEqual(record?.progress.passed, ['password', 'totp']);
    });

    test('of two factors that were verified at once, the second to be recorded does not undo the first', async () => {
      const user = await createUser(store);
      const authRequest = newAuthRequest();
      const known = progressOf(user);
      const common = { code: null, expiresAt: t0 + MINUTE, now: t0 };
      await store.authRequests.recordPrimaryLogin({ ...common, authRequest, progress: known });
      const record = (from: LoginProgress, ...passed: PassedMethod[]) =>
        store.authRequests.recordFactor({
          ...common,
          key: authRequest.key,
          generation: 1,
          known: from,
          progress: progressOf(user, { passed }),
        });
      const outcomes = await Promise.all([
        record(known, 'password', 'totp'),
        record(known, 'password', 'ejs:one'),
      ]);
      assert.deepEqual(outcomes.sort(), ['outdated', 'recorded']);
      const first = (await store.authRequests.findLogin(authRequest.key, t0))?.progress;
      assert.ok(first);
      assert.equal(await record(first, 'password', 'totp', 'ejs:one'), 'recorded');
    });

    test('a factor changes nothing once there is a code, or the login has expired', async () => {
      const user = await createUser(store);
      const { authRequest } = await loginWithCode(store, user);
      const factor = {
        key: authRequest.key,
        generation: 1,
        known: progressOf(user),
        progress: progressOf(user, { passed: ['password', 'totp'] }),
        code: null,
        expiresAt: t0 + MINUTE,
        now: t0,
      };
      assert.equal(await store.authRequests.recordFactor(factor), 'superseded');
      const open = newAuthRequest();
      const login = {
        authRequest: open,
        progress: progressOf(user),
        code: null,
        expiresAt: t0 + MINUTE,
        now: t0,
      };
      await store.authRequests.recordPrimaryLogin(login);
      const late = { ...factor, key: open.key, now: t0 + MINUTE };
      assert.equal(await store.authRequests.recordFactor(late), 'superseded');
    });

    test('a login is kept open longer, never shorter', async () => {
      const authRequest = newAuthRequest();
      const progress = progressOf(await createUser(store));
      const login = { authRequest, progress, code: null, expiresAt: t0 + 10 * MINUTE, now: t0 };
      await store.authRequests.recordPrimaryLogin(login);
      await store.authRequests.extend(authRequest.key, t0 + MINUTE);
      const end = async () => (await store.authRequests.findLogin(authRequest.key, t0))?.expiresAt;
      assert.equal(await end(), t0 + 10 * MINUTE);
      await store.authRequests.extend(authRequest.key, t0 + 20 * MINUTE);
      assert.equal(await end(), t0 + 20 * MINUTE);
    });
  });

  describe('redeeming a code', () => {
    test('opens the requested session and returns identity and nonce', async () => {
      const place = { ipAddress: '192.0.2.7', program: 'Firefox', operatingSystem: 'Linux' };
      const user = await createUser(store);
      const login = await loginWithCode(store, user, {
        request: { configTypes: ['router.v1'] },
        progress: { passed: ['cert', 'totp'], certThumbprint: 'thumb', place },
      });
      const redeem = redemption(login, { certThumbprint: 'thumb', keyThumbprint: 'key' });
      const outcome = await store.authRequests.redeemCode(redeem);
      assert.ok(outcome.outcome === 'redeemed');
      assert.equal(outcome.nonce, 'n1');
      assert.equal(outcome.certificateKey, null);
      assert.equal(outcome.openSessions, 1);
      assert.equal(outcome.identity.name, user.identity.name);
      assert.deepEqual(outcome.session, {
        id: redeem.session.id,
        mechanism: 'oidc',
        identityId: user.id,
        authenticatorId: user.authenticatorId,
        passed: ['cert', 'totp'],
        authTime: t0,
        certThumbprint: 'thumb',
        keyThumbprint: 'key',
        signerId: null,
        caId: null,
        clientId: 'overlay',
        openedByProgram: true,
        scopes: ['openid', 'offline_access'],
        issuer: 'https://localhost:1280/oidc',
        configTypes: ['router.v1'],
        resources: [],
        ipAddress: '192.0.2.1',
        loginIpAddress: '192.0.2.7',
        program: 'Firefox',
        operatingSystem: 'Linux',
        createdAt: t0 + SECOND,
        lastActivityAt: t0 + SECOND,
        expiresAt: t0 + sessionLifetime,
        endedAt: null,
        endReason: null,
      });
      assert.deepEqual(await store.apiSessions.find(redeem.session.id), outcome.session);
    });

    test('an unknown code is refused', async () => {
      const login = await loginWithCode(store, await createUser(store));
      const outcome = await store.authRequests.redeemCode(redemption(login, { codeHash: 'another' }));
      assert.deepEqual(outcome, { outcome: 'refused', reason: 'unknown', endedSession: null });
    });

    test('a code is refused at its expiry, and accepted a millisecond before', async () => {
      const user = await createUser(store);
      const late = await store.authRequests.redeemCode(
        redemption(await loginWithCode(store, user), { now: t0 + MINUTE }),
      );
      assert.deepEqual(late, { outcome: 'refused', reason: 'expired', endedSession: null });
      const inTime = await store.authRequests.redeemCode(
        redemption(await loginWithCode(store, user), { now: t0 + MINUTE - 1 }),
      );
      assert.equal(inTime.outcome, 'redeemed');
    });

    for (const [what, change] of wrongBindings) {
      test(`the wrong ${what} is refused and does not use the code up`, async () => {
        const login = await loginWithCode(store, await createUser(store));
        const refused = await store.authRequests.redeemCode(redemption(login, change));
        assert.deepEqual(refused, { outcome: 'refused', reason: 'wrong-binding', endedSession: null });
        assert.equal((await store.authRequests.redeemCode(redemption(login))).outcome, 'redeemed');
      });
    }

    test('the code of a login by certificate is redeemed with that certificate only', async () => {
      const user = await createUser(store);
      const byCertificate = { passed: ['cert'], certThumbprint: 'thumb' } as const;
      const login = await loginWithCode(store, user, { progress: byCertificate });
      for (const certThumbprint of [null, 'another']) {
        const refused = await store.authRequests.redeemCode(redemption(login, { certThumbprint }));
        assert.deepEqual(refused, { outcome: 'refused', reason: 'wrong-certificate', endedSession: null });
      }
      const redeem = redemption(login, { certThumbprint: 'thumb' });
      assert.equal((await store.authRequests.redeemCode(redeem)).outcome, 'redeemed');
      // Nor can the code without the certificate end the session.
      const again = await store.authRequests.redeemCode(redemption(login, { certThumbprint: null }));
      assert.deepEqual(again, { outcome: 'refused', reason: 'wrong-certificate', endedSession: null });
      assert.equal(await isAlive(store, redeem.session.id), true);

      const byPassword = await loginWithCode(store, user);
      const outcome = await store.authRequests.redeemCode(
        redemption(byPassword, { certThumbprint: 'thumb' }),
      );
      assert.equal(outcome.outcome, 'redeemed');
    });

    test('after the fifth redemption with wrong bindings the code no longer works', async () => {
      const login = await loginWithCode(store, await createUser(store));
      for (let attempt = 0; attempt < 5; attempt += 1) {
        await store.authRequests.redeemCode(redemption(login, { codeChallenge: `guess ${attempt}` }));
      }
      const outcome = await store.authRequests.redeemCode(redemption(login));
      assert.deepEqual(outcome, { outcome: 'refused', reason: 'too-many-attempts', endedSession: null });
    });

    test('four wrong bindings leave it usable', async () => {
      const login = await loginWithCode(store, await createUser(store));
      for (let attempt = 0; attempt < 4; attempt += 1) {
        await store.authRequests.redeemCode(redemption(login, { clientId: 'another' }));
      }
      assert.equal((await store.authRequests.redeemCode(redemption(login))).outcome, 'redeemed');
    });

    test('a second use ends the session that the first one opened, even after the code has expired', async () => {
      const user = await createUser(store);
      for (const now of [t0 + 2 * SECOND, t0 + 5 * MINUTE]) {
        const login = await loginWithCode(store, user);
        const first = redemption(login);
        await store.authRequests.redeemCode(first);
        const second = await store.authRequests.redeemCode(redemption(login, { now }));
        assert.deepEqual(second, {
          outcome: 'refused',
          reason: 'already-used',
          endedSession: first.session.id,
        });
        const session = await store.apiSessions.find(first.session.id);
        assert.equal(session?.endReason, 'code-reuse');
        const third = await store.authRequests.redeemCode(redemption(login, { now }));
        assert.deepEqual(third, { outcome: 'refused', reason: 'already-used', endedSession: null });
      }
    });

    test('a second use with wrong bindings ends nothing', async () => {
      const login = await loginWithCode(store, await createUser(store));
      const first = redemption(login);
      await store.authRequests.redeemCode(first);
      for (const [, change] of wrongBindings) {
        const outcome = await store.authRequests.redeemCode(redemption(login, change));
        assert.equal(outcome.outcome === 'refused' && outcome.reason, 'wrong-binding');
      }
      assert.equal(await isAlive(store, first.session.id), true);
    });

    test('a second use is noticed however many wrong bindings came in between', async () => {
      const login = await loginWithCode(store, await createUser(store));
      const first = redemption(login);
      await store.authRequests.redeemCode(first);
      for (let attempt = 0; attempt < 6; attempt += 1) {
        await store.authRequests.redeemCode(redemption(login, { clientId: 'another' }));
      }
      const second = await store.authRequests.redeemCode(redemption(login));
      assert.equal(second.outcome === 'refused' && second.endedSession, first.session.id);
    });

    test('without offline_access no refresh token is opened', async () => {
      const user = await createUser(store);
      const id = await openSession(store, user, { request: { scopes: ['openid'] } });
      const outcome = await store.apiSessions.rotateRefreshToken(rotation(id, 1));
      assert.deepEqual(outcome, { outcome: 'refused', reason: 'unknown' });
    });

    test('an identity that is disabled by a clock that was set back since refuses', async () => {
      const user = await createUser(store);
      await store.identities.update(user.id, { disabledAt: t0 - DAY, disabledUntil: t0 }, t0 - DAY);
      const redeem = redemption(await loginWithCode(store, user), { now: t0 - 1 });
      const refused = { outcome: 'refused', reason: 'identity-unavailable', endedSession: null };
      assert.deepEqual(await store.authRequests.redeemCode(redeem), refused);
    });

    test('the code of an identity that was disabled or deleted since is gone', async () => {
      const [disabled, deleted] = [await createUser(store), await createUser(store)];
      const logins = [await loginWithCode(store, disabled), await loginWithCode(store, deleted)];
      await store.identities.update(disabled.id, { disabledAt: t0 }, t0);
      await store.identities.delete(deleted.id, t0);
      for (const login of logins) {
        const outcome = await store.authRequests.redeemCode(redemption(login));
        assert.deepEqual(outcome, { outcome: 'refused', reason: 'unknown', endedSession: null });
      }
      // By a token that named the id: with its authenticator gone, no other login would be recorded either.
      for (const user of [disabled, deleted])
        await assert.rejects(loginWithCode(store, user, { progress: { authenticatorId: null } }), /changed/);
    });

    test('an identity whose time of being disabled is over gets its session, and the rules of its policy', async () => {
      const user = await createUser(store);
      const { id, identity } = user;
      await store.identities.update(id, { disabledAt: t0 - 1, disabledUntil: t0 }, t0 - 1);
      const outcome = await store.authRequests.redeemCode(redemption(await loginWithCode(store, user)));
      assert.ok(outcome.outcome === 'redeemed');
      assert.deepEqual(outcome.identity, { id, name: identity.name, isAdmin: identity.isAdmin });
      const policy = await store.authPolicies.find(asId<AuthPolicyId>('default'));
      assert.deepEqual(outcome.policy, {
        primary: policy?.primary,
        secondary: policy?.secondary,
        requireDpop: policy?.requireDpop,
      });
    });
  });
}
