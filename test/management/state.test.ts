import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { IdentityId } from '../../src/model/ids.ts';
import { DAY, HOUR, isoTime, systemClock } from '../../src/platform/clock.ts';
import { authority } from '../support/chains.ts';
import { login } from '../support/flow.ts';
import { listOf } from '../support/list-budget.ts';
import { assertRefused, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile({
  addFiles: (home) => writeFileSync(join(home, 'makers.pem'), authority({ subject: 'Maker' }).certPem),
  configure: (yaml) => yaml.replace(/^ {2}# passkeys:\n/m, '  passkeys:\n    trustedRoots: [makers.pem]\n'),
});
const admin = await rootOf(server);

const read = async (kinds: string) => (await admin.get(`state?kinds=${kinds}`)).json.data;
const apply = (state: object, more: object = {}) => admin.call('POST', 'state', { state, ...more });
const names = (entries: readonly { kind: string; name: string }[]) =>
  entries.map(({ kind, name }) => `${kind} ${name}`);

const ca = authority({ subject: 'a partner' });
const inAYear = isoTime(systemClock.now() + 365 * DAY);
/** Entities that refer to one another, in both directions. */
const whole = {
  'auth-policy': [
    {
      name: 'with a token',
      primary: { extJwt: { allowedSigners: ['idp'] }, updb: { minPasswordLength: 15 } },
      secondary: { requireTotp: true, requireExtJwt: 'idp' },
    },
  ],
  'ext-jwt-signer': [
    {
      name: 'idp',
      issuer: 'https://idp.example',
      audience: 'overlay',
      jwksEndpoint: 'https://idp.example/jwks',
      scopes: ['email'],
      enrollAuthPolicy: 'with a token',
      useExternalId: true,
      createIdentities: { authPolicy: 'with a token' },
    },
  ],
  ca: [{ name: 'partner', certPem: ca.certPem, identityRoles: ['partners'] }],
  'config-type': [{ name: 'host.v1', id: 'NH5p4FpGR' }],
  'oidc-client': [
    {
      name: 'wiki',
      id: 'wiki',
      type: 'public',
      redirectUris: ['https://wiki.example/cb'],
      accessTokenDuration: '5m',
    },
  ],
  identity: [
    {
      name: 'ana',
      authPolicy: 'with a token',
      roleAttributes: ['b', 'a'],
      externalId: 'ana@x',
      tags: { n: 1 },
    },
    { name: 'bea', disabled: true, disabledUntil: inAYear, passwordMustChange: true },
  ],
};

describe('a document of what is managed', () => {
  test('creates entities of every kind that refer to one another, and reports it', async () => {
    const tried = await apply(whole, { dryRun: true });
    assert.equal(tried.status, 200, tried.text);
    assert.equal(tried.json.data.created.length, 7);
    assert.deepEqual((await read('ca')).ca, []);

    const made = await apply(whole);
    assert.equal(made.status, 200, made.text);
    const { created, changed, deleted, unchanged } = made.json.data;
    assert.deepEqual(names(created), [
      'auth-policy with a token',
      'ext-jwt-signer idp',
      'ca partner',
      'config-type host.v1',
      'oidc-client wiki',
      'identity ana',
      'identity bea',
    ]);
    assert.deepEqual([changed, deleted, unchanged], [[], [], []]);

    const state = await read('auth-policy,ext-jwt-signer,ca,config-type,oidc-client,identity');
    const [policy] = state['auth-policy'].filter(({ name }: { name: string }) => name === 'with a token');
    assert.deepEqual(policy.primary.extJwt, { allowed: true, allowedSigners: ['idp'] });
    assert.deepEqual(policy.secondary, {
      requireTotp: true,
      requireExtJwt: 'idp',
      requirePasskey: false,
    });
    const [{ enrollAuthPolicy, createIdentities }] = state['ext-jwt-signer'];
    assert.deepEqual([enrollAuthPolicy, createIdentities.authPolicy], ['with a token', 'with a token']);
    const [ana, bea] = state.identity;
    assert.deepEqual([ana.authPolicy, ana.externalId, ana.tags], ['with a token', 'ana@x', { n: 1 }]);
    assert.deepEqual([bea.disabled, bea.disabledUntil], [true, inAYear]);
    assert.deepEqual([ana.passwordMustChange, bea.passwordMustChange], [false, true]);
    assert.doesNotMatch(
      JSON.stringify(state),
      /"password(?!MustChange")|hash|verificationToken|sealed|secret"|seed/i,
    );
  });

  test('that was read changes nothing when it is applied again', async () => {
    const state = await read('auth-policy,ext-jwt-signer,ca,config-type,oidc-client,identity');
    const again = await apply(state);
    assert.equal(again.status, 200, again.text);
    const { created, changed, deleted, unchanged } = again.json.data;
    assert.deepEqual([created, changed, deleted], [[], [], []]);
    assert.equal(unchanged.length, 9);
    assert.equal((await apply(whole)).json.data.changed.length, 0);
  });

  test('changes only what it says, and shows each member before and after', async () => {
    const answer = await apply({
      identity: [{ name: 'ana', roleAttributes: ['a', 'c'] }],
      'auth-policy': [{ name: 'with a token', primary: { updb: { minPasswordLength: 20 } } }],
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json.data.changed, [
      {
        kind: 'auth-policy',
        name: 'with a token',
        fields: [{ field: 'primary.updb.minPasswordLength', before: 15, after: 20 }],
      },
      {
        kind: 'identity',
        name: 'ana',
        fields: [{ field: 'roleAttributes', before: ['b', 'a'], after: ['a', 'c'] }],
      },
    ]);
    const state = await read('auth-policy,identity');
    const ana = state.identity.find(({ name }: { name: string }) => name === 'ana');
    assert.deepEqual([ana.externalId, ana.roleAttributes], ['ana@x', ['a', 'c']]);
    const policy = state['auth-policy'].find(({ name }: { name: string }) => name === 'with a token');
    assert.equal(policy.secondary.requireTotp, true);
  });

  test('requires a new password, and withdraws that requirement', async () => {
    const back = await apply({ identity: [{ name: 'bea', passwordMustChange: false }] });
    assert.equal(back.status, 200, back.text);
    const [{ fields }] = back.json.data.changed;
    assert.deepEqual(fields, [{ field: 'passwordMustChange', before: true, after: false }]);
    const bea = (await read('identity')).identity.find(({ name }: { name: string }) => name === 'bea');
    assert.equal(bea.passwordMustChange, false);
  });

  test('identifies applications by their client id, without their secrets', async () => {
    const [wiki] = (await read('oidc-client'))['oidc-client'];
    assert.deepEqual([wiki.id, wiki.accessTokenDuration, wiki.refreshTokenDuration], ['wiki', '5m', null]);
    const longer = await apply({ 'oidc-client': [{ name: 'wiki', accessTokenDuration: '10m' }] });
    assert.equal(longer.status, 200, longer.text);
    const [{ fields }] = longer.json.data.changed;
    assert.deepEqual(fields, [{ field: 'accessTokenDuration', before: '5m', after: '10m' }]);
    const [after] = (await read('oidc-client'))['oidc-client'];
    assert.deepEqual(after.redirectUris, ['https://wiki.example/cb']);
    for (const wrong of [{ id: 'other' }, { accessTokenDuration: '900h' }, { redirectUris: ['ftp://x'] }]) {
      const answer = await apply({ 'oidc-client': [{ name: 'wiki', ...wrong }] });
      assertRefused(answer, 400, 'COULD_NOT_VALIDATE');
    }
    await apply({ 'oidc-client': [{ name: 'wiki', accessTokenDuration: '5m' }] });
  });

  test('is applied as a whole or not at all', async () => {
    const before = await read('identity,config-type');
    const refusals = [
      [
        { 'config-type': [{ name: 'new' }], identity: [{ name: 'ana', externalId: '\u0007' }] },
        'COULD_NOT_VALIDATE',
      ],
      [
        { 'config-type': [{ name: 'new' }], identity: [{ name: 'cleo', externalId: 'ana@x' }] },
        'COULD_NOT_VALIDATE',
      ],
      [
        { 'config-type': [{ name: 'new' }], identity: [{ name: 'ana', authPolicy: 'gone' }] },
        'COULD_NOT_VALIDATE',
      ],
      [{ 'config-type': [{ name: 'new' }, { name: 'new' }] }, 'COULD_NOT_VALIDATE'],
      [{ 'config-type': [{ name: 'new' }], identity: [{ name: ' padded' }] }, 'COULD_NOT_VALIDATE'],
      [{ 'config-type': [{ name: 'new' }, { name: 'host.v1', id: 'another' }] }, 'COULD_NOT_VALIDATE'],
      [{ 'config-type': [{ name: 'new' }], 'ext-jwt-signer': [{ name: 'half' }] }, 'COULD_NOT_VALIDATE'],
      [{ 'config-type': [{ name: 'new' }], ca: [{ name: 'half' }] }, 'COULD_NOT_VALIDATE'],
    ] as const;
    for (const [state, code] of refusals) {
      for (const dryRun of [true, false]) assertRefused(await apply(state, { dryRun }), 400, code);
    }
    assert.deepEqual(await read('identity,config-type'), before);
  });

  test('names the entity whose value is refused, and the nearest known member for an unknown one', async () => {
    const named = await apply({ identity: [{ name: 'ana', authPolicy: 'gone' }] });
    assertRefused(named, 'identity[ana].authPolicy');
    assert.equal(named.json.error.message, 'identity "ana": The field authPolicy names no auth policy');
    assertRefused(
      await apply({ ca: [{ name: 'partner', identityRoles: [''] }] }),
      'ca[partner].identityRoles',
    );
    const wiki = { name: 'wiki', allowedRoleAttributes: [''] };
    assertRefused(await apply({ 'oidc-client': [wiki] }), 'oidc-client[wiki].allowedRoleAttributes');
    for (const [state, field, near] of [
      [
        { identity: [{ name: 'ana', roleAtributes: [] }] },
        'state.identity.0.roleAtributes',
        'roleAttributes',
      ],
      [{ identities: [] }, 'state.identities', 'identity'],
      [
        { 'auth-policy': [{ name: 'x', primary: { updb: { maxAttempt: 1 } } }] },
        'state.auth-policy.0.primary.updb.maxAttempt',
        'maxAttempts',
      ],
    ] as const) {
      const answer = await apply(state);
      assertRefused(answer, field);
      assert.match(answer.json.error.cause.reason, new RegExp(`nearest known name is ${near}$`));
    }
    for (const body of [{}, { state: [] }, { state: {}, prune: 'yes' }, { state: {}, purge: true }])
      assertRefused(await admin.call('POST', 'state', body), 400, 'COULD_NOT_VALIDATE');
    const authorization = `Bearer ${admin.accessToken}`;
    for (const [type, body, status] of [
      ['application/json', '{"state":{},"state":{}}', 400],
      ['application/json', '{', 400],
      ['text/yaml', 'state: {}', 415],
    ] as const) {
      const headers = { authorization, 'content-type': type };
      assert.equal((await server.post('/edge/management/v1/state', { headers, body })).status, status, body);
    }
  });

  test('may be large', async () => {
    const identity = Array.from({ length: 1500 }, (_, n) => ({ name: `many ${n}`, tags: { n, of: 'many' } }));
    const made = await apply({ identity });
    assert.equal(made.status, 200, made.text.slice(0, 300));
    assert.equal(made.json.data.created.length, 1500);
    const pruned = await apply(
      { identity: [{ name: 'root' }, { name: 'ana' }, { name: 'bea' }] },
      { prune: true },
    );
    assert.equal(pruned.json.data.deleted.length, 1500);
  });

  test('is whole where the entities of a kind fill the pages in which they are read', async () => {
    const most = 500;
    const before = (await read('config-type'))['config-type'];
    const added = Array.from({ length: most - before.length }, (_, n) => ({ name: `filling.${n}` }));
    const filled = { 'config-type': [...before, ...added] };
    assert.equal((await apply(filled)).status, 200);
    assert.equal((await read('config-type'))['config-type'].length, most);
    await server.createUser({ name: 'page reader', password });
    const { items } = await server.store.identities.list(
      listOf({ op: '=', field: 'name', value: 'page reader' }),
    );
    const id = items[0]?.id as IdentityId;
    await server.store.identities.update(id, { permissions: ['read'] }, server.clock.now());
    const reader = await loggedIn(server, 'page reader');
    assert.equal((await reader.get('state?kinds=config-type')).json.data['config-type'].length, most);
    const one = { 'config-type': [...filled['config-type'], { name: 'filling.more' }] };
    assert.equal((await apply(one)).status, 200);
    assert.equal((await read('config-type'))['config-type'].length, most + 1);
    assertRefused(await reader.get('state?kinds=config-type'), 400, 'COULD_NOT_VALIDATE');
    assert.equal((await apply({ 'config-type': before }, { prune: true })).status, 200);
    await server.store.identities.delete(id, server.clock.now());
  });
});

describe('pruning', () => {
  test('deletes what no document names, of its kinds only, and never the default policy', async () => {
    createdId(await admin.call('POST', 'identities', { name: 'left over' }));
    const kept = { identity: [{ name: 'root' }, { name: 'ana' }, { name: 'bea' }] };
    assert.equal((await apply(kept)).json.data.deleted.length, 0);
    const tried = await apply(kept, { prune: true, dryRun: true });
    assert.deepEqual(names(tried.json.data.deleted), ['identity left over']);
    assert.deepEqual(names((await apply(kept, { prune: true })).json.data.deleted), ['identity left over']);
    assert.equal((await read('config-type'))['config-type'].length, 1);
  });

  test('deletes a policy and a signer that refer to one another, when no identity has the policy', async () => {
    const none = { 'auth-policy': [], 'ext-jwt-signer': [] };
    assertRefused(await apply(none, { prune: true }), 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
    const answer = await apply(
      { ...none, identity: [{ name: 'root' }, { name: 'ana', authPolicy: 'Default' }, { name: 'bea' }] },
      { prune: true },
    );
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(names(answer.json.data.deleted), ['auth-policy with a token', 'ext-jwt-signer idp']);
    const state = await read('auth-policy,ext-jwt-signer');
    assert.deepEqual([state['auth-policy'].length, state['ext-jwt-signer'].length], [1, 0]);
  });

  test('deletes a policy that identities have for their role attributes only', async () => {
    const before = await read('auth-policy,identity');
    const made = await apply({
      'auth-policy': [{ name: 'for crew', assignTo: ['crew'] }],
      identity: [{ name: 'sailor', roleAttributes: ['crew'] }],
    });
    assert.equal(made.status, 200, made.text);
    const pruned = await apply({ 'auth-policy': before['auth-policy'] }, { prune: true });
    assert.equal(pruned.status, 200, pruned.text);
    assert.deepEqual(names(pruned.json.data.deleted), ['auth-policy for crew']);
    const sailor = (await admin.get('identities?filter=name%3D%22sailor%22')).json.data[0];
    assert.deepEqual([sailor.authPolicyId, sailor.authPolicyFrom], ['default', 'default']);
    assert.equal((await apply({ identity: before.identity }, { prune: true })).status, 200);
  });

  test('never takes the last administrator, nor does any other change', async () => {
    for (const [state, options] of [
      [{ identity: [] }, { prune: true }],
      [{ identity: [{ name: 'ana' }] }, { prune: true }],
      [{ identity: [{ name: 'root', isAdmin: false }] }, {}],
      [{ identity: [{ name: 'root', disabled: true }] }, {}],
      [{ 'auth-policy': [{ name: 'Default', primary: { updb: { allowed: false } } }] }, {}],
    ] as const) {
      for (const dryRun of [true, false]) {
        assertRefused(await apply(state, { ...options, dryRun }), 409, 'CONFLICT');
      }
    }
    await login(server, 'root', password);
  });

  test('of one administrator is allowed if another one can log in', async () => {
    await server.createUser({ name: 'second', password, isAdmin: true });
    const answer = await apply(
      { identity: [{ name: 'root' }, { name: 'ana' }, { name: 'bea' }] },
      { prune: true },
    );
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(names(answer.json.data.deleted), ['identity second']);
  });
});

describe('the right to use it', () => {
  test('read a document may by permission, apply one only administrators', async () => {
    await server.createUser({ name: 'reader', password });
    const { items } = await server.store.identities.list(listOf({ op: '=', field: 'name', value: 'reader' }));
    const [reader] = items;
    assert.ok(reader !== undefined);
    const nobody = await loggedIn(server, 'reader');
    assert.equal((await nobody.get('state')).status, 403);
    assert.equal((await nobody.call('POST', 'state', { state: {} })).status, 403);
    await server.store.identities.update(reader.id, { permissions: ['helpdesk'] }, server.clock.now());
    const helper = await loggedIn(server, 'reader');
    assert.equal((await helper.get('state')).status, 200);
    assert.equal((await helper.call('POST', 'state', { state: {} })).status, 403);
    assert.equal((await server.get('/edge/management/v1/state')).status, 401);
    assertRefused(await admin.get('state?kinds=identity,services'), 400, 'COULD_NOT_VALIDATE');
    const twice = await admin.get('state?kinds=config-type,ca,config-type');
    assert.equal(twice.text.match(/"config-type":/g)?.length, 1);
  });

  test('disabling by a document follows the rules of any disabling', async () => {
    const inAnHour = isoTime(server.clock.now() + HOUR);
    for (const refused of [
      { disabled: true, disabledUntil: isoTime(server.clock.now() - HOUR) },
      { disabled: true, disabledUntil: '2999-01-01T00:00:00Z' },
      { disabled: false, disabledUntil: inAnHour },
    ]) {
      for (const name of ['reader', 'somebody new']) {
        const answer = await apply({ identity: [{ name, ...refused }] });
        assertRefused(answer, 400, 'COULD_NOT_VALIDATE');
        assert.match(answer.text, /disabledUntil/);
      }
    }
    assert.equal((await apply({ identity: [{ name: 'reader', disabledUntil: inAnHour }] })).status, 200);
    const [reader] = (await read('identity')).identity.filter(
      ({ name }: { name: string }) => name === 'reader',
    );
    assert.deepEqual([reader.disabled, reader.disabledUntil], [true, inAnHour]);
    assert.equal((await apply({ identity: [{ name: 'reader', disabled: false }] })).status, 200);
    await login(server, 'reader', password);
  });

  test('disabling by a document ends sessions, like any disabling', async () => {
    const someone = await loggedIn(server, 'reader');
    assert.equal((await apply({ identity: [{ name: 'reader', disabled: true }] })).status, 200);
    assert.equal((await someone.get('state')).status, 401);
    assert.equal((await apply({ identity: [{ name: 'reader', disabled: false }] })).status, 200);
    await login(server, 'reader', password);
    const events = server.log.entries.map(({ fields }) => fields);
    assert.ok(events.some(({ action, entity }) => action === 'disable' && entity === 'identity'));
  });
});

test('an entity of a document never gets the id of one of another kind with the same name', async () => {
  const signer = {
    name: 'same name',
    issuer: 'https://same.example',
    audience: 'x',
    jwksEndpoint: 'https://same.example/',
  };
  const made = await apply({
    'ext-jwt-signer': [signer],
    ca: [{ name: 'same name', certPem: authority({ subject: 'same name' }).certPem }],
    'oidc-client': [{ name: 'same name', type: 'public', redirectUris: ['https://same.example/cb'] }],
  });
  assert.equal(made.status, 200, made.text);
  const ids: string[] = [];
  for (const collection of ['external-jwt-signers', 'cas', 'oidc-clients'])
    ids.push((await admin.get(`${collection}?filter=name%3D%22same%20name%22`)).json.data[0].id);
  assert.equal(new Set(ids).size, 3, ids.join());
});

test('a document finds a policy and a signer however the letters of their names are composed', async () => {
  const named = (ue: string) => ({
    'auth-policy': [{ name: `B${ue}ro`, secondary: { requireExtJwt: `T${ue}r` } }],
    'ext-jwt-signer': [
      {
        name: `T${ue}r`,
        issuer: 'https://door.example',
        audience: 'x',
        jwksEndpoint: 'https://door.example/',
        useExternalId: true,
        createIdentities: { authPolicy: `B${ue}ro`, allowedRoleAttributes: ['b', `B${ue}ro`] },
      },
    ],
    identity: [{ name: `J${ue}rgen`, authPolicy: `B${ue}ro` }],
  });
  const made = await apply(named('u\u0308'), { dryRun: true });
  assert.equal(made.json.data?.created.length, 3, made.text);
  assert.equal((await apply(named('\u00fc'))).status, 200);
  const again = await apply(named('u\u0308'), { dryRun: true });
  assert.equal(again.json.data?.unchanged.length, 3, again.text);
});

test('a document whose texts are spelled in another form changes nothing when it is applied again', async () => {
  const models = ['2FC0579F-8113-47EA-B116-BB5A8DB9202A', '08987058-cadc-4b81-b6e1-30de50dcbe96'];
  const written = {
    'auth-policy': [{ name: 'keys', primary: { passkey: { allowedAuthenticators: models } } }],
    'ext-jwt-signer': [
      {
        name: 'gate',
        issuer: 'https://gate.example',
        audience: 'x',
        jwksEndpoint: 'https://gate.example/',
        clientId: '',
        useExternalId: true,
        createIdentities: { authPolicy: 'De\u0301fense', allowedRoleAttributes: ['b', ' u\u0308', 'b'] },
      },
    ],
    'oidc-client': [
      { name: 'board', id: 'board', type: 'public', redirectUris: ['https://board.example/cb'], logoUri: '' },
    ],
    identity: [
      { name: 'jo', email: ' Ju\u0308rgen@example.com', externalId: '' },
      { name: 'al', email: '' },
    ],
  };
  const policy = await apply({ 'auth-policy': [{ name: 'D\u00e9fense' }] });
  assert.equal(policy.status, 200, policy.text);
  const made = await apply(written);
  assert.equal(made.json.data?.created.length, 5, made.text);
  const again = await apply(written, { dryRun: true });
  assert.deepEqual(again.json.data?.changed, [], again.text);
  // No policy is not the policy of this name.
  assert.equal((await apply({ 'auth-policy': [{ name: 'null' }] })).status, 200);
  const named = await apply({ identity: [{ name: 'al', authPolicy: 'null' }] }, { dryRun: true });
  assert.equal(named.json.data?.changed.length, 1, named.text);
});
