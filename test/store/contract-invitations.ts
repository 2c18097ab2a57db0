import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuthenticatorId, IdentityId } from '../../src/model/ids.ts';
import type { InvitationRedemption, NewInvitation } from '../../src/store/contracts/invitations.ts';
import { userNamed } from '../support/names.ts';
import type { SharedDatabase } from './contract.ts';
import { newEnrollment } from './contract-enrollments.ts';
import { createUser, HOUR, loginWithCode, newId, newIdentity, t0, uniqueName } from './fixtures.ts';

export function newInvitation(identityId: IdentityId, changes: Partial<NewInvitation> = {}): NewInvitation {
  return {
    identityId,
    tokenHash: uniqueName('hash'),
    endSessions: false,
    isByHelper: false,
    mailedTo: null,
    isShown: true,
    // Any identity will do.
    madeBy: identityId,
    createdAt: t0,
    expiresAt: t0 + HOUR,
    ...changes,
  };
}

export function useOf({ tokenHash, identityId }: NewInvitation, now = t0) {
  const password = { id: newId<AuthenticatorId>(), identityId, ...userNamed(uniqueName('login')) };
  const chosen = { method: 'password', password: { ...password, passwordHash: '$argon2id$2' } } as const;
  return { tokenHash, identityId, chosen, now } satisfies InvitationRedemption;
}

/** Links for choosing a password. */
export function invitationTests({ store }: SharedDatabase): void {
  describe('invitations', () => {
    test('come back as they were stored, with whom they are for', async () => {
      const user = await createUser(store);
      const invitation = newInvitation(user.id, { endSessions: true, isByHelper: true });
      assert.equal(await store.invitations.create(invitation, t0), 'created');
      const { tokenHash, ...stored } = invitation;
      assert.deepEqual(await store.invitations.find(user.id), stored);
      const open = await store.invitations.findByTokenHash(tokenHash);
      assert.deepEqual(open?.invitation, stored);
      assert.equal(open?.identity.name, user.identity.name);
      assert.equal(open?.password?.username, user.password.username);
      assert.equal(open?.policy.id, 'default');
      assert.equal(await store.invitations.delete(user.id), true);
      assert.equal(await store.invitations.delete(user.id), false);
      assert.equal(await store.invitations.find(user.id), null);
    });

    test('are unique per identity: a newer one replaces the other', async () => {
      const user = await createUser(store);
      const [first, second] = [newInvitation(user.id), newInvitation(user.id)];
      await store.invitations.create(first, t0);
      await store.invitations.create(second, t0);
      assert.equal(await store.invitations.redeem(useOf(first)), 'unknown');
      assert.equal(await store.invitations.redeem(useOf(second)), 'set');
      assert.equal(await store.invitations.find(user.id), null);
    });

    test('give a person without a password their first one, instead of an enrollment with a password', async () => {
      const identity = newIdentity();
      await store.enrollments.createIdentity(
        identity,
        [newEnrollment(identity.id, { method: 'updb', username: 'x' }), newEnrollment(identity.id)],
        t0,
      );
      const invitation = newInvitation(identity.id);
      await store.invitations.create(invitation, t0);
      assert.equal((await store.invitations.findByTokenHash(invitation.tokenHash))?.password, null);
      const use = useOf(invitation);
      assert.equal(await store.invitations.redeem(use), 'set');
      const login = await store.authenticators.findPasswordLogin(use.chosen.password.usernameKey);
      assert.equal(login?.passwordHash, '$argon2id$2');
      const left = await store.enrollments.listOf([identity.id]);
      assert.deepEqual(
        left.map(({ method }) => method),
        ['ott'],
      );
    });

    test('replace a password and end its lock; the user name stays', async () => {
      const user = await createUser(store);
      const key = `password:${user.authenticatorId}`;
      const limit = { key, max: 1, lockFor: HOUR, longestLock: HOUR, forgetAfter: HOUR };
      await store.attempts.count([limit], 1, t0);
      assert.notEqual((await store.attempts.count([limit], 1, t0)).outcome, 'counted');
      const invitation = newInvitation(user.id);
      await store.invitations.create(invitation, t0);
      assert.equal(await store.invitations.redeem(useOf(invitation)), 'set');
      const login = await store.authenticators.findPasswordLogin(user.password.usernameKey);
      assert.equal(login?.passwordHash, '$argon2id$2');
      assert.equal(await store.attempts.lockedUntil(key, t0), null);
    });

    test('end logins in progress, and sessions only where they say so', async () => {
      for (const endSessions of [false, true]) {
        const user = await createUser(store);
        const { authRequest } = await loginWithCode(store, user);
        const invitation = newInvitation(user.id, { endSessions });
        await store.invitations.create(invitation, t0);
        assert.equal(await store.invitations.redeem(useOf(invitation)), 'set');
        assert.equal(await store.authRequests.findLogin(authRequest.key, t0), null);
      }
    });

    test('end with their time, and when the identity is disabled or deleted', async () => {
      const user = await createUser(store);
      const late = newInvitation(user.id);
      await store.invitations.create(late, t0);
      assert.equal(await store.invitations.redeem(useOf(late, t0 + HOUR)), 'expired');
      await store.identities.update(user.id, { disabledAt: t0, disabledUntil: null }, t0);
      assert.equal(await store.invitations.create(newInvitation(user.id), t0), 'disabled');
      await store.identities.update(user.id, { disabledAt: null, disabledUntil: null }, t0);
      assert.equal(await store.invitations.redeem(useOf(late)), 'unknown');
      const gone = newInvitation(user.id);
      await store.invitations.create(gone, t0);
      await store.identities.delete(user.id, t0);
      assert.equal(await store.invitations.redeem(useOf(gone)), 'unknown');
      assert.equal(await store.invitations.findByTokenHash(gone.tokenHash), null);
      assert.equal(await store.invitations.create(newInvitation(user.id), t0), 'unknown');
    });

    test('by a helper do not work for an identity with rights, however long ago they were made', async () => {
      const user = await createUser(store);
      const madeBy = (await createUser(store)).id;
      const byHelper = newInvitation(user.id, { isByHelper: true, madeBy });
      await store.invitations.create(byHelper, t0);
      await store.identities.update(user.id, { permissions: ['read'] }, t0);
      assert.equal(await store.invitations.redeem(useOf(byHelper)), 'unknown');
      assert.equal(
        await store.invitations.create(newInvitation(user.id, { isByHelper: true, madeBy }), t0),
        'beyond-help',
      );
      const byAdministrator = newInvitation(user.id, { madeBy });
      await store.invitations.create(byAdministrator, t0);
      assert.equal(await store.invitations.redeem(useOf(byAdministrator)), 'set');
    });

    test('stay usable when the user name is taken', async () => {
      const other = await createUser(store);
      const identity = newIdentity();
      await store.identities.create(identity, null, t0);
      const invitation = newInvitation(identity.id);
      await store.invitations.create(invitation, t0);
      const use = useOf(invitation);
      const { usernameKey } = other.password;
      const password = { ...use.chosen.password, usernameKey };
      const taken = { ...use, chosen: { ...use.chosen, password } };
      await assert.rejects(store.invitations.redeem(taken), { field: 'username' });
      assert.equal(await store.invitations.redeem(use), 'set');
    });
  });
}
