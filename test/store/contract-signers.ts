import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { describe, test } from 'node:test';
import type { externalJwtSignerEntity } from '../../src/model/entities/external-jwt-signer.ts';
import {
  type AuthPolicyId,
  defaultAuthPolicyId,
  type IdentityId,
  type SignerId,
} from '../../src/model/ids.ts';
import { typedName } from '../../src/model/names.ts';
import type { Unstored } from '../../src/store/contracts/entities.ts';
import type { SharedDatabase } from './contract.ts';
import { createUser, newId, query, t0, uniqueName } from './fixtures.ts';

type NewExternalJwtSigner = Unstored<typeof externalJwtSignerEntity>;

function newSigner(changes: Partial<NewExternalJwtSigner> = {}): NewExternalJwtSigner {
  return {
    id: newId<SignerId>(),
    name: typedName(uniqueName('signer')),
    enabled: true,
    issuer: `https://${uniqueName('idp')}.example`,
    audience: 'overlay',
    certPem: null,
    jwksEndpoint: 'https://idp.example/jwks',
    kid: null,
    fingerprint: null,
    commonName: null,
    notBefore: null,
    notAfter: null,
    claimsProperty: 'sub',
    useExternalId: true,
    leewaySeconds: 30,
    maxLifetimeSeconds: null,
    externalAuthUrl: null,
    clientId: null,
    discovery: false,
    clientAuthMethod: 'none',
    createIdentities: null,
    sealedClientSecret: null,
    scopes: ['openid', 'email'],
    targetToken: 'ACCESS',
    enrollToCertEnabled: false,
    enrollToTokenEnabled: false,
    enrollAuthPolicyId: null,
    enrollNameClaimsSelector: 'name',
    enrollAttributeClaimsSelector: null,
    requireVerifiedEmail: true,
    tags: { a: 1 },
    ...changes,
  };
}

export function signerTests({ store }: SharedDatabase): void {
  describe('external JWT signers', () => {
    test('are found with every member, listed, changed and deleted, each with a feed entry', async () => {
      const before = await store.changes.latest();
      const signer = newSigner({ maxLifetimeSeconds: 3600 });
      await store.externalJwtSigners.create(signer, t0);
      const switched = { enabled: false, requireVerifiedEmail: false };
      const patch = { ...switched, scopes: [], tags: {}, maxLifetimeSeconds: null };
      const stored = { ...signer, createdAt: t0, updatedAt: t0 };
      assert.deepEqual(await store.externalJwtSigners.find(signer.id), stored);
      const filter = { op: '=', field: 'name', value: signer.name } as const;
      assert.deepEqual((await store.externalJwtSigners.list(query({ filter }))).items, [stored]);
      assert.equal(await store.externalJwtSigners.update(signer.id, patch, t0 + 1), true);
      const changed = { ...stored, ...patch, updatedAt: t0 + 1 };
      assert.deepEqual(await store.externalJwtSigners.find(signer.id), changed);
      const all = await store.externalJwtSigners.listAll();
      assert.deepEqual(
        all.filter(({ id }) => id === signer.id),
        [changed],
      );
      assert.equal(await store.externalJwtSigners.delete(signer.id, t0), true);
      assert.equal(await store.externalJwtSigners.delete(signer.id, t0), false);
      assert.equal(await store.externalJwtSigners.update(signer.id, {}, t0), false);
      const entries = (await store.changes.readAfter(before)).changes;
      assert.deepEqual(
        entries.map(({ kind, entityId }) => [kind, entityId]),
        Array.from({ length: 3 }, () => ['external-jwt-signer', signer.id]),
      );
    });

    test('a name is unique, and so is an issuer with its audience', async () => {
      const { issuer, name } = newSigner();
      await store.externalJwtSigners.create(newSigner({ issuer, name }), t0);
      const another = newSigner({ issuer, audience: 'another' });
      await store.externalJwtSigners.create(another, t0);
      const create = (changes: Partial<NewExternalJwtSigner>) =>
        store.externalJwtSigners.create(newSigner(changes), t0);
      await assert.rejects(create({ name }), { name: 'AlreadyTaken', field: 'name' });
      const audienceTaken = { name: 'AlreadyTaken', field: 'audience' };
      await assert.rejects(create({ issuer }), audienceTaken);
      const update = store.externalJwtSigners.update(another.id, { audience: 'overlay' }, t0);
      await assert.rejects(update, audienceTaken);
    });

    test('the longest names, issuers and audiences that are accepted can be stored', async () => {
      // Text without repetition, because engines compress index entries.
      const text = (bytes: number) => randomBytes(bytes).toString('base64url').slice(0, bytes);
      const signer = newSigner({
        name: typedName(
          Array.from({ length: 255 }, () => String.fromCodePoint(randomInt(0x20000, 0x2a000))).join(''),
        ),
        issuer: `https://${text(1016)}`,
        audience: text(1024),
      });
      await store.externalJwtSigners.create(signer, t0);
      assert.equal((await store.externalJwtSigners.find(signer.id))?.audience, signer.audience);
    });

    test('one that a policy names is not deleted, nor a policy that one enrolls with', async () => {
      const referenced = { name: 'NotAsSeen', why: 'referenced' };
      const [allowed, required] = [newSigner(), newSigner()];
      for (const signer of [allowed, required]) await store.externalJwtSigners.create(signer, t0);
      const base = await store.authPolicies.find(defaultAuthPolicyId);
      assert.ok(base !== null);
      const policy = newId<AuthPolicyId>();
      const { primary, secondary, tags } = base;
      const rules = {
        name: uniqueName('policy'),
        primary: { ...primary, extJwt: { allowed: true, allowedSigners: [allowed.id] } },
        secondary: { ...secondary, requireExtJwt: required.id },
        assignTo: [],
        requireDpop: false,
        tags,
      };
      await store.authPolicies.create({ ...rules, id: policy }, t0);
      for (const { id } of [allowed, required]) {
        await assert.rejects(store.externalJwtSigners.delete(id, t0), referenced);
      }
      await store.authPolicies.update(policy, { ...rules, secondary }, t0);
      assert.equal(await store.externalJwtSigners.delete(required.id, t0), true);
      const creation = { name: 'name', email: null, roleAttributes: null };
      for (const signer of [
        newSigner({ enrollAuthPolicyId: policy }),
        newSigner({ createIdentities: { ...creation, authPolicyId: policy } }),
      ]) {
        await store.externalJwtSigners.create(signer, t0);
        await assert.rejects(store.authPolicies.delete(policy, t0), referenced);
        await store.externalJwtSigners.delete(signer.id, t0);
      }
      assert.equal(await store.authPolicies.delete(policy, t0), true);
      assert.equal(await store.externalJwtSigners.delete(allowed.id, t0), true);
    });

    test('an identity is found by exactly its external id', async () => {
      const externalId = uniqueName('External');
      const { id } = await createUser(store, { externalId });
      assert.equal((await store.identities.findAccountByExternalId(externalId))?.identity.id, id);
      for (const other of [externalId.toLowerCase(), `${externalId} `, '', '%']) {
        assert.equal(await store.identities.findAccountByExternalId(other), null, other);
      }
      assert.deepEqual(await store.totp.enrolledAmong([id, newId<IdentityId>()]), new Set());
    });
  });
}
