// What holds for every field by which one managed entity refers to another: the tables of model/entities/ declare them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entityNamed, referenceFields } from '../../src/model/entities/all-entities.ts';
import type { EntityKind } from '../../src/model/entities/entity.ts';
import { stateKinds } from '../../src/model/entities/state-kinds.ts';
import { authority } from '../support/chains.ts';
import { assertRefused, createdId, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

type Body = Readonly<Record<string, unknown>>;

const server = await serverOfFile();
const admin = await rootOf(server);

const serial = Array.from({ length: 1000 }, (_value, at) => at).values();
const unused = (prefix: string) => `${prefix} ${serial.next().value}`;

/** A body that creates one of a kind. */
const fresh: Readonly<Record<string, () => Body>> = {
  identity: () => ({ name: unused('person'), type: 'User', isAdmin: false }),
  'auth-policy': () => ({ name: unused('policy') }),
  'ext-jwt-signer': () => ({
    name: unused('signer'),
    enabled: true,
    issuer: `https://idp.example/${serial.next().value}`,
    audience: 'overlay',
    jwksEndpoint: 'https://idp.example/keys',
  }),
  ca: () => ({ name: unused('ca'), certPem: authority().certPem, isOttCaEnrollmentEnabled: true }),
};

/** By kind and field: what makes one of the kind refer to that id. */
const referring: Readonly<Record<string, (id: string) => Body | Promise<Body>>> = {
  'identity authPolicyId': (authPolicyId) => ({ authPolicyId }),
  'auth-policy primary.extJwt.allowedSigners': (id) => ({ primary: { extJwt: { allowedSigners: [id] } } }),
  'auth-policy secondary.requireExtJwt': (requireExtJwt) => ({ secondary: { requireExtJwt } }),
  'ext-jwt-signer enrollAuthPolicyId': (enrollAuthPolicyId) => ({ enrollAuthPolicyId }),
  'ext-jwt-signer createIdentities.authPolicyId': (authPolicyId) => ({
    useExternalId: true,
    createIdentities: { authPolicyId },
  }),
  'authenticator identityId': (identityId) => ({
    method: 'updb',
    identityId,
    username: unused('user').replace(' ', '-'),
    password,
  }),
  'enrollment identityId': (identityId) => ({
    method: 'updb',
    identityId,
    username: unused('u').replace(' ', '-'),
  }),
  'enrollment caId': async (caId) => ({ method: 'ottca', caId, identityId: await create('identity') }),
};

/** By field: what makes it refer to nothing. */
const unreferring: Readonly<Record<string, Body>> = {
  'identity authPolicyId': { authPolicyId: null },
  'auth-policy primary.extJwt.allowedSigners': { primary: { extJwt: { allowedSigners: [] } } },
  'auth-policy secondary.requireExtJwt': { secondary: { requireExtJwt: null } },
  'ext-jwt-signer enrollAuthPolicyId': { enrollAuthPolicyId: null },
  'ext-jwt-signer createIdentities.authPolicyId': { createIdentities: null },
};

const collectionOf = (kind: EntityKind) => entityNamed(kind).collection;

async function create(kind: EntityKind, more: Body = {}): Promise<string> {
  return createdId(await admin.call('POST', collectionOf(kind), { ...fresh[kind]?.(), ...more }));
}

async function statusOf(kind: EntityKind, id: string): Promise<number> {
  return (await admin.get(`${collectionOf(kind)}/${id}`)).status;
}

const references = referenceFields.map(({ from, path, field }) => {
  const name = `${from.kind} ${path.join('.')}`;
  const body = async (id: string) => await referring[name]?.(id);
  return { name, from: from.kind, path: path.join('.'), field, body };
});

test('every reference is tried here', () => {
  assert.deepEqual(references.map(({ name }) => name).toSorted(), Object.keys(referring).toSorted());
});

for (const { name, from, path, field, body } of references) {
  const pathTo = (id: string) => `${collectionOf(field.to)}/${id}`;
  describe(`the reference ${name}`, () => {
    test('to nothing is refused, and its field is named', async () => {
      const created = await admin.call('POST', collectionOf(from), {
        ...fresh[from]?.(),
        ...(await body('no-such-one')),
      });
      assertRefused(created, 400, created.json.error?.code);
      assert.equal(created.json.error.cause.field, path, created.text);
      assert.match(created.json.error.cause.reason, /^names no /);
      if (field.isDeletedWithIt) return;
      const id = await create(from);
      const changed = await admin.call('PATCH', `${collectionOf(from)}/${id}`, await body('no-such-one'));
      assertRefused(changed, 400, changed.json.error?.code);
      assert.equal(changed.json.error.cause.field, path, changed.text);
    });

    test('survives that the other one gets another name', async () => {
      const to = await create(field.to);
      const id = await create(from, await body(to));
      const renamed = await admin.call('PATCH', pathTo(to), { name: unused('renamed') });
      assert.equal(renamed.status, 200, renamed.text);
      const { data } = (await admin.get(`${collectionOf(from)}/${id}`)).json;
      assert.ok(JSON.stringify(data).includes(to), JSON.stringify(data));
    });

    if (field.isDeletedWithIt) {
      test('ends with the other one', async () => {
        const to = await create(field.to);
        const id = await create(from, await body(to));
        const answer = await admin.call('DELETE', pathTo(to));
        assert.equal(answer.status, 200, answer.text);
        assert.equal(await statusOf(from, id), 404);
      });
      return;
    }

    test('keeps the other one from being deleted as long as it is there', async () => {
      const to = await create(field.to);
      const id = await create(from, await body(to));
      assertRefused(await admin.call('DELETE', pathTo(to)), 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
      const changed = await admin.call('PATCH', `${collectionOf(from)}/${id}`, unreferring[name]);
      assert.equal(changed.status, 200, changed.text);
      assert.equal((await admin.call('DELETE', pathTo(to))).status, 200);
    });

    test('is refused if the other one is deleted after it was looked up', async (t) => {
      const [to, id] = [await create(field.to), await create(from)];
      const { versions } = server.store;
      const lookUp = t.mock.method(versions, 'find', async (...args: Parameters<typeof versions.find>) => {
        lookUp.mock.restore();
        const found = await versions.find(...args);
        assert.deepEqual(args, [field.to, to]);
        assert.equal((await admin.call('DELETE', pathTo(to))).status, 200);
        return found;
      });
      assertRefused(
        await admin.call('PATCH', `${collectionOf(from)}/${id}`, await body(to)),
        409,
        'CONFLICT',
      );
      const { data } = (await admin.get(`${collectionOf(from)}/${id}`)).json;
      assert.ok(!JSON.stringify(data).includes(to), JSON.stringify(data));
    });

    test('comes back with a document that was exported, under the same name', async () => {
      assert.ok(stateKinds.some((kind) => kind === from) && stateKinds.some((kind) => kind === field.to));
      const kinds = [...new Set([field.to, from])];
      const read = async () => (await admin.get(`state?kinds=${kinds.join(',')}`)).json.data;
      const apply = (state: object) => admin.call('POST', 'state', { state, prune: true });
      const before = await read();
      const to = await create(field.to);
      const id = await create(from, await body(to));
      const exported = await read();
      const without = await apply({ ...exported, [field.to]: before[field.to] });
      assertRefused(without, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
      const pruned = await apply(before);
      assert.equal(pruned.status, 200, pruned.text);
      assert.equal(pruned.json.data.deleted.length, 2);
      const restored = await apply(exported);
      assert.equal(restored.status, 200, restored.text);
      assert.deepEqual(await read(), exported);
      assert.equal(await statusOf(from, id), 404, 'it has another id');
      assert.equal((await apply(before)).status, 200);
    });
  });
}
