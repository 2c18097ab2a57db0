import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiSessionId, defaultAuthPolicyId, type IdentityId } from '../../src/model/ids.ts';
import { nameKeys, typedName } from '../../src/model/names.ts';
import type { Actor, Right } from '../../src/model/principal.ts';
import { NotAsSeen } from '../../src/store/contracts/gathered.ts';
import { AlreadyTaken, CallerRefused, type Store } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import {
  createUser,
  isAlive,
  MINUTE,
  newId,
  newIdentity,
  openSession,
  SECOND,
  sessionLifetime,
  t0,
  type User,
  uniqueName,
} from './fixtures.ts';

const now = t0 + MINUTE;
const lacks = (what: 'session' | 'right') => (error: unknown) =>
  error instanceof CallerRefused && error.lacks === what;

async function callerOf(store: Store, user: User, right: Right | null = null): Promise<Actor> {
  return { identityId: user.id, sessionId: await openSession(store, user), right };
}

/** Acts in the name of a caller, and says whether it took effect. */
async function tries(store: Store, actor: Actor, at = now): Promise<true | CallerRefused> {
  const identity = newIdentity();
  const refused = await store
    .onBehalfOf(actor, at)
    .identities.create(identity, null, at)
    .then(
      () => null,
      (error) => error,
    );
  const isThere = (await store.identities.find(identity.id)) !== null;
  assert.equal(isThere, refused === null, 'whoever is refused has changed nothing');
  return refused ?? true;
}

