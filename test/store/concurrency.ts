// Many callers at once, through one engine and through several on the same database: exactly one wins.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { queueOf } from '../../src/model/delivery.ts';
import type { ApiSessionId, IdentityId } from '../../src/model/ids.ts';
import { mailServer } from '../../src/model/mail.ts';
import { typedName } from '../../src/model/names.ts';
import type { SigningKey } from '../../src/model/signing-key.ts';
import { NoAdministratorLeft, type Store } from '../../src/store/contracts/store.ts';
import { type OpenDatabase, sharedDatabase } from './contract.ts';
import { certificateOf, newEnrollment } from './contract-enrollments.ts';
import { newInvitation, useOf } from './contract-invitations.ts';
import { newSetupLink } from './contract-keys.ts';
import { attemptLimit, pendingTotp } from './contract-limits.ts';
import { newNode } from './contract-nodes.ts';
import {
  createUser,
  DAY,
  HOUR,
  isAlive,
  loginWithCode,
  MINUTE,
  newId,
  newIdentity,
  newPassword,
  openSession,
  query,
  redemption,
  rotation,
  t0,
  uniqueName,
} from './fixtures.ts';

const callers = 64;

export function concurrencySuite(name: string, open: OpenDatabase): void {
  for (const engines of [1, 3]) {
    describe(`${callers} callers at once on ${name}, through ${engines} engine(s)`, () => {
      const { store, openAnother } = sharedDatabase(open);
      let others: Promise<readonly Store[]> | undefined;
      after(async () => {
        for (const store of (await others) ?? []) await store.close();
      });

      /** How many calls at once, spread over the engines. */
      async function race<T>(call: (store: Store, at: number) => Promise<T>): Promise<readonly T[]> {
        others ??= Promise.all(Array.from({ length: engines - 1 }, () => openAnother()));
        const stores = [store, ...(await others)];
        return Promise.all(
          Array.from({ length: callers }, (_value, at) => call(stores[at % stores.length] ?? store, at)),
        );
      }
      const count = <T>(outcomes: readonly T[], wanted: T) =>
        outcomes.filter((outcome) => outcome === wanted).length;

      test('redeem an enrollment: one gives the identity its certificate', async () => {
        const user = await createUser(store);
        const enrollment = newEnrollment(user.id);
        await store.enrollments.create(enrollment, t0);
        const outcomes = await race((engine) =>
          engine.enrollments.redeem({
            tokenHash: enrollment.tokenHash,
            method: 'ott',
            authenticator: { method: 'cert', ...certificateOf(user.id) },
            now: t0,
          }),
        );
        assert.equal(count(outcomes, 'enrolled'), 1);
        assert.equal(count(outcomes, 'unknown'), callers - 1);
      });

      test('use an invitation: one sets the password', async () => {
        const user = await createUser(store);
        const invitation = newInvitation(user.id);
        await store.invitations.create(invitation, t0);
        const outcomes = await race((engine) => engine.invitations.redeem(useOf(invitation)));
        assert.equal(count(outcomes, 'set'), 1);
        assert.equal(count(outcomes, 'unknown'), callers - 1);
      });

      test('redeem a code: one opens its session, which the others end', async () => {
        const login = await loginWithCode(store, await createUser(store));
        const redeems = Array.from({ length: callers }, () => redemption(login));
        const outcomes = await race((engine, at) =>
          engine.authRequests.redeemCode(redeems[at] ?? redemption(login)),
        );
        assert.equal(
          count(
            outcomes.map(({ outcome }) => outcome),
            'redeemed',
          ),
          1,
        );
        const ended = outcomes.filter(
          (outcome) => outcome.outcome === 'refused' && outcome.endedSession !== null,
        );
        assert.equal(ended.length, 1);
        const sessions = await Promise.all(redeems.map(({ session }) => store.apiSessions.find(session.id)));
        const opened = sessions.filter((session) => session !== null);
        assert.deepEqual(
          opened.map(({ endReason }) => endReason),
          ['code-reuse'],
        );
      });

      test('rotate a refresh token within the duplicate window: one rotates, the session lives', async () => {
        const id = await openSession(store, await createUser(store));
        for (let generation = 1; generation <= 5; generation += 1) {
          const outcomes = await race((engine) =>
            engine.apiSessions.rotateRefreshToken(rotation(id, generation)),
          );
          assert.equal(
            count(
              outcomes.map(({ outcome }) => outcome),
              'rotated',
            ),
            1,
          );
          const refusals = outcomes.map((outcome) => outcome.outcome === 'refused' && outcome.reason);
          assert.equal(count(refusals, 'duplicate'), callers - 1);
        }
        assert.equal(await isAlive(store, id), true);
      });

      test('rotate a refresh token from several places: one rotates, the family ends', async () => {
        const id = await openSession(store, await createUser(store));
        const outcomes = await race((engine, at) =>
          engine.apiSessions.rotateRefreshToken(rotation(id, 1, { ipAddress: `192.0.2.${at}` })),
        );
        assert.equal(
          count(
            outcomes.map(({ outcome }) => outcome),
            'rotated',
          ),
          1,
        );
        assert.equal(
          count(
            outcomes.map(({ outcome }) => outcome),
            'reused',
          ),
          1,
        );
        const next = await store.apiSessions.rotateRefreshToken(rotation(id, 2));
        assert.deepEqual(next, { outcome: 'refused', reason: 'ended' });
      });

      test('rotate and end: nothing is alive afterwards', async () => {
        const user = await createUser(store);
        const id = await openSession(store, user);
        await race(async (engine, at) => {
          if (at === callers / 2) return engine.apiSessions.endAllOf(user.id, 'administrator', t0 + MINUTE);
          return engine.apiSessions.rotateRefreshToken(rotation(id, at + 1, { now: t0 + MINUTE }));
        });
        assert.equal(await isAlive(store, id), false);
      });

      test('use a set-up link: one administrator is created', async () => {
        const link = newSetupLink();
        await store.setupLinks.create(link);
        const admins = Array.from({ length: callers }, () => newIdentity({ isAdmin: true }));
        const outcomes = await race((engine, at) =>
          engine.setupLinks.redeem({
            tokenHash: link.tokenHash,
            admin: admins[at] ?? newIdentity(),
            password: newPassword(),
            now: t0,
          }),
        );
        assert.equal(count(outcomes, 'created'), 1);
        assert.equal(count(outcomes, 'used'), callers - 1);
        const found = await Promise.all(admins.map(({ id }) => store.identities.find(id)));
        assert.equal(found.filter((identity) => identity !== null).length, 1);
      });

      test('rotate the signing key: one key is added', async () => {
        const key = (): SigningKey => ({
          kid: uniqueName('kid'),
          alg: 'ES256',
          publicJwk: '{}',
          sealedPrivateKey: 'sealed',
          createdAt: t0,
          activeFrom: t0,
          retiredAt: null,
          removedAt: null,
        });
        const outcomes = await race((engine) =>
          engine.keys.rotateSigningKey({
            next: key(),
            newestSeen: null,
            retireOldAt: t0,
            removeOldAt: t0 + HOUR,
          }),
        );
        assert.equal(count(outcomes, true), 1);
        assert.equal((await store.keys.listSigningKeys(t0)).length, 1);
      });

      test('rotate it again and again, each when it thinks it is time: one chain, one live key', async () => {
        const key = (at: number): SigningKey => ({
          kid: uniqueName('kid'),
          alg: 'RS256',
          publicJwk: '{}',
          sealedPrivateKey: 'sealed',
          createdAt: t0 + at,
          activeFrom: t0 + at,
          retiredAt: null,
          removedAt: null,
        });
        const rounds = 5;
        for (let round = 0; round < rounds; round += 1) {
          const outcomes = await race(async (engine) => {
            const newest = (await engine.keys.listSigningKeys(t0)).findLast(({ alg }) => alg === 'RS256');
            // A late caller sees this round's key, and that it is not time yet.
            if (newest !== undefined && newest.activeFrom >= t0 + round * MINUTE) return false;
            return engine.keys.rotateSigningKey({
              next: key(round * MINUTE),
              newestSeen: newest?.kid ?? null,
              retireOldAt: t0 + round * MINUTE,
              removeOldAt: t0 + DAY,
            });
          });
          assert.equal(count(outcomes, true), 1, `round ${round}`);
        }
        const keys = (await store.keys.listSigningKeys(t0)).filter(({ alg }) => alg === 'RS256');
        assert.equal(keys.length, rounds);
        assert.deepEqual(
          keys.map(({ retiredAt }) => retiredAt),
          [1, 2, 3, 4].map((round) => t0 + round * MINUTE).concat([null as never]),
        );
      });

      test('delete what has expired: each row once, and nothing else', async () => {
        const user = await createUser(store);
        const expired = t0 + DAY;
        const gone: ApiSessionId[] = [];
        for (let at = 0; at < 30; at += 1) {
          gone.push(await openSession(store, user, { session: { expiresAt: expired } }));
        }
        const stays = await openSession(store, user, { session: { expiresAt: expired + 10 * DAY } });
        const before = await store.expiry.deleteExpired(t0, 100_000);
        assert.equal(before, 0, 'nothing has expired yet');
        // Each takes small batches until nothing is left; meanwhile others rotate and end what lives.
        const deleted = await race(async (engine, at) => {
          if (at === 0) {
            await engine.apiSessions.rotateRefreshToken(rotation(stays, 1));
            return 0;
          }
          let total = 0;
          for (let last = 7; last === 7; total += last) last = await engine.expiry.deleteExpired(expired, 7);
          return total;
        });
        assert.ok(deleted.reduce((sum, rows) => sum + rows, 0) >= gone.length);
        for (const id of gone) assert.equal(await store.apiSessions.find(id), null);
        assert.equal(await isAlive(store, stays), true);
        assert.equal(await store.expiry.deleteExpired(expired, 100), 0);
      });

      test('announce nodes: one row for each name', async () => {
        const names = Array.from({ length: 4 }, () => uniqueName('node'));
        await race((engine, at) => engine.nodes.announce(newNode(names[at % names.length]), t0, 0));
        const found = (await store.nodes.listAll()).filter(({ name }) => names.some((one) => one === name));
        assert.deepEqual(found.map(({ name }) => name).sort(), [...names].sort());
      });

      test('make a server secret: all get the same', async () => {
        const name = uniqueName('secret');
        const secrets = await race((engine, at) => engine.keys.serverSecret(name, () => `made ${at}`));
        assert.equal(new Set(secrets).size, 1);
      });

      test('take a name: one gets it', async () => {
        const name = uniqueName('wanted');
        const outcomes = await race((engine) =>
          engine.identities.create(newIdentity({ name }), null, t0).then(
            () => 'created',
            (error: Error) => error.name,
          ),
        );
        assert.equal(count(outcomes, 'created'), 1);
        assert.equal(count(outcomes, 'AlreadyTaken'), callers - 1);
      });

      test('take a name in any spelling, as name or user name: one identity gets it', async () => {
        const name = uniqueName('spelt');
        const spellings = [name, name.toUpperCase(), `${name.slice(0, 1)}${name.slice(1).toUpperCase()}`];
        const outcomes = await race((engine, at) => {
          const spelt = spellings[at % 3] ?? name;
          const identity = newIdentity(at % 2 === 0 ? { name: typedName(spelt) } : {});
          const password = at % 2 === 0 ? null : newPassword(spelt);
          return engine.identities.create(identity, password, t0).then(
            () => 'created',
            (error: Error) => error.name,
          );
        });
        assert.equal(count(outcomes, 'created'), 1);
        assert.equal(count(outcomes, 'AlreadyTaken'), callers - 1);
      });

      test('burn a time step or a recovery code: one is accepted', async () => {
        const { id } = await createUser(store);
        const flow = newId<string>();
        await store.totp.start(flow, pendingTotp(id), t0);
        const verified = await race((engine) =>
          engine.totp.verify(flow, { sealedSeed: 'sealed', step: 10, now: t0 }),
        );
        assert.equal(count(verified, true), 1);
        assert.equal(count(await race((engine) => engine.totp.burnStep(id, t0, 11)), true), 1);
        assert.equal(count(await race((engine) => engine.totp.burnRecoveryCode(id, 'r1', t0)), true), 1);
      });

      test('guess: right ones are no failures, and no more wrong ones than the limit are answered', async () => {
        const limit = attemptLimit({ max: 5 });
        const guesses = async (failures: 0 | 1) => {
          const outcomes = await race((engine) => engine.attempts.count([limit], failures, t0));
          return count(
            outcomes.map(({ outcome }) => outcome),
            'counted',
          );
        };
        assert.equal(await guesses(0), callers);
        assert.equal(await guesses(1), 5);
        assert.equal(await guesses(0), 0);
      });

      test('notices of one kind to one person: the first three are queued, and none is lost', async () => {
        const address = { email: typedName('ana@example.com'), emailVerified: true };
        const users = await Promise.all(
          Array.from({ length: callers / 4 }, () => createUser(store, address)),
        );
        await race((engine, at) => {
          const identityId = users[Math.floor(at / 4)]?.id ?? newId<IdentityId>();
          const matter = { kind: 'notice', notice: 'password-changed', at: t0, ipAddress: null } as const;
          const mail = { identityId, language: 'en', issuer: '', matter } as const;
          const notices = [{ id: `password-changed:${identityId}`, mail, former: null }];
          return engine.auditEvents.append([], null, { events: [], notices });
        });
        const queued = await store.deliveries.list(queueOf('mail', mailServer), null, 1000);
        const counts = users.map(
          ({ id }) =>
            queued.filter(({ payload }) => 'identityId' in payload && payload.identityId === id).length,
        );
        assert.deepEqual(
          counts,
          users.map(() => 3),
        );
      });

      test('two administrators remove each other: one remains', async () => {
        const before = await store.identities.list(
          query({ filter: { op: '=', field: 'isAdmin', value: true } }),
        );
        const [a, b] = [
          await createUser(store, { isAdmin: true }),
          await createUser(store, { isAdmin: true }),
        ];
        for (const { id } of before.items) await store.identities.delete(id, t0);
        await race((engine, at) =>
          engine.identities.delete(at % 2 === 0 ? a.id : b.id, t0).catch((error) => {
            assert.ok(error instanceof NoAdministratorLeft);
          }),
        );
        assert.equal(await store.identities.countUsableAdmins(t0), 1);
      });
    });
  }
}
