import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AuthenticatorId,
  type AuthPolicyId,
  asId,
  defaultAuthPolicyId,
  type IdentityId,
} from '../../src/model/ids.ts';
import { nameKeys, typedName } from '../../src/model/names.ts';
import { AlreadyTaken, NoAdministratorLeft, ReferenceGone } from '../../src/store/contracts/store.ts';
import { userNamed } from '../support/names.ts';
import type { SharedDatabase } from './contract.ts';
import { pendingTotp } from './contract-limits.ts';
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
  SECOND,
  t0,
  uniqueName,
} from './fixtures.ts';

const taken = (field: string) => (error: unknown) => error instanceof AlreadyTaken && error.field === field;

export function identityTests({ store }: SharedDatabase): void {
  describe('identities', () => {
    test('are found by the keys of their names, and assigned policies with role attributes', async () => {
      const roleAttributes = [typedName(uniqueName('staff'))];
      const identity = newIdentity({ name: typedName(uniqueName('Key')), roleAttributes });
      await store.identities.create(identity, null, t0);
      const keys = nameKeys(identity.name.toUpperCase());
      const found = await store.identities.listByNameKeys([...keys, ...nameKeys('none')]);
      assert.ok(found.length > 0 && found.every(({ name }) => name === identity.name));

      const base = await store.authPolicies.find(defaultAuthPolicyId);
      assert.ok(base !== null);
      const id = newId<AuthPolicyId>();
      const policy = { ...base, id, name: uniqueName('assigned'), assignTo: roleAttributes };
      await store.authPolicies.create(policy, t0);
      const policyOf = async () => {
        const account = await store.identities.findAccount(identity.id);
        return [account?.policy.id, account?.identity.authPolicyFrom];
      };
      assert.deepEqual(await policyOf(), [id, 'roleAttributes']);
      assert.ok((await store.authPolicies.listAssigning()).some((each) => each.id === id));
      await store.identities.update(identity.id, { authPolicyId: defaultAuthPolicyId }, t0);
      assert.deepEqual(await policyOf(), ['default', 'identity']);
      await store.identities.update(identity.id, { authPolicyId: null }, t0);
      await store.authPolicies.update(id, { assignTo: [] }, t0);
      assert.deepEqual(await policyOf(), ['default', 'default']);
    });

    test('are found as they were created, with every member', async () => {
      const identity = newIdentity({
        type: 'Router',
        permissions: ['read', 'helpdesk'],
        externalId: uniqueName('external'),
        email: typedName('ana@example.com'),
        emailVerified: true,
        roleAttributes: ['a', 'b'].map(typedName),
        tags: { size: 3, note: 'Größe "ß"', gone: null, on: true },
      });
      await store.identities.create(identity, null, t0);
      assert.deepEqual(await store.identities.find(identity.id), {
        ...identity,
        passwordMustChange: false,
        disabledAt: null,
        authPolicyId: 'default',
        authPolicyFrom: 'default',
        disabledUntil: null,
        lastLoginAt: null,
        createdAt: t0,
        updatedAt: t0,
      });
      assert.equal(await store.identities.find(newId<IdentityId>()), null);
    });

    test('a taken name, external id or user name is refused, and nothing of the identity stays', async () => {
      const externalId = uniqueName('external');
      const { identity, password } = await createUser(store, { externalId });
      const cases = [
        ['name', newIdentity({ name: identity.name }), newPassword()],
        ['externalId', newIdentity({ externalId }), newPassword()],
        ['username', newIdentity(), newPassword(password.username)],
      ] as const;
      for (const [field, another, anotherPassword] of cases) {
        await assert.rejects(store.identities.create(another, anotherPassword, t0), taken(field));
        assert.equal(await store.identities.find(another.id), null);
        assert.equal(await store.authenticators.find(asId<AuthenticatorId>(anotherPassword.id)), null);
      }
    });

    test('an account is the identity with its policy as it is now, and whether TOTP is enrolled', async () => {
      const { id, password } = await createUser(store);
      const defaultPolicy = await store.authPolicies.find(defaultAuthPolicyId);
      assert.ok(defaultPolicy);
      const another = newId<AuthPolicyId>();
      await store.authPolicies.create(
        { ...defaultPolicy, name: typedName(uniqueName('policy')), id: another },
        t0,
      );
      for (const authPolicyId of [defaultAuthPolicyId, another]) {
        await store.identities.update(id, { authPolicyId }, t0);
        for (const isTotpEnrolled of [false, true]) {
          const flow = newId<string>();
          if (isTotpEnrolled) {
            await store.totp.start(flow, pendingTotp(id), t0);
            await store.totp.verify(flow, { sealedSeed: 'sealed', step: 100, now: t0 });
          }
          assert.deepEqual(await store.identities.findAccount(id), {
            identity: await store.identities.find(id),
            policy: await store.authPolicies.find(authPolicyId),
            isTotpEnrolled,
            hasPasskey: false,
            password: { username: password.username, setAt: t0 },
          });
        }
        await store.totp.remove(id, t0, null);
      }
      assert.equal(await store.identities.findAccount(newId<IdentityId>()), null);
    });

    test('with a policy are read in the order of their ids, a page at a time', async () => {
      const policyId = newId<AuthPolicyId>();
      const standard = await store.authPolicies.find(defaultAuthPolicyId);
      assert.ok(standard);
      await store.authPolicies.create(
        { ...standard, name: typedName(uniqueName('policy')), id: policyId },
        t0,
      );
      const ids: string[] = [];
      for (let at = 0; at < 5; at += 1)
        ids.push((await createUser(store, { authPolicyId: policyId })).identity.id);
      await createUser(store);
      const sorted = ids.toSorted();
      const page = async (after: string, limit: number) =>
        (await store.identities.listOfPolicy(policyId, after, limit)).map(({ id }) => id);
      assert.deepEqual(await page('', 3), sorted.slice(0, 3));
      assert.deepEqual(await page(sorted[2] ?? '', 3), sorted.slice(3));
      assert.deepEqual(await page(sorted[4] ?? '', 3), []);
      assert.deepEqual(await store.identities.listOfPolicy(newId(), '', 3), []);
    });

    test('only the members of a patch are changed', async () => {
      const { id } = await createUser(store, {
        roleAttributes: [typedName('keep')],
        externalId: uniqueName('external'),
      });
      const before = await store.identities.find(id);
      const name = uniqueName('renamed');
      assert.equal(
        await store.identities.update(id, { name: typedName(name), externalId: null }, t0 + 1),
        true,
      );
      assert.deepEqual(await store.identities.find(id), {
        ...before,
        name,
        externalId: null,
        updatedAt: t0 + 1,
      });
    });

    test('a rename to a taken name is refused, and an unknown identity cannot be changed', async () => {
      const [a, b] = [await createUser(store), await createUser(store)];
      await assert.rejects(store.identities.update(a.id, { name: b.identity.name }, t0), taken('name'));
      assert.equal(
        await store.identities.update(newId<IdentityId>(), { name: typedName(uniqueName()) }, t0),
        false,
      );
      assert.equal(await store.identities.delete(newId<IdentityId>(), t0), false);
    });

    test('disabling ends sessions and logins in progress', async () => {
      const user = await createUser(store);
      const session = await openSession(store, user);
      const login = await loginWithCode(store, user);
      await store.identities.update(user.id, { disabledAt: t0 + SECOND }, t0 + SECOND);
      assert.equal((await store.apiSessions.find(session))?.endReason, 'identity-disabled');
      await store.identities.update(user.id, { disabledAt: null }, t0 + 2 * SECOND);
      const outcome = await store.authRequests.redeemCode(redemption(login, { now: t0 + 3 * SECOND }));
      assert.equal(outcome.outcome, 'refused');
    });

    test('disabling again with a later end also ends sessions', async () => {
      const user = await createUser(store);
      await store.identities.update(user.id, { disabledAt: t0 - 1, disabledUntil: t0 }, t0 - 1);
      const session = await openSession(store, user);
      await store.identities.update(user.id, { disabledUntil: t0 + 5 * MINUTE }, t0 + MINUTE);
      assert.equal(await isAlive(store, session), false);
    });

    test('other changes do not affect sessions', async () => {
      const user = await createUser(store);
      const session = await openSession(store, user);
      await store.identities.update(user.id, { tags: { a: 1 }, disabledAt: null }, t0 + SECOND);
      assert.equal(await isAlive(store, session), true);
    });

    test('deleting removes authenticators, sessions and logins in progress', async () => {
      const user = await createUser(store);
      const session = await openSession(store, user);
      const login = await loginWithCode(store, user);
      assert.equal(await store.identities.delete(user.id, t0 + SECOND), true);
      assert.equal(await store.identities.find(user.id), null);
      assert.equal(await store.authenticators.find(user.authenticatorId), null);
      assert.equal(await store.authenticators.findPasswordLogin(user.password.usernameKey), null);
      assert.equal((await store.apiSessions.find(session))?.endReason, 'identity-deleted');
      assert.equal((await store.authRequests.redeemCode(redemption(login))).outcome, 'refused');
    });
  });

  describe('administrators', () => {
    test('are counted when neither disabled nor without any authenticator', async () => {
      const before = await store.identities.countUsableAdmins(t0);
      await createUser(store, { isAdmin: true });
      const withoutProof = newIdentity({ isAdmin: true });
      await store.identities.create(withoutProof, null, t0);
      const disabled = await createUser(store, { isAdmin: true });
      await store.identities.update(disabled.id, { disabledAt: t0, disabledUntil: t0 + MINUTE }, t0);
      await createUser(store);
      assert.equal(await store.identities.countUsableAdmins(t0), before + 1);
      assert.equal(await store.identities.countUsableAdmins(t0 + MINUTE), before + 2);
    });

    test('the last one who can log in is not demoted, disabled, deleted or left without authenticator', async () => {
      const filter = { op: '=', field: 'isAdmin', value: true } as const;
      const { items: others } = await store.identities.list(query({ filter }));
      const last = await createUser(store, { isAdmin: true });
      for (const { id } of others) assert.equal(await store.identities.delete(id, t0), true);
      assert.equal(await store.identities.countUsableAdmins(t0), 1);
      const refused = [
        () => store.identities.update(last.id, { isAdmin: false }, t0),
        () => store.identities.update(last.id, { disabledAt: t0 }, t0),
        () => store.identities.delete(last.id, t0),
        () => store.authenticators.delete(last.authenticatorId, t0),
      ];
      for (const act of refused) await assert.rejects(act, NoAdministratorLeft);
      assert.equal(await store.identities.update(last.id, { name: typedName(uniqueName('boss')) }, t0), true);
      const another = await createUser(store, { isAdmin: true });
      assert.equal(await store.identities.update(last.id, { disabledAt: t0 }, t0), true);
      assert.equal(await store.identities.delete(last.id, t0), true);
      await assert.rejects(() => store.identities.delete(another.id, t0), NoAdministratorLeft);
      const actor = { identityId: another.id, sessionId: await openSession(store, another), right: null };
      for (const force of [false, true]) {
        const deletion = store.onBehalfOf(actor, t0, { force }).identities.delete(another.id, t0);
        await (force ? deletion : assert.rejects(deletion, NoAdministratorLeft));
      }
      assert.equal(await store.identities.find(another.id), null, 'whoever insists may');
    });
  });

  describe('password authenticators', () => {
    test('of an identity that is gone are refused as such', async () => {
      const names = { ...userNamed(uniqueName('gone')), passwordHash: 'phc' };
      const ids = { id: newId<AuthenticatorId>(), identityId: newId<IdentityId>() };
      const step = store.authenticators.createPassword({ ...ids, ...names, tags: {} }, t0);
      await assert.rejects(step, ReferenceGone);
    });

    test('a password login is read at once, by the key of the user name', async () => {
      const user = await createUser(store);
      const login = await store.authenticators.findPasswordLogin(user.password.usernameKey);
      assert.equal(login?.passwordHash, user.password.passwordHash);
      assert.equal(login?.authenticator.id, user.authenticatorId);
      assert.deepEqual(login?.identity, await store.identities.find(user.id));
      assert.deepEqual(login?.policy, await store.authPolicies.find(asId<AuthPolicyId>('default')));
      assert.equal(
        await store.authenticators.findPasswordLogin(userNamed(uniqueName('nobody')).usernameKey),
        null,
      );
    });

    test('of several identities are read at once, with their locks', async () => {
      const [ana, ben] = [await createUser(store), await createUser(store)];
      const limit = { max: 1, lockFor: HOUR, longestLock: HOUR, forgetAfter: DAY };
      await store.attempts.count([{ ...limit, key: `password:${ana.authenticatorId}` }], 1, t0);
      const read = await store.authenticators.listOf([ana.id, ben.id, newId()]);
      assert.deepEqual(
        new Map(read.map(({ identityId, lockedUntil }) => [identityId, lockedUntil])),
        new Map([
          [ana.id, t0 + HOUR],
          [ben.id, null],
        ]),
      );
      assert.deepEqual(await store.authenticators.listOf([]), []);
    });

    test('an identity has one password, and a user name belongs to one identity', async () => {
      const user = await createUser(store);
      const bare = newIdentity();
      await store.identities.create(bare, null, t0);
      const create = (identityId: IdentityId, username: string) => {
        const password = newPassword(username);
        const id = asId<AuthenticatorId>(password.id);
        return store.authenticators.createPassword({ ...password, id, identityId, tags: {} }, t0);
      };
      await assert.rejects(create(user.id, uniqueName('second')), taken('method'));
      await assert.rejects(create(bare.id, user.password.username), taken('username'));
      await create(bare.id, uniqueName('first'));
    });

    test('a new password ends the sessions, except one if named, and logins in progress', async () => {
      const user = await createUser(store);
      const [session, kept] = [await openSession(store, user), await openSession(store, user)];
      const login = await loginWithCode(store, user);
      const patch = { passwordHash: '$argon2id$2' };
      assert.equal(
        await store.authenticators.updatePassword(user.authenticatorId, patch, {
          now: t0 + SECOND,
          exceptSession: kept,
        }),
        true,
      );
      assert.equal((await store.apiSessions.find(session))?.endReason, 'credential-changed');
      assert.equal(await isAlive(store, kept), true);
      const outcome = await store.authRequests.redeemCode(redemption(login, { now: t0 + 2 * SECOND }));
      assert.equal(outcome.outcome, 'refused');
      await store.authenticators.updatePassword(user.authenticatorId, patch, { now: t0 + SECOND });
      assert.equal(await isAlive(store, kept), false);
      const read = await store.authenticators.findPasswordLogin(user.password.usernameKey);
      assert.equal(read?.passwordHash, '$argon2id$2');
    });

    test('a new user name alone does not affect sessions; a taken one is refused', async () => {
      const [user, other] = [await createUser(store), await createUser(store)];
      const session = await openSession(store, user);
      const update = (username: string) =>
        store.authenticators.updatePassword(user.authenticatorId, userNamed(username), { now: t0 + 1 });
      await assert.rejects(update(other.password.usernameKey), taken('username'));
      const username = uniqueName('renamed');
      assert.equal(await update(username), true);
      assert.equal(await isAlive(store, session), true);
      assert.equal(
        (await store.authenticators.findPasswordLogin(userNamed(username).usernameKey))?.identity.id,
        user.id,
      );
      const unknown = newId<AuthenticatorId>();
      assert.equal(
        await store.authenticators.updatePassword(unknown, { username: typedName('x') }, { now: t0 }),
        false,
      );
    });

    test('a hash is renewed only while it is the one that was verified, and ends nothing', async () => {
      const user = await createUser(store);
      const session = await openSession(store, user);
      const hash = async () =>
        (await store.authenticators.findPasswordLogin(user.password.usernameKey))?.passwordHash;
      await store.authenticators.rehashPassword(user.authenticatorId, 'another', 'newer');
      assert.equal(await hash(), user.password.passwordHash);
      await store.authenticators.rehashPassword(user.authenticatorId, user.password.passwordHash, 'newer');
      assert.equal(await hash(), 'newer');
      assert.equal(await isAlive(store, session), true);
    });

    test('deleting an authenticator ends the sessions it opened and no others, and logins in progress', async () => {
      const user = await createUser(store);
      const own = await openSession(store, user);
      const byClaim = await openSession(store, user, { progress: { authenticatorId: null } });
      const login = await loginWithCode(store, user);
      assert.equal(await store.authenticators.delete(user.authenticatorId, t0 + SECOND), true);
      assert.equal(await store.authenticators.delete(user.authenticatorId, t0 + SECOND), false);
      assert.equal((await store.apiSessions.find(own))?.endReason, 'credential-changed');
      assert.equal(await isAlive(store, byClaim), true);
      assert.equal((await store.authRequests.redeemCode(redemption(login))).outcome, 'refused');
    });
  });

  describe('auth policies', () => {
    test('are created, replaced and deleted, unless identities have them', async () => {
      const base = await store.authPolicies.find(asId<AuthPolicyId>('default'));
      assert.ok(base !== null);
      const id = newId<AuthPolicyId>();
      const rules = {
        name: uniqueName('policy'),
        primary: base.primary,
        secondary: base.secondary,
        assignTo: [],
        requireDpop: true,
        tags: {},
      };
      await store.authPolicies.create({ ...rules, id }, t0);
      assert.deepEqual(await store.authPolicies.find(id), { id, ...rules, createdAt: t0, updatedAt: t0 });
      const again = newId<AuthPolicyId>();
      await assert.rejects(store.authPolicies.create({ ...rules, id: again }, t0), taken('name'));
      await assert.rejects(store.authPolicies.update(id, { ...rules, name: base.name }, t0), taken('name'));
      const stricter = { ...rules, secondary: { ...rules.secondary, requireTotp: true } };
      assert.equal(await store.authPolicies.update(id, stricter, t0 + 1), true);
      assert.equal((await store.authPolicies.find(id))?.secondary.requireTotp, true);
      assert.equal(await store.authPolicies.update(again, rules, t0), false);
      const { id: identityId } = await createUser(store, { authPolicyId: id });
      await assert.rejects(store.authPolicies.delete(id, t0), { name: 'NotAsSeen', why: 'referenced' });
      await store.identities.delete(identityId, t0);
      assert.equal(await store.authPolicies.delete(id, t0), true);
      assert.equal(await store.authPolicies.delete(id, t0), false);
    });
  });
}
