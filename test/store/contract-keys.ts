import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asId } from '../../src/model/ids.ts';
import type { SigningAlgorithm, SigningKey } from '../../src/model/signing-key.ts';
import { type SealedSecret, sealedKinds } from '../../src/store/contracts/keys.ts';
import type { RedeemSetupLink } from '../../src/store/contracts/setup-links.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import { DAY, HOUR, MINUTE, newIdentity, newPassword, t0, uniqueName } from './fixtures.ts';

function signingKey(alg: SigningAlgorithm, activeFrom: number): SigningKey {
  return {
    kid: uniqueName('kid'),
    alg,
    publicJwk: '{}',
    sealedPrivateKey: 'sealed',
    createdAt: activeFrom,
    activeFrom,
    retiredAt: null,
    removedAt: null,
  };
}

function rotate(store: Store, next: SigningKey, newestSeen: string | null): Promise<boolean> {
  return store.keys.rotateSigningKey({
    next,
    newestSeen,
    retireOldAt: next.activeFrom,
    removeOldAt: next.activeFrom + HOUR,
  });
}

export function newSetupLink(expiresAt = t0 + HOUR) {
  return { id: uniqueName('link'), tokenHash: uniqueName('hash'), expiresAt, now: t0 };
}

/** Uses up a setup link, for a new person unless told otherwise. */
function redeem(store: Store, tokenHash: string, given: Partial<RedeemSetupLink> = {}) {
  const redemption = { tokenHash, admin: newIdentity(), password: newPassword(), now: t0 };
  return store.setupLinks.redeem({ ...redemption, ...given });
}

