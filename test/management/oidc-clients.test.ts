// What administrators may register.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import { assertRefused, createdId, rootOf } from '../support/management.ts';
import { addSecret } from '../support/oidc-clients.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile({
  configure: (yaml) => yaml.replace('clientIds: []', 'clientIds: [native]'),
});
const root = await rootOf(server);

let count = 0;
const name = () => `app ${++count}`;
const create = (fields: Record<string, unknown>) =>
  root.call('POST', 'oidc-clients', { name: name(), ...fields });

test('a client has these members, with safe defaults', async () => {
  const id = createdId(await create({ type: 'confidential', redirectUris: ['https://app.example/cb'] }));
  const { data } = (await root.get(`oidc-clients/${id}`)).json;
  const { _links, createdAt, updatedAt, name: _name, ...rest } = data;
  assert.deepEqual(rest, {
    id,
    tags: {},
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
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    droppedScopes: [],
    apiAccess: false,
    resources: [],
    allowedRoleAttributes: [],
    claims: {},
    accessTokenDuration: null,
    refreshTokenDuration: null,
  });
  assert.deepEqual([_links.self.href, createdAt], [`./oidc-clients/${id}`, updatedAt]);
});

test('it is changed in part or as a whole, listed, filtered and deleted', async () => {
  const id = createdId(await create({ id: 'wiki', type: 'public' }));
  assert.equal(id, 'wiki');
  const patch = { accessTokenDuration: '5m', claims: { email: 'tags.mail' }, tags: { a: 1 } };
  assert.equal((await root.call('PATCH', 'oidc-clients/wiki', patch)).status, 200);
  const read = async () => (await root.get('oidc-clients/wiki')).json.data;
  const { accessTokenDuration, claims, tags } = await read();
  assert.deepEqual({ accessTokenDuration, claims, tags }, patch);
  const whole = { name: 'Wiki', type: 'confidential', scopes: ['email', 'openid'] };
  assert.equal((await root.call('PUT', 'oidc-clients/wiki', whole)).status, 200);
  const replaced = await read();
  assert.deepEqual(
    [replaced.name, replaced.scopes, replaced.accessTokenDuration, replaced.tokenEndpointAuthMethod],
    ['Wiki', ['openid', 'email'], null, 'client_secret_basic'],
  );
  // A document may be sent back as it was read.
  assert.equal((await root.call('PUT', 'oidc-clients/wiki', replaced)).status, 200);
  const filter = encodeURIComponent('name = "Wiki" and type = "confidential"');
  assert.equal((await root.get(`oidc-clients?filter=${filter}`)).json.meta.pagination.totalCount, 1);
  assert.equal((await root.call('DELETE', 'oidc-clients/wiki')).status, 200);
  assert.equal((await root.get('oidc-clients/wiki')).status, 404);
  assert.equal((await root.call('DELETE', 'oidc-clients/wiki')).status, 404);
});

