// The console also shows each change as a command: the options that it names exist on the command line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entities } from '../../src/cli/client/entities/entities.ts';
import { authPolicyEntity } from '../../src/model/entities/auth-policy.ts';
import { caEntity } from '../../src/model/entities/ca.ts';
import { externalJwtSignerEntity } from '../../src/model/entities/external-jwt-signer.ts';
import { identityEntity } from '../../src/model/entities/identity.ts';
import { oidcClientEntity } from '../../src/model/entities/oidc-client.ts';
import { createCommand, spellings, updateCommand } from '../../web/console/forms/command.ts';
import { changesOf, newDraft, withValues } from '../../web/console/forms/entity-fields.ts';
import { usualMethod } from '../../web/console/screens/clients/auth-method.ts';

for (const [noun, { args, options }] of Object.entries(spellings)) {
  test(`arguments and options of ${noun} in the console are those of the command line`, () => {
    const entity = entities.find(({ name }) => name === noun);
    const known = new Map(entity?.options?.map(({ path, flags }) => [path, flags.split(' ')[0]]));
    for (const [path, option] of Object.entries(options)) assert.equal(known.get(path), option, path);
    assert.deepEqual(
      entity?.createArguments?.map(({ path }) => path),
      args,
    );
  });
}

test('a command says what is changed, and nothing where something cannot be typed', () => {
  const before = newDraft(oidcClientEntity, { name: 'a', type: 'public', jwksUri: 'https://y' });
  const typed = (changes: Readonly<Record<string, unknown>>) =>
    updateCommand(oidcClientEntity, 'x', changesOf(oidcClientEntity, before, withValues(before, changes)));
  const after = {
    name: "b'c",
    jwksUri: null,
    requirePkce: false,
    scopes: ['openid', 'groups'],
    claims: { email: 'tags.mail=x' },
  };
  assert.deepEqual(typed(after), [
    ...['update', 'oidc-client', 'x', '--name', "b'c", '--jwks-uri', '', '--no-require-pkce'],
    ...['--scopes', 'openid,groups', '--claim', 'email=tags.mail=x'],
  ]);
  assert.deepEqual(typed({}), ['update', 'oidc-client', 'x']);
  assert.equal(typed({ jwks: { keys: [] } }), null);
  assert.equal(updateCommand(oidcClientEntity, 'x', { claims: {} }), null, 'no option takes all pairs away');
  assert.deepEqual(updateCommand(authPolicyEntity, 'x', { 'primary.updb.mustChangeAfter': null }), [
    ...['update', 'auth-policy', 'x', '--must-change-after', ''],
  ]);
});

test('the command for a new one contains what differs from the defaults', () => {
  const client = newDraft(oidcClientEntity, {
    name: 'wiki',
    type: 'confidential',
    tokenEndpointAuthMethod: 'client_secret_basic',
  });
  const usual = { tokenEndpointAuthMethod: usualMethod('confidential') };
  assert.deepEqual(createCommand(oidcClientEntity, client, usual), [
    ...['create', 'oidc-client', 'wiki', 'confidential'],
  ]);
  const signer = { name: 'a', issuer: 'b', audience: 'c', useExternalId: true };
  assert.deepEqual(createCommand(externalJwtSignerEntity, newDraft(externalJwtSignerEntity, signer)), [
    ...['create', 'ext-jwt-signer', 'a', 'b', 'c', '--use-external-id'],
  ]);
  const ca = newDraft(caEntity, { name: 'a', certPem: '-----BEGIN', isAuthEnabled: true });
  assert.deepEqual(createCommand(caEntity, ca), ['create', 'ca', 'a', 'certificate.pem', '--auth']);
  const person = newDraft(identityEntity, { name: 'a', type: 'User' });
  assert.deepEqual(createCommand(identityEntity, person), ['create', 'identity', 'a', '--type', 'User']);
});