export function keyTests({ store }: SharedDatabase): void {
  describe('signing keys', () => {
    test('a rotation adds a key and sets when the older ones of its algorithm retire and are removed', async () => {
      const [a, b] = [signingKey('ES256', t0), signingKey('ES256', t0 + DAY)];
      const other = signingKey('RS256', t0);
      assert.equal(await rotate(store, a, null), true);
      assert.equal(await rotate(store, other, null), true);
      assert.equal(await rotate(store, b, a.kid), true);
      const retired = { ...a, retiredAt: b.activeFrom, removedAt: b.activeFrom + HOUR };
      const list = await store.keys.listSigningKeys(t0);
      assert.deepEqual(
        list.filter(({ alg }) => alg === 'ES256'),
        [retired, b],
      );
      assert.deepEqual(
        list.find(({ alg }) => alg === 'RS256'),
        other,
      );
      const later = await store.keys.listSigningKeys(b.activeFrom + HOUR);
      assert.equal(
        later.some(({ kid }) => kid === a.kid),
        false,
      );
    });

    test('a rotation that saw an older newest key changes nothing', async () => {
      const [a, b, late] = [
        signingKey('EdDSA', t0),
        signingKey('EdDSA', t0 + DAY),
        signingKey('EdDSA', t0 + DAY),
      ];
      await rotate(store, a, null);
      assert.equal(await rotate(store, b, a.kid), true);
      assert.equal(await rotate(store, late, a.kid), false);
      assert.equal(await rotate(store, late, null), false);
      const list = await store.keys.listSigningKeys(t0);
      assert.deepEqual(
        list.filter(({ alg }) => alg === 'EdDSA').map(({ kid, retiredAt }) => [kid, retiredAt]),
        [
          [a.kid, b.activeFrom],
          [b.kid, null],
        ],
      );
    });
  });

  describe('server secrets', () => {
    test('the first one stays', async () => {
      const name = uniqueName('secret');
      assert.equal(await store.keys.serverSecret(name, () => 'first'), 'first');
      assert.equal(await store.keys.serverSecret(name, () => 'second'), 'first');
      const made = await Promise.all(
        Array.from({ length: 8 }, (_value, at) =>
          store.keys.serverSecret(`${name}-race`, () => `made ${at}`),
        ),
      );
      assert.equal(new Set(made).size, 1);
    });
  });

  describe('set-up links', () => {
    test('a link is usable until it is used, expires, or another one is made', async () => {
      const [a, b] = [newSetupLink(), newSetupLink()];
      assert.equal(await store.setupLinks.check(a.tokenHash, t0), 'unknown');
      await store.setupLinks.create(a);
      assert.equal(await store.setupLinks.check(a.tokenHash, a.expiresAt - 1), 'usable');
      assert.equal(await store.setupLinks.check(a.tokenHash, a.expiresAt), 'expired');
      await store.setupLinks.create(b);
      assert.equal(await store.setupLinks.check(a.tokenHash, t0), 'expired');
      assert.equal(await store.setupLinks.check(b.tokenHash, t0), 'usable');
      assert.equal(await redeem(store, a.tokenHash), 'expired');
      assert.equal(await redeem(store, 'unknown'), 'unknown');
    });

    test('using it creates the administrator, once', async () => {
      const link = newSetupLink();
      await store.setupLinks.create(link);
      const [admin, another] = [newIdentity({ isAdmin: true }), newIdentity({ isAdmin: true })];
      const password = newPassword();
      assert.equal(await redeem(store, link.tokenHash, { admin, password, now: t0 + MINUTE }), 'created');
      assert.equal(await store.setupLinks.check(link.tokenHash, t0 + MINUTE), 'used');
      assert.equal(await redeem(store, link.tokenHash, { admin: another, now: t0 + MINUTE }), 'used');
      assert.equal(await store.identities.find(another.id), null);
      const login = await store.authenticators.findPasswordLogin(password.usernameKey);
      assert.equal(login?.identity.id, admin.id);
      assert.equal(login?.identity.isAdmin, true);
    });

    test('a taken name or user name leaves the link usable and nothing behind', async () => {
      const existing = newIdentity();
      const existingPassword = newPassword();
      await store.identities.create(existing, existingPassword, t0);
      const link = newSetupLink();
      await store.setupLinks.create(link);
      const sameName = newIdentity({ name: existing.name });
      await assert.rejects(redeem(store, link.tokenHash, { admin: sameName }), {
        name: 'AlreadyTaken',
        field: 'name',
      });
      const fresh = newIdentity();
      const sameUser = newPassword(existingPassword.username);
      await assert.rejects(redeem(store, link.tokenHash, { admin: fresh, password: sameUser }), {
        name: 'AlreadyTaken',
        field: 'username',
      });
      assert.equal(await store.identities.find(asId(fresh.id)), null);
      assert.equal(await store.setupLinks.check(link.tokenHash, t0), 'usable');
    });
  });

  describe('sealed values', () => {
    test('is listed by id, and replaced only where it is still what was read', async () => {
      const names = ['a', 'b', 'c'].map((part) => uniqueName(`secret-${part}`));
      for (const name of names) await store.keys.serverSecret(name, () => `sealed ${name}`);
      const listed: SealedSecret[] = [];
      for (let after = ''; ; ) {
        const page = await store.keys.listSealed('server-secret', after, 2);
        assert.ok(page.length <= 2);
        listed.push(...page);
        after = page.at(-1)?.id ?? after;
        if (page.length < 2) break;
      }
      assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length);
      const [name = ''] = names;
      const secret = listed.find(({ id }) => id === name);
      assert.deepEqual(secret, { id: name, sealed: `sealed ${name}` });
      assert.ok(secret);
      const replace = (sealed: string) =>
        store.keys.replaceSealed({ kind: 'server-secret', secret, sealed, now: t0 });
      assert.deepEqual(await Promise.all([replace('one'), replace('two')]).then((won) => won.sort()), [
        false,
        true,
      ]);
      assert.match(await store.keys.serverSecret(name, () => 'other'), /^(one|two)$/);
      assert.equal(await store.keys.serverSecret(names[1] ?? '', () => 'other'), `sealed ${names[1]}`);
      for (const kind of sealedKinds) await store.keys.listSealed(kind, '', 1);
    });

    test('notifies other nodes if it is a signing key', async () => {
      const key = { ...signingKey('EdDSA', t0 + 2 * DAY), sealedPrivateKey: 'before' };
      const newest = (await store.keys.listSigningKeys(t0)).findLast(({ alg }) => alg === 'EdDSA');
      assert.equal(await rotate(store, key, newest?.kid ?? null), true);
      const since = await store.changes.latest();
      const secret = { id: key.kid, sealed: 'before' };
      assert.equal(
        await store.keys.replaceSealed({ kind: 'signing-key', secret, sealed: 'after', now: t0 }),
        true,
      );
      const changes = (await store.changes.readAfter(since)).changes;
      assert.ok(JSON.stringify(changes).includes(key.kid), JSON.stringify(changes));
    });
  });
}
