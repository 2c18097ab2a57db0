// The console also shows each change as a command: the options that it names exist on the command line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entities } from '../../src/cli/client/entities/entities.ts';
import { changesOf, optionsFor } from '../../web/console/forms/draft.ts';
import { caFlags } from '../../web/console/screens/cas/ca-draft.ts';
import { clientFlags, createCommand, newClient } from '../../web/console/screens/clients/client-draft.ts';
import {
  createCommand as createSignerCommand,
  draftFrom,
  signerFlags,
} from '../../web/console/screens/signers/signer-draft.ts';

/** Flags by the path of their field. */
function flattened(flags: object): readonly (readonly [path: string, flag: string])[] {
  return Object.entries(flags).flatMap(([name, flag]) =>
    typeof flag === 'string'
      ? [[name, flag] as const]
      : flattened(flag).map(([path, each]) => [`${name}.${path}`, each] as const),
  );
}

for (const [noun, flags] of [
  ['oidc-client', clientFlags],
  ['ext-jwt-signer', signerFlags],
  ['ca', caFlags],
] as const) {
  test(`the options of ${noun} in the console are those of the command line`, () => {
    const { options = [] } = entities.find(({ name }) => name === noun) ?? {};
    const known = new Map(options.map(({ path, flags: typed }) => [path, typed.split(' ')[0]]));
    for (const [path, flag] of flattened(flags)) assert.equal(known.get(path), flag, path);
  });
}

test('a command says what is changed, and nothing where something cannot be typed', () => {
  const flags = {
    name: '--name',
    on: '--on',
    list: '--list',
    none: '--none',
    pairs: '--pair',
    count: '--count',
  };
  const before = { name: 'a', on: true, list: ['x'], none: 'y' as string | null, pairs: {}, count: 1 };
  const after = {
    ...before,
    name: "b'c",
    on: false,
    list: ['x', 'y'],
    none: null,
    pairs: { k: 'v=w' },
    count: 0,
  };
  assert.deepEqual(optionsFor(changesOf(before, after), flags), [
    ...['--name', "b'c", '--no-on', '--list', 'x,y', '--none', '', '--pair', 'k=v=w', '--count', '0'],
  ]);
  assert.deepEqual(optionsFor(changesOf(before, { ...before, list: ['x'] }), flags), []);
  assert.equal(optionsFor({ other: 1 }, {}), null);
  assert.equal(optionsFor({ pairs: {} }, flags), null, 'no option takes all pairs away');
});

test('the command for a new one contains what differs from the defaults', () => {
  const client = {
    ...newClient,
    name: 'wiki',
    type: 'confidential',
    tokenEndpointAuthMethod: 'client_secret_basic',
  } as const;
  assert.deepEqual(createCommand(client), ['create', 'oidc-client', 'wiki', 'confidential']);
  assert.deepEqual(createSignerCommand({ ...draftFrom(null), name: 'a', issuer: 'b', audience: 'c' }), [
    ...['create', 'ext-jwt-signer', 'a', 'b', 'c', '--use-external-id'],
  ]);
});
