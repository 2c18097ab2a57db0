// Auth policies that are assigned by role attribute (model/assigned-policy.ts).

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createSigner, submitJwt, tokenOf } from '../support/external-jwt.ts';
import { beginLogin, login, submitPassword } from '../support/flow.ts';
import { assertRefused, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
const idp = await startTestIdp();
const root = await rootOf(server);
after(() => idp.close());

let count = 0;
/** A name that sorts after those before it. */
function next(what: string): string {
  count += 1;
  return `${what} ${String(count).padStart(4, '0')}`;
}
const codeToo = { secondary: { requireTotp: true } };
const policyFor = async (assignTo: readonly string[], more: object = codeToo, name = next('policy')) =>
  createdId(await root.call('POST', 'auth-policies', { name, assignTo, ...more }));
const personWith = async (roleAttributes: readonly string[], more: object = {}) =>
  createdId(
    await root.call('POST', 'identities', { name: next('person'), type: 'User', roleAttributes, ...more }),
  );
async function change(path: string, fields: object): Promise<void> {
  const answer = await root.call('PATCH', path, fields);
  assert.equal(answer.status, 200, answer.text);
}
async function policyOf(id: string): Promise<readonly [policy: string, from: string]> {
  const { authPolicyId, authPolicy, authPolicyFrom } = (await root.get(`identities/${id}`)).json.data;
  assert.equal(authPolicy.id, authPolicyId);
  return [authPolicyId, authPolicyFrom];
}

describe('an auth policy with assignTo', () => {
  test('applies to new and old identities with one of its role attributes, at once', async () => {
    const attribute = next('staff');
    const before = await personWith([attribute]);
    assert.deepEqual(await policyOf(before), ['default', 'default']);
    const policy = await policyFor(['none', attribute]);
    assert.deepEqual(await policyOf(before), [policy, 'roleAttributes']);
    const later = await personWith([]);
    await change(`identities/${later}`, { roleAttributes: [attribute] });
    assert.deepEqual(await policyOf(later), [policy, 'roleAttributes']);
    await change(`identities/${later}`, { roleAttributes: [] });
    assert.deepEqual(await policyOf(later), ['default', 'default']);
    await change(`auth-policies/${policy}`, { assignTo: [] });
    assert.deepEqual(await policyOf(before), ['default', 'default']);
  });

  test('leaves alone who was given a policy, also the default one, until that is taken back', async () => {
    const attribute = next('staff');
    const [assigned, own] = [await policyFor([attribute]), await policyFor([], {})];
    for (const named of [own, 'default']) {
      const id = await personWith([attribute], { authPolicyId: named });
      assert.deepEqual(await policyOf(id), [named, 'identity']);
      await change(`identities/${id}`, { roleAttributes: [attribute, 'more'] });
      await change(`auth-policies/${assigned}`, { assignTo: [attribute, named] });
      assert.deepEqual(await policyOf(id), [named, 'identity']);
      await change(`identities/${id}`, { authPolicyId: null });
      assert.deepEqual(await policyOf(id), [assigned, 'roleAttributes']);
    }
  });

  test('is not named by a document that was read and is sent back, unless that chooses another', async () => {
    const attribute = next('staff');
    const [assigned, own] = [await policyFor([attribute]), await policyFor([], {})];
    for (const method of ['PUT', 'PATCH']) {
      for (const from of [
        [assigned, 'roleAttributes'],
        ['default', 'default'],
      ]) {
        const id = await personWith(from[0] === assigned ? [attribute] : []);
        const send = async (more: object) => {
          const read = (await root.get(`identities/${id}`)).json.data;
          const answer = await root.call(method, `identities/${id}`, { ...read, ...more });
          assert.equal(answer.status, 200, answer.text);
        };
        await send({ name: next('renamed') });
        assert.deepEqual(await policyOf(id), from, method);
        await send({ authPolicyId: own });
        assert.deepEqual(await policyOf(id), [own, 'identity'], method);
        await send({ name: next('renamed') });
        assert.deepEqual(await policyOf(id), [own, 'identity'], method);
        await send({ authPolicyId: null });
        assert.deepEqual(await policyOf(id), from, method);
      }
    }
  });

  test('is the first by name if several are assigned, also after one is renamed', async () => {
    const [one, other] = [next('one'), next('other')];
    const [first, second] = [await policyFor([one]), await policyFor([other])];
    const id = await personWith([other, one]);
    assert.deepEqual(await policyOf(id), [first, 'roleAttributes']);
    await change(`auth-policies/${first}`, { name: next('z') });
    assert.deepEqual(await policyOf(id), [second, 'roleAttributes']);
  });

  test('applies to what assignTo says now, also where attributes have commas', async () => {
    const [one, other] = [next('staff'), next('office')];
    const policy = await policyFor([`${one},${other}`]);
    const id = await personWith([other]);
    await change(`auth-policies/${policy}`, { assignTo: [one, other] });
    assert.deepEqual(await policyOf(id), [policy, 'roleAttributes']);
  });

  test('decides logins and open sessions from the next call on', async () => {
    const [attribute, name] = [next('staff'), next('ada')];
    const id = await server.createUser({ name, password });
    const ada = await loggedIn(server, name);
    const me = '/edge/client/v1/current-identity';
    assert.equal((await ada.get(me)).status, 200);
    const policy = await policyFor([attribute]);
    await change(`identities/${id}`, { roleAttributes: [attribute] });
    assert.equal((await ada.get(me)).status, 401);
    await change(`auth-policies/${policy}`, { assignTo: [] });
    assert.equal((await ada.get(me)).status, 200);
    await change(`auth-policies/${policy}`, { assignTo: [attribute] });
    assert.equal((await ada.get(me)).status, 401);
    const explained = await root.get(`identities/${id}/login-explanation?method=password`);
    const { asks, checks } = explained.json.data;
    assert.deepEqual(asks, ['totp']);
    assert.ok(JSON.stringify(checks).includes(`by role attribute ${attribute}`), explained.text);
    const step = await submitPassword(server, await beginLogin(server), name, password);
    assert.equal(step.status, 200, step.text);
    assert.match(step.text, /MFA|TOTP/);
  });

  test('is not deleted while it applies to an identity', async () => {
    const attribute = next('staff');
    const policy = await policyFor([attribute]);
    await personWith([attribute]);
    assertRefused(
      await root.call('DELETE', `auth-policies/${policy}`),
      409,
      'CAN_NOT_DELETE_REFERENCED_ENTITY',
    );
    await change(`auth-policies/${policy}`, { assignTo: [] });
    assert.equal((await root.call('DELETE', `auth-policies/${policy}`)).status, 200);
  });

  test('never takes away the last administrator who can log in', async () => {
    const { id } = (await root.get('/edge/client/v1/current-identity')).json.data;
    const attribute = next('admins');
    const none = { allowed: false };
    const closed = { primary: { updb: none, cert: none, extJwt: none, passkey: none } };
    await change(`identities/${id}`, { roleAttributes: [attribute] });
    assertRefused(
      await root.call('POST', 'auth-policies', { name: next('closed'), assignTo: [attribute], ...closed }),
      409,
      'CONFLICT',
    );
    const policy = await policyFor([], closed);
    assertRefused(
      await root.call('PATCH', `auth-policies/${policy}`, { assignTo: [attribute] }),
      409,
      'CONFLICT',
    );
    await change(`identities/${id}`, { roleAttributes: [] });
    await change(`auth-policies/${policy}`, { assignTo: [attribute] });
    assertRefused(
      await root.call('PATCH', `identities/${id}`, { roleAttributes: [attribute] }),
      409,
      'CONFLICT',
    );
    assert.deepEqual(await policyOf(id), ['default', 'default']);
  });

  test('refuses role attributes that identities cannot have', async () => {
    for (const assignTo of [[''], ['x'.repeat(300)], Array.from({ length: 2000 }, (_, at) => `a${at}`)]) {
      const answer = await root.call('POST', 'auth-policies', { name: next('bad'), assignTo });
      assertRefused(answer, 'assignTo');
    }
  });
});

describe('role attributes', () => {
  test('are not changed by a help desk, which could lower a policy with them', async () => {
    const name = next('helper');
    const helper = await server.createUser({ name, password });
    await change(`identities/${helper}`, { permissions: ['helpdesk'] });
    const caller = await loggedIn(server, name);
    const lax = await policyFor([next('lax')], {});
    const attribute = (await root.get(`auth-policies/${lax}`)).json.data.assignTo[0];
    const id = await personWith([]);
    for (const [method, path, body] of [
      ['PATCH', `identities/${id}`, { roleAttributes: [attribute] }],
      ['PUT', `identities/${id}`, { name: 'x', type: 'User', isAdmin: false, roleAttributes: [attribute] }],
      ['POST', 'identities/bulk', { ids: [id], change: { addRoleAttributes: [attribute] } }],
      ['PATCH', `auth-policies/${lax}`, { assignTo: [] }],
    ] as const)
      assertRefused(await caller.call(method, path, body), 403, 'FORBIDDEN');
    assert.deepEqual(await policyOf(id), ['default', 'default']);
  });

  test('that claims of a provider set decide only as far as the signer admits them, and never over its own policy', async () => {
    const [staff, lax] = [next('a staff'), next('lax')];
    const [strict, loose] = [await policyFor([staff]), await policyFor([lax], {}, next('0 lax'))];
    const creation = { name: 'name', roleAttributes: 'groups' };
    const signer = await createSigner(root, idp, next('idp'), { createIdentities: creation });
    const arrives = async (claimed: readonly string[], createIdentities: object) => {
      await change(`external-jwt-signers/${signer}`, {
        createIdentities: { ...creation, ...createIdentities },
      });
      const name = next('arrival');
      await submitJwt(server, await tokenOf(server, idp, name, { name, groups: claimed }));
      const filter = encodeURIComponent(`name="${name}"`);
      const { data } = (await root.get(`identities?filter=${filter}`)).json;
      return policyOf(data[0].id);
    };
    const admitted = { allowedRoleAttributes: [staff] };
    assert.deepEqual(await arrives([staff], {}), [strict, 'roleAttributes']);
    assert.deepEqual(await arrives([lax, staff], {}), [loose, 'roleAttributes']);
    assert.deepEqual(await arrives([lax, staff], admitted), [strict, 'roleAttributes']);
    assert.deepEqual(await arrives([lax], admitted), ['default', 'default']);
    assert.deepEqual(await arrives([lax, staff], { authPolicyId: strict }), [strict, 'identity']);
  });
});

describe('the preview', () => {
  const preview = async (policy: object) =>
    (await root.call('POST', 'auth-policies/preview', policy)).json.data;

  test('says whom another assignTo touches, whom it asks for more, and whom it shuts out', async () => {
    const [one, other] = [next('one'), next('other')];
    const people = [
      await personWith([one]),
      await personWith([one]),
      await personWith([one], { authPolicyId: 'default' }),
    ];
    const name = next('policy');
    const user = next('uses a password');
    const id = await server.createUser({ name: user, password });
    await change(`identities/${id}`, { roleAttributes: [one] });
    const shut = { primary: { updb: { allowed: false } } };
    const planned = await preview({ name, assignTo: [one], ...codeToo, ...shut });
    assert.deepEqual(planned, {
      touched: { count: 3 },
      joins: { count: 3 },
      leaves: { count: 0 },
      asksMore: { count: 3 },
      lockedOut: { count: 1, first: [{ id, name: user }] },
      objection: null,
    });
    assert.deepEqual(await policyOf(people[0] as string), ['default', 'default']);
    const policy = await policyFor([one], codeToo, name);
    const { touched, joins, leaves } = await preview({ id: policy, name, assignTo: [other], ...codeToo });
    assert.deepEqual([touched.count, joins.count, leaves.count], [3, 0, 3]);
  });

  test('of a change of people says what other role attributes mean for their policies', async () => {
    const attribute = next('staff');
    await policyFor([attribute]);
    const ids = [await personWith([]), await personWith([], { authPolicyId: 'default' })];
    const bulk = async (change: object) =>
      (await root.call('POST', 'identities/bulk/preview', { ids, change })).json.data.policy;
    assert.equal(await bulk({ addRoleAttributes: ['unknown'] }), null);
    const { touched, joins, asksMore } = await bulk({ addRoleAttributes: [` ${attribute}`] });
    assert.deepEqual([touched.count, joins.count, asksMore.count], [1, 1, 1]);
    assert.equal((await bulk({ addRoleAttributes: [attribute], authPolicyId: null })).touched.count, 2);
  });
});

describe('declarative state', () => {
  test('has the policy of an identity only if it was named, and carries assignTo', async () => {
    const attribute = next('staff');
    const policy = await policyFor([attribute]);
    const names = [next('by attribute'), next('by name')];
    const [one = '', other = ''] = [
      await personWith([attribute], { name: names[0] }),
      await personWith([attribute], { name: names[1], authPolicyId: policy }),
    ];
    const exported = await root.get('state?kinds=identity,auth-policy');
    assert.equal(exported.status, 200, exported.text);
    const { identity, 'auth-policy': policies } = exported.json.data;
    const of = (name?: string) => identity.find((each: { name: string }) => each.name === name).authPolicy;
    const stored = (await root.get(`auth-policies/${policy}`)).json.data;
    assert.deepEqual([of(names[0]), of(names[1])], [null, stored.name]);
    const named = policies.find(({ name }: { name: string }) => name === stored.name);
    assert.deepEqual(named.assignTo, [attribute]);
    const back = {
      identity: [{ name: names[1], authPolicy: null }],
      'auth-policy': [{ name: stored.name, assignTo: [] }],
    };
    const applied = await root.call('POST', 'state', { state: back });
    assert.equal(applied.status, 200, applied.text);
    assert.deepEqual(
      [await policyOf(one), await policyOf(other)],
      [
        ['default', 'default'],
        ['default', 'default'],
      ],
    );
  });
});

test('a login with a policy by role attribute ends as with any other', async () => {
  const [attribute, name] = [next('open'), next('ben')];
  await policyFor([attribute], {});
  const id = await server.createUser({ name, password });
  await change(`identities/${id}`, { roleAttributes: [attribute] });
  assert.ok((await login(server, name, password)).access_token);
});