export function callerTests({ store, openAnother }: SharedDatabase): void {
  describe('changes on behalf of a caller', () => {
    test('are made while the session and the right exist', async () => {
      const admin = await createUser(store, { isAdmin: true });
      const reader = await createUser(store, { permissions: ['helpdesk'] });
      for (const right of [null, 'administrator', 'helpdesk', 'read'] as const) {
        assert.equal(await tries(store, await callerOf(store, admin, right)), true, String(right));
      }
      for (const right of [null, 'helpdesk', 'read'] as const) {
        assert.equal(await tries(store, await callerOf(store, reader, right)), true, String(right));
      }
    });

    test('are refused once the session has ended, for any reason', async () => {
      const ends: readonly ((session: ApiSessionId, identity: IdentityId) => Promise<unknown>)[] = [
        (session) => store.apiSessions.end(session, 'administrator', now),
        (_session, identity) => store.apiSessions.endAllOf(identity, 'logout', now),
        (_session, identity) =>
          store.identities.update(identity, { disabledAt: now, disabledUntil: null }, now),
        (_session, identity) => store.identities.delete(identity, now),
      ];
      const another = await openAnother();
      try {
        for (const end of ends) {
          const user = await createUser(store, { isAdmin: true });
          const actor = await callerOf(store, user, 'administrator');
          assert.equal(await tries(another, actor), true);
          await end(actor.sessionId, user.id);
          for (const each of [store, another]) {
            const refused = await tries(each, actor);
            assert.ok(lacks('session')(refused), String(end));
          }
        }
      } finally {
        await another.close();
      }
    });

    test('are refused when the session has expired, is unknown, or is of another identity', async () => {
      const [one, other] = [await createUser(store), await createUser(store)];
      const actor = await callerOf(store, one);
      assert.equal(await tries(store, actor, t0 + sessionLifetime - 1), true);
      assert.ok(lacks('session')(await tries(store, actor, t0 + sessionLifetime)));
      assert.ok(lacks('session')(await tries(store, { ...actor, identityId: other.id })));
      assert.ok(lacks('session')(await tries(store, { ...actor, sessionId: newId<ApiSessionId>() })));
    });

    test("are refused once the caller's right is lost", async () => {
      const admin = await createUser(store, { isAdmin: true });
      const asAdmin = await callerOf(store, admin, 'administrator');
      const helper = await createUser(store, { permissions: ['helpdesk'] });
      const asHelper = await callerOf(store, helper, 'helpdesk');
      const asReader = await callerOf(store, helper, 'read');
      await store.identities.update(admin.id, { isAdmin: false, permissions: ['helpdesk'] }, now);
      await store.identities.update(helper.id, { permissions: ['read'] }, now);
      assert.ok(lacks('right')(await tries(store, asAdmin)), 'a permission is not what let them in');
      assert.ok(lacks('right')(await tries(store, asHelper)));
      assert.equal(await tries(store, asReader), true);
      assert.equal(await tries(store, { ...asAdmin, right: null }), true, 'the session stands');
    });

    test('do not help an identity that administers or has a permission, unless the caller administers', async () => {
      const helper = await createUser(store, { permissions: ['helpdesk'] });
      const admin = await createUser(store, { isAdmin: true });
      const asHelper = await callerOf(store, helper, 'helpdesk');
      const asAdmin = await callerOf(store, admin, 'helpdesk');
      const { id: helped } = await createUser(store);
      const helps = async (actor: Actor, whom: IdentityId) => {
        const session = await openSession(store, await createUser(store));
        const acting = store.onBehalfOf(actor, now, { helped: whom });
        const refused = await acting.apiSessions.end(session, 'administrator', now).then(
          () => null,
          (error) => error,
        );
        assert.equal(await isAlive(store, session), refused !== null);
        return refused ?? true;
      };
      assert.equal(await helps(asHelper, helped), true);
      assert.equal(await helps(asHelper, newId()), true, 'the change itself says that somebody is gone');
      for (const more of [{ isAdmin: true }, { isAdmin: false, permissions: ['read'] }] as const) {
        await store.identities.update(helped, more, now);
        assert.ok(lacks('right')(await helps(asHelper, helped)), JSON.stringify(more));
        assert.equal(await helps(asAdmin, helped), true);
      }
      await store.identities.update(helped, { permissions: [] }, now);
      assert.equal(await helps(asHelper, helped), true);
      assert.ok(lacks('right')(await helps(asHelper, admin.id)));
      await store.identities.update(admin.id, { isAdmin: false, permissions: ['helpdesk'] }, now);
      assert.ok(lacks('right')(await helps(asAdmin, admin.id)), 'the right of this moment counts');
    });

    test('are made only while the entity has the version that the caller read, on every node', async () => {
      const actor = await callerOf(store, await createUser(store, { isAdmin: true }), 'administrator');
      const { id } = await createUser(store);
      const read = await store.versions.find('identities', id);
      const another = await openAnother();
      try {
        assert.equal(await another.versions.find('identities', id), read);
        const rename = (on: Store, name: string) =>
          on
            .onBehalfOf(actor, now, { unchanged: { entity: 'identities', id, versions: [read ?? ''] } })
            .identities.update(id, { name: typedName(name) }, t0);
        const names = [newId(), newId()] as const;
        const settled = await Promise.allSettled([rename(store, names[0]), rename(another, names[1])]);
        const made = settled.flatMap(({ status }, at) => (status === 'fulfilled' ? [names[at]] : []));
        const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
        assert.equal(made.length, 1);
        assert.ok(refused[0] instanceof NotAsSeen && refused[0].why === 'changed');
        assert.equal((await store.identities.find(id))?.name, made[0]);
        assert.notEqual(await store.versions.find('identities', id), read, 'at the same time');
      } finally {
        await another.close();
      }
      assert.equal(await store.versions.find('identities', newId()), null);
    });

    test('accept the version of a password whose hash a login has renewed', async () => {
      const { authenticatorId } = await createUser(store);
      const before = await store.versions.find('authenticators', authenticatorId);
      await store.authenticators.rehashPassword(authenticatorId, '$argon2id$1', '$argon2id$2');
      assert.equal(await store.versions.find('authenticators', authenticatorId), before);
    });

    test('find a zt-session live that was used a moment ago', async () => {
      const user = await createUser(store);
      const id = newId<ApiSessionId>();
      const opened = await store.apiSessions.openLegacy({
        isComplete: true,
        id,
        tokenHash: id,
        progress: {
          identityId: user.id,
          authenticatorId: user.authenticatorId,
          signerId: null,
          caId: null,
          passed: ['password'],
          authTime: t0,
          certThumbprint: null,
        },
        issuer: 'https://localhost:1280/oidc',
        configTypes: [],
        ipAddress: '192.0.2.1',
        expiresAt: t0 + MINUTE,
        now: t0,
      });
      assert.ok(opened !== null);
      const at = t0 + MINUTE + SECOND;
      const actor = { identityId: user.id, sessionId: id, right: null };
      assert.ok(lacks('session')(await tries(store, actor, at)));
      const used = store.apiSessions.recordActivity([
        { id, lastActivityAt: t0 + 30 * SECOND, expiresAt: t0 + 90 * SECOND },
      ]);
      assert.equal(await tries(store, actor, at), true, 'what was written down before is seen');
      await used;
    });

    test('are refused one by one: others that are made at the same time are not touched', async () => {
      const [ended, alive] = [await createUser(store), await createUser(store)];
      const [gone, here] = [await callerOf(store, ended), await callerOf(store, alive)];
      await store.apiSessions.end(gone.sessionId, 'administrator', now);
      const outcomes = await Promise.all([here, gone, here, gone, here].map((actor) => tries(store, actor)));
      assert.deepEqual(
        outcomes.map((outcome) => outcome === true),
        [true, false, true, false, true],
      );
    });
  });

  describe('new identities that are gathered', () => {
    test('are made together, or none of them where a name passes for that of another', async () => {
      const actor = await callerOf(store, await createUser(store, { isAdmin: true }), 'administrator');
      const make = async (names: readonly string[], force = false) => {
        const gathered = store.gather(actor, now);
        // Some have an external id, and others do not.
        const made = names.map((name, at) =>
          newIdentity({
            name: typedName(name),
            roleAttributes: [typedName(`r${at}`)],
            ...(at % 7 === 0 && { externalId: uniqueName() }),
          }),
        );
        for (const one of made) await gathered.store.enrollments.createIdentity(one, [], now);
        await gathered.commit({ now, seen: [], force, dryRun: false });
        return made;
      };
      const common = uniqueName('many');
      // Of several statements.
      const names = Array.from({ length: 90 }, (_, at) => `${common} ${at}`);
      for (const one of await make(names)) {
        const stored = await store.identities.find(one.id);
        assert.deepEqual({ ...stored, ...one, authPolicyId: defaultAuthPolicyId }, stored);
        const keys = nameKeys(one.name);
        assert.deepEqual(
          await store.identities.listByNameKeys(keys),
          keys.map((key) => ({ key, name: one.name })),
        );
      }
      const others = [`${common} new`, ...Array.from({ length: 20 }, (_, at) => `${common} new ${at}`)];
      const refusals = [
        [[...others, `${common} 77`.toUpperCase()], `${common} 77`],
        [[...others, `${common} NEW`], `${common} new`],
        [[...others, `${common} NEW 3`, `${common} last`], `${common} new 3`],
      ] as const;
      for (const [made, holder] of refusals) {
        await assert.rejects(
          make(made),
          (error) => error instanceof AlreadyTaken && error.field === 'name' && error.passesFor === holder,
        );
        assert.equal(await store.identities.findByName(typedName(`${common} new`)), null);
      }
      await make(refusals[1][0], true);
      const keys = nameKeys(`${common} new`);
      assert.equal((await store.identities.listByNameKeys(keys)).length, 2);
    });
  });

  describe('a dry run of gathered changes', () => {
    test('says that all are possible, or which one is not, and changes nothing', async () => {
      const actor = await callerOf(store, await createUser(store, { isAdmin: true }), 'administrator');
      const tryTo = async (name: string) => {
        const gathered = store.gather(actor, now);
        const identity = newIdentity({ name: typedName(name) });
        await gathered.store.identities.create(identity, null, now);
        const outcome = gathered.commit({ now, seen: [], force: true, dryRun: true });
        await assert.rejects(outcome, (error) => {
          assert.ok(error instanceof NotAsSeen ? error.why === 'taken-back' : error instanceof AlreadyTaken);
          return error instanceof AlreadyTaken === (name === taken.name);
        });
        assert.equal(await store.identities.find(identity.id), null);
      };
      const { identity: taken } = await createUser(store);
      await tryTo(uniqueName());
      await tryTo(taken.name);
    });
  });
}
