import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { oidcClientEntity } from '../../src/model/entities/oidc-client.ts';
import type { OidcClientId, OidcClientSecretId } from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import type { Unstored } from '../../src/store/contracts/entities.ts';
import { AlreadyTaken, type Store } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import { createUser, loginWithCode, newId, query, redemption, t0, uniqueName } from './fixtures.ts';

type NewOidcClient = Unstored<typeof oidcClientEntity>;

export const newClient = (changes: Partial<NewOidcClient> = {}): NewOidcClient => ({
  id: newId<OidcClientId>(),
  name: typedName(uniqueName('client')),
  type: 'confidential',
  clientUri: null,
  initiateLoginUri: null,
  logoUri: null,
  redirectUris: ['https://app.example/cb'],
  postLogoutRedirectUris: [],
  tokenEndpointAuthMethod: 'client_secret_basic',
  jwks: null,
  jwksUri: null,
  requirePkce: true,
  requirePushedAuthorizationRequests: false,
  requireDpop: false,
  idTokenSigningAlg: 'RS256',
  backchannelLogoutUri: null,
  backchannelLogoutSessionRequired: false,
  scopes: ['openid'],
  droppedScopes: [],
  apiAccess: false,
  resources: [],
  allowedRoleAttributes: [typedName('staff')],
  claims: { email: 'tags.email' },
  accessTokenDuration: null,
  refreshTokenDuration: 3_600_000,
  tags: { a: 1 },
  ...changes,
});

const taken = (field: string) => (error: unknown) => error instanceof AlreadyTaken && error.field === field;

async function changesOf(store: Store, id: string): Promise<number> {
  const changes = (await store.changes.readAfter(null)).changes;
  return changes.filter(({ kind, entityId }) => kind === 'oidc-client' && entityId === id).length;
}

export function oidcClientTests({ store }: SharedDatabase): void {
  describe('OIDC clients', () => {
    test('keep the scopes that they asked for in vain, and a repetition changes nothing', async () => {
      const client = newClient({ scopes: ['openid', 'email'] });
      await store.oidcClients.create(client, t0);
      const note = (...scopes: string[]) => store.oidcClients.noteDroppedScopes(client.id, scopes, t0 + 1);
      await Promise.all([note('groups'), note('profile'), note('groups'), note('email')]);
      const read = async () => [...((await store.oidcClients.find(client.id))?.droppedScopes ?? [])].sort();
      assert.deepEqual(await read(), ['groups', 'profile']);
      const changes = await changesOf(store, client.id);
      assert.equal(changes, 4);
      await note('profile', 'groups');
      assert.equal(await changesOf(store, client.id), changes);
      await store.oidcClients.update(client.id, { scopes: ['openid', 'groups'] }, t0 + 2);
      assert.deepEqual(await read(), ['email', 'profile']);
      await store.oidcClients.noteDroppedScopes(newId<OidcClientId>(), ['email'], t0 + 1);
      await store.oidcClients.delete(client.id, t0 + 3);
    });

    test('are found, listed, changed and deleted, and each change is in the feed', async () => {
      const client = newClient();
      await store.oidcClients.create(client, t0);
      assert.deepEqual(await store.oidcClients.find(client.id), { ...client, createdAt: t0, updatedAt: t0 });
      const patch = { requirePkce: false, claims: {}, jwks: { keys: [] }, refreshTokenDuration: null };
      assert.equal(await store.oidcClients.update(client.id, patch, t0 + 1), true);
      const changed = { ...client, ...patch, createdAt: t0, updatedAt: t0 + 1 };
      assert.deepEqual(await store.oidcClients.find(client.id), changed);
      const filter = { op: '=', field: 'name', value: client.name } as const;
      assert.deepEqual((await store.oidcClients.list(query({ filter }))).items, [changed]);
      assert.ok((await store.oidcClients.listAll()).some(({ id }) => id === client.id));
      assert.equal(await changesOf(store, client.id), 2);
      assert.equal(await store.oidcClients.delete(client.id, t0 + 2), true);
      assert.equal(await changesOf(store, client.id), 3);
      assert.equal(await store.oidcClients.delete(client.id, t0 + 2), false);
      assert.equal(await store.oidcClients.update(client.id, {}, t0), false);
      assert.equal(await store.oidcClients.find(client.id), null);
    });

    test('have a unique id and name', async () => {
      const [one, other] = [newClient(), newClient()];
      for (const each of [one, other]) await store.oidcClients.create(each, t0);
      await assert.rejects(store.oidcClients.create(newClient({ id: one.id }), t0), taken('id'));
      await assert.rejects(store.oidcClients.create(newClient({ name: one.name }), t0), taken('name'));
      await assert.rejects(store.oidcClients.update(other.id, { name: one.name }, t0), taken('name'));
    });

    test('open no session with a code of a node that has not heard of their deletion', async () => {
      const client = newClient();
      await store.oidcClients.create(client, t0);
      const user = await createUser(store);
      const redeem = async () => {
        const login = await loginWithCode(store, user, { request: { clientId: client.id } });
        return store.authRequests.redeemCode(redemption(login, { isRegistered: true }));
      };
      assert.equal((await redeem()).outcome, 'redeemed');
      await store.oidcClients.delete(client.id, t0 + 2);
      assert.deepEqual(await redeem(), { outcome: 'refused', reason: 'unknown', endedSession: null });
    });

    test('have at most two secrets, even if added at once, which are deleted with the client', async () => {
      const client = newClient();
      await store.oidcClients.create(client, t0);
      const add = (clientId: OidcClientId) => {
        const id = newId<OidcClientSecretId>();
        return store.oidcClients.addSecret({ id, clientId, hash: `hash of ${id}` }, t0);
      };
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => add(client.id)));
      assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 2);
      assert.equal(outcomes.filter((outcome) => outcome === 'full').length, 6);
      assert.equal(await add(newId<OidcClientId>()), 'unknown');
      const [first, second] = await store.oidcClients.listSecrets(client.id);
      assert.ok(first !== undefined && second !== undefined);
      assert.equal(first.lastUsedAt, null);
      await store.oidcClients.noteSecretUse(first.id, t0 + 5);
      assert.equal((await store.oidcClients.listSecrets(client.id))[0]?.lastUsedAt, t0 + 5);
      assert.equal(await store.oidcClients.deleteSecret(newId<OidcClientId>(), first.id, t0), false);
      assert.equal(await store.oidcClients.deleteSecret(client.id, first.id, t0), true);
      assert.equal(await store.oidcClients.deleteSecret(client.id, first.id, t0), false);
      assert.equal(await add(client.id), 'added');
      await store.oidcClients.delete(client.id, t0);
      assert.deepEqual(await store.oidcClients.listSecrets(client.id), []);
    });

    test('use an assertion up once, even if many try at once', async () => {
      const key = uniqueName('assertion');
      const uses = await Promise.all(
        Array.from({ length: 8 }, () => store.oidcClients.useAssertion(key, t0 + 1000)),
      );
      assert.equal(uses.filter((isFirst) => isFirst).length, 1);
      assert.equal(await store.oidcClients.useAssertion(key, t0 + 1000), false);
    });
  });
}