test('changes of different fields at the same moment all stay', async () => {
  const fields = { type: 'public', redirectUris: ['https://stolen.example/cb'], scopes: ['openid', 'email'] };
  const id = createdId(await create(fields));
  const patches = [{ redirectUris: [] }, { scopes: ['openid'] }, { tags: { by: 'somebody else' } }];
  const answers = await Promise.all(patches.map((patch) => root.call('PATCH', `oidc-clients/${id}`, patch)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  const { redirectUris, scopes, tags } = (await root.get(`oidc-clients/${id}`)).json.data;
  assert.deepEqual({ redirectUris, scopes, tags }, { ...patches[0], ...patches[1], ...patches[2] });
});

test('unacceptable values are refused with the name of the field', async () => {
  createdId(await create({ id: 'taken', type: 'public' }));
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const secret = { keys: [await exportJWK(privateKey)] };
  const attempts: readonly (readonly [string, Record<string, unknown>])[] = [
    ['id', { id: 'overlay' }],
    ['id', { id: 'native' }],
    ['id', { id: 'overlay-edge-apis' }],
    ['id', { id: 'taken' }],
    ['id', { id: 'a b' }],
    ['id', { id: 'urn:app:wiki' }],
    ['id', { id: '-a' }],
    ['id', { id: '' }],
    ['type', { type: 'secret' }],
    ['redirectUris', { redirectUris: ['http://app.example/cb'] }],
    ['redirectUris', { redirectUris: ['https://*.app.example/cb'] }],
    ['redirectUris', { redirectUris: ['https://app.example/cb#x'] }],
    ['redirectUris', { redirectUris: ['javascript:alert(1)'] }],
    ['postLogoutRedirectUris', { postLogoutRedirectUris: ['https://app.example/*'] }],
    ['tokenEndpointAuthMethod', { tokenEndpointAuthMethod: 'client_secret_basic' }],
    ['tokenEndpointAuthMethod', { type: 'confidential', tokenEndpointAuthMethod: 'none' }],
    ['tokenEndpointAuthMethod', { tokenEndpointAuthMethod: 'client_secret_jwt' }],
    ['requirePkce', { requirePkce: false }],
    ['idTokenSigningAlg', { idTokenSigningAlg: 'none' }],
    ['idTokenSigningAlg', { idTokenSigningAlg: 'HS256' }],
    ['scopes', { scopes: ['openid', 'admin'] }],
    ['scopes', { scopes: ['profile'] }],
    ['resources', { resources: ['overlay-edge-apis'] }],
    ['resources', { resources: ['https://api.example/#x'] }],
    ['claims', { claims: { sub: 'name' } }],
    ['claims', { claims: { email: 'passwordHash' } }],
    ['claims', { claims: { email: 'roleAttributes' } }],
    ['accessTokenDuration', { accessTokenDuration: '31m' }],
    ['accessTokenDuration', { accessTokenDuration: '59s' }],
    ['accessTokenDuration', { accessTokenDuration: 300 }],
    ['accessTokenDuration', { accessTokenDuration: 'soon' }],
    ['refreshTokenDuration', { refreshTokenDuration: '25h' }],
    ['refreshTokenDuration', { accessTokenDuration: '10m', refreshTokenDuration: '10m' }],
    ['jwks', { type: 'confidential', tokenEndpointAuthMethod: 'private_key_jwt' }],
    ['jwks', { type: 'confidential', tokenEndpointAuthMethod: 'private_key_jwt', jwks: secret }],
    ['jwks', { type: 'confidential', tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [] } }],
    ['jwksUri', { type: 'confidential', jwksUri: 'http://app.example/keys' }],
    ['jwksUri', { type: 'confidential', jwksUri: 'https://169.254.169.254/keys' }],
    ['backchannelLogoutUri', { backchannelLogoutUri: 'http://app.example/logout' }],
    ['backchannelLogoutUri', { backchannelLogoutUri: 'https://app.example/logout#x' }],
    ['backchannelLogoutUri', { backchannelLogoutUri: 'https://169.254.169.254/logout' }],
    ['backchannelLogoutUri', { backchannelLogoutUri: 'https://user:password@app.example/logout' }],
    ['requirePKCE', { requirePKCE: true }],
  ];
  for (const [field, fields] of attempts) {
    const answer = await create({ type: 'public', ...fields });
    assertRefused(answer, field);
  }
  const taken = await root.call('POST', 'oidc-clients', { name: 'app of somebody', type: 'public' });
  createdId(taken);
  const again = await root.call('POST', 'oidc-clients', { name: 'app of somebody', type: 'public' });
  assertRefused(again, 'name');
  // A change is judged together with what stays.
  const id = createdId(await create({ type: 'confidential', requirePkce: false }));
  const patched = await root.call('PATCH', `oidc-clients/${id}`, {
    type: 'public',
    tokenEndpointAuthMethod: 'none',
  });
  assertRefused(patched, 'requirePkce');
});

test('secrets are shown once, at most two, and for clients that use them', async () => {
  const id = createdId(await create({ type: 'confidential' }));
  const [first, second] = [await addSecret(root, id), await addSecret(root, id)];
  assert.match(first, /^[\w-]{43}$/);
  assert.notEqual(first, second);
  assertRefused(await root.call('POST', `oidc-clients/${id}/secrets`), 409, 'CONFLICT');
  const listed = await root.get(`oidc-clients/${id}/secrets`);
  assert.deepEqual(Object.keys(listed.json.data[0]), ['id', 'createdAt', 'lastUsedAt']);
  for (const path of [`oidc-clients/${id}/secrets`, `oidc-clients/${id}`, 'oidc-clients?limit=none']) {
    const { text } = await root.get(path);
    assert.ok(!text.includes(first) && !text.includes(second), path);
  }
  const secretId = listed.json.data[0].id;
  const other = createdId(await create({ type: 'confidential' }));
  assert.equal((await root.call('DELETE', `oidc-clients/${other}/secrets/${secretId}`)).status, 404);
  assert.equal((await root.call('DELETE', `oidc-clients/${id}/secrets/${secretId}`)).status, 200);
  assert.equal((await root.call('DELETE', `oidc-clients/${id}/secrets/${secretId}`)).status, 404);
  await addSecret(root, id);
  const open = createdId(await create({ type: 'public' }));
  assertRefused(await root.call('POST', `oidc-clients/${open}/secrets`), 409, 'CONFLICT');
  assert.equal((await root.call('POST', 'oidc-clients/nobody/secrets')).status, 404);
});
