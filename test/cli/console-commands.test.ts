// The console also shows each change as a command: the options that it names exist on the command line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgram } from '../../src/cli/program.ts';
import { systemPorts } from '../../src/cli/terminal/ports.ts';
import { authPolicyEntity } from '../../src/model/entities/auth-policy.ts';
import { caEntity } from '../../src/model/entities/ca.ts';
import { externalJwtSignerEntity } from '../../src/model/entities/external-jwt-signer.ts';
import { identityEntity } from '../../src/model/entities/identity.ts';
import { oidcClientEntity } from '../../src/model/entities/oidc-client.ts';
import { argumentsOf, optionsOf } from '../../src/model/entities/typed-fields.ts';
import { createCommand, updateCommand } from '../../web/console/forms/command.ts';
import { changesOf, fieldAt, newDraft, withValues } from '../../web/console/forms/entity-fields.ts';
import { usualMethod } from '../../web/console/screens/clients/auth-method.ts';
import { usualOf } from '../../web/console/screens/signers/usual.ts';

const described = [identityEntity, authPolicyEntity, externalJwtSignerEntity, caEntity, oidcClientEntity];

const program = createProgram(systemPorts());

function commandOf(verb: string, noun: string) {
  const command = program.commands.find((one) => one.name() === verb);
  const found = command?.commands.find((one) => one.name() === noun);
  assert.ok(found, `${verb} ${noun}`);
  return found;
}

test('arguments and options in the console are those of the command line', () => {
  for (const entity of described) {
    const [create, update] = [commandOf('create', entity.kind), commandOf('update', entity.kind)];
    const args = argumentsOf(entity);
    assert.deepEqual(
      create.registeredArguments.map((argument) => argument.name()),
      args.map(({ spelling }) => spelling.replace(/[<>[\]]/g, '')),
    );
    const known = (command: typeof create) => new Set(command.options.map(({ long }) => long));
    for (const { path } of args) assert.ok(fieldAt(entity, path), path);
    for (const { path, field, spelling, help, only } of optionsOf(entity)) {
      assert.ok(fieldAt(entity, path), path);
      // The opposite of a flag is "do not" and its help.
      if (field.kind === 'flag') assert.doesNotMatch(help, /^(?:an?|the|its?|this|whether) /, spelling);
      const option = spelling.split(' ')[0] ?? '';
      if (only !== 'update') assert.ok(known(create).has(option), `${entity.kind} ${option}`);
      if (only !== 'create') assert.ok(known(update).has(option), `${entity.kind} ${option}`);
    }
  }
});

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
  for (const untyped of [
    { tags: { floor: 4 } },
    { tags: { lift: null } },
    { claims: { 'a=b': 'c' } },
    { redirectUris: ['https://y/?a=1,2'] },
  ])
    assert.equal(updateCommand(oidcClientEntity, 'x', untyped), null, JSON.stringify(untyped));
  const removed = { clientSecret: null, certPem: null };
  assert.deepEqual(updateCommand(externalJwtSignerEntity, 'x', removed), [
    ...['update', 'ext-jwt-signer', 'x', '--client-secret-file', '', '--cert', ''],
  ]);
  const rule = { location: 'COMMON_NAME', matcher: 'ALL', matcherCriteria: '', parser: 'NONE', index: 0 };
  assert.deepEqual(updateCommand(caEntity, 'x', { externalIdClaim: rule }), [
    ...['update', 'ca', 'x', '--claim-location', 'COMMON_NAME', '--claim-matcher', 'ALL'],
    ...['--claim-matches', '', '--claim-parser', 'NONE', '--claim-index', '0'],
  ]);
  assert.deepEqual(updateCommand(authPolicyEntity, 'x', { 'primary.updb.mustChangeAfter': null }), [
    ...['update', 'auth-policy', 'x', '--must-change-after', ''],
  ]);
});

test('the command for a new one contains what differs from the defaults', () => {
  const client = newDraft(oidcClientEntity, {
    name: 'wiki',
    type: 'confidential',
    tokenEndpointAuthMethod: 'client_secret_basic',
    idTokenSigningAlg: 'RS256',
  });
  const usual = { tokenEndpointAuthMethod: usualMethod('confidential'), idTokenSigningAlg: 'RS256' };
  assert.deepEqual(createCommand(oidcClientEntity, client, usual), [
    ...['create', 'oidc-client', 'wiki', 'confidential'],
  ]);
  const signer = {
    name: 'a',
    issuer: 'b',
    audience: 'c',
    useExternalId: true,
    clientAuthMethod: 'none',
  };
  for (const [given, options] of [
    [{ discovery: true }, []],
    [{ jwksEndpoint: 'https://b/keys' }, ['--jwks-endpoint', 'https://b/keys']],
    [{}, ['--no-discovery']],
  ] as const) {
    const draft = newDraft<Parameters<typeof usualOf>[0]>(externalJwtSignerEntity, { ...signer, ...given });
    assert.deepEqual(createCommand(externalJwtSignerEntity, draft, usualOf(draft)), [
      ...['create', 'ext-jwt-signer', 'a', 'b', 'c', ...options, '--use-external-id'],
    ]);
  }
  const ca = newDraft(caEntity, { name: 'a', certPem: '-----BEGIN', isAuthEnabled: true });
  assert.deepEqual(createCommand(caEntity, ca), ['create', 'ca', 'a', 'certificate.pem', '--auth']);
  const person = newDraft(identityEntity, { name: 'a', type: 'User' });
  assert.deepEqual(createCommand(identityEntity, person), ['create', 'identity', 'a', '--type', 'User']);
});

test('a name that begins with a dash is no option of the command', () => {
  for (const name of ['-x', '--name', '--']) {
    const draft = newDraft(identityEntity, { name, type: 'User', externalId: name });
    const [verb = '', noun = '', ...words] = createCommand(identityEntity, draft) ?? [];
    const command = commandOf(verb, noun);
    assert.deepEqual(command.parseOptions(words), { operands: [name], unknown: [] }, words.join(' '));
    assert.equal(command.getOptionValue('externalId'), name);
  }
});
