import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { stateKinds } from '../../src/model/entities/state-kinds.ts';
import { commandLine, exits } from '../support/command-line.ts';
import { password } from '../support/management.ts';
import { logInAs, serverOfRoot } from './support.ts';

const { cli, server } = await serverOfRoot();

const fine = (args: readonly string[]) => cli.exits(0, args);

const file = (name: string, text: string): string => {
  writeFileSync(join(cli.cwd, name), text);
  return name;
};

describe('export', () => {
  test('has no kind that docs/declarative-state.md leaves out', () => {
    const page = readFileSync(new URL('../../docs/declarative-state.md', import.meta.url), 'utf8');
    const described = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, kind]) => kind);
    assert.deepEqual(described, [...stateKinds]);
  });

  test('prints YAML of all kinds, or of the named ones, and JSON with -j', async () => {
    const all = parse((await fine(['export'])).stdout);
    assert.deepEqual(Object.keys(all), [
      'auth-policy',
      'ext-jwt-signer',
      'ca',
      'config-type',
      'event-subscription',
      'oidc-client',
      'identity',
    ]);
    assert.equal(all.identity[0].name, 'root');
    const some = await fine(['export', '--kind', 'config-type', '--kind', 'ca']);
    assert.deepEqual(parse(some.stdout), { 'config-type': [], ca: [] });
    assert.deepEqual((await fine(['export', '--kind', 'ca', '-j'])).json, { ca: [] });
    const wrong = await cli.exits(2, ['export', '--kind', 'service']);
    assert.match(wrong.stderr, /choose one of: auth-policy,/);
  });

  test('has a JSON Schema for editors, without a server', async () => {
    const schema = JSON.parse(
      (await fine(['export', '--schema', '--server', 'https://nobody.example'])).stdout,
    );
    assert.equal(schema.type, 'object');
    assert.equal(schema.additionalProperties, false);
    assert.ok(schema.properties.identity.items.properties.roleAttributes);
  });
});

describe('apply', () => {
  test('shows the difference, makes it, and makes nothing the second time', async () => {
    const people = file('people.yml', 'identity:\n  - name: ana\n    roleAttributes: [staff]\n');
    const types = file('types.json', '{"config-type": [{"name": "host.v1"}]}');
    writeFileSync(join(cli.cwd, 'latin1.yml'), Buffer.from('identity:\n  - name: M\u00fcller\n', 'latin1'));
    const other = await cli.exits(2, ['apply', 'latin1.yml', '--dry-run']);
    assert.match(other.stderr, /line 2 is not in UTF-8/);
    const tried = await fine(['apply', people, types, '--dry-run']);
    assert.match(tried.stdout, /^\+ config-type host\.v1\n\+ identity ana\n2 created, 0 changed/);
    assert.match(tried.stdout, /trial: nothing was changed/);
    const made = await fine(['apply', people, types, '-j']);
    assert.deepEqual(made.json, {
      created: [
        { kind: 'config-type', name: 'host.v1' },
        { kind: 'identity', name: 'ana' },
      ],
      changed: [],
      deleted: [],
      unchanged: [],
    });
    assert.equal(
      (await fine(['apply', people, types])).stdout,
      '0 created, 0 changed, 0 deleted, 2 unchanged.\n',
    );
    file('people.yml', 'identity:\n  - name: ana\n    roleAttributes: [staff, lab]\n');
    // More than a secret has.
    const many = Array.from({ length: 900 }, (_, at) => ({
      name: `person ${at}`,
      roleAttributes: ['staff'],
    }));
    const input = JSON.stringify({ identity: many }, null, 2);
    const piped = await cli.exits(0, ['apply', '-', '--dry-run'], { input });
    assert.match(piped.stdout, /^900 created, 0 changed/m);
    const changed = await fine(['apply', people]);
    assert.match(changed.stdout, /^~ identity ana\n {4}roleAttributes: \["staff"\] -> \["staff","lab"\]\n/);
  });

  test('accepts what export printed', async () => {
    // A tag may be any text: also what a terminal would obey, or show in another order.
    const tags = { a: 'a\u001b[2J\u009b31m', b: 'one\rtwo\u007f', c: '\u202egnp', d: '\u0085\n' };
    const odd = file('odd.json', JSON.stringify({ 'config-type': [{ name: 'odd', tags }] }));
    await fine(['apply', odd]);
    const outputs = [['export'], ['export', '-j'], ['export', 'audit'], ['get', 'config-type', 'odd', '-j']];
    for (const args of outputs) {
      assert.doesNotMatch((await fine(args)).stdout, /[^\P{Cc}\n]|\p{Bidi_Control}/u);
    }
    const types: readonly { readonly name: string; readonly tags: object }[] = parse(
      (await fine(['export'])).stdout,
    )['config-type'];
    assert.deepEqual(types.find(({ name }) => name === 'odd')?.tags, tags);
    const exported = file('all.yml', (await fine(['export'])).stdout);
    const { created, changed, deleted } = (await fine(['apply', exported, '--prune', '--yes', '-j'])).json;
    assert.deepEqual([created, changed, deleted], [[], [], []]);
  });

  test('asks before it prunes, unless told not to', async () => {
    await fine(['create', 'identity', 'left over']);
    const kept = file('kept.yml', 'identity: [{ name: root }, { name: ana }]\n');
    const unasked = await cli.exits(2, ['apply', kept, '--prune']);
    assert.match(unasked.stderr, /would delete one entity, and there is no terminal to ask/);
    assert.match(unasked.stderr, /next: look with --dry-run, then add --yes/);
    const refused = await cli.exits(1, ['apply', kept, '--prune'], { person: answering('n') });
    assert.match(refused.stderr, /- identity left over[\s\S]*Delete one entity[\s\S]*Nothing was changed/);
    await fine(['get', 'identity', 'left over']);
    const agreed = await cli.exits(0, ['apply', kept, '--prune'], { person: answering('y') });
    assert.match(agreed.stdout, /^- identity left over\n/);
    await cli.exits(1, ['get', 'identity', 'left over']);
  });

  test('needs --force to take the last administrator', async () => {
    const nobody = file('nobody.yml', 'identity: []\n');
    const outcome = await cli.exits(1, ['apply', nobody, '--prune', '--yes']);
    assert.match(
      outcome.stderr,
      /would leave no administrator who can log in\.\n.*\nnext: .*, or add --force\n$/,
    );
    await fine(['get', 'identity', 'root']);
    await fine(['apply', nobody, '--prune', '--yes', '--force', '--dry-run']);
  });

  test('needs --force to take the identity of the login itself', async () => {
    await server.createUser({ name: 'job', password, isAdmin: true });
    await using other = commandLine();
    await exits(0, logInAs(other, server, 'job'));
    const people = join(cli.cwd, file('without-job.yml', 'identity: [{ name: root }, { name: ana }]\n'));
    for (const more of [[], ['--dry-run']]) {
      const refused = await other.exits(1, ['apply', people, '--prune', '--yes', ...more]);
      assert.match(
        refused.stderr,
        /No document names "job", the identity of this login.*\.\n.*\nnext: add it to a document, or add --force\n$/,
      );
    }
    const forced = await other.exits(0, ['apply', people, '--prune', '--yes', '--force']);
    assert.match(forced.stdout, /^- identity job\n/);
  });

  test('needs --force for a name that passes for that of another identity', async () => {
    const alike = file('alike.yml', 'identity:\n  - name: ROOT\n');
    for (const more of [[], ['--dry-run'], ['--prune', '--yes', '--dry-run']]) {
      const outcome = await cli.exits(1, ['apply', alike, ...more]);
      assert.match(
        outcome.stderr,
        /it passes for a name of the identity "root"\.\n.*\nnext: .*, or add --force\n$/,
      );
      await fine(['apply', alike, '--dry-run', '--force']);
    }
    assert.equal((await fine(['apply', alike, '--force'])).stdout.split('\n')[0], '+ identity ROOT');
    await fine(['delete', 'identity', 'ROOT', '--yes']);
  });

  test('refuses files that are wrong, and says where', async () => {
    for (const [text, message] of [
      ['identity: [{ name: ana, roleAtributes: [] }]', /nearest known name is roleAttributes/],
      ['identitys: []', /nearest known name is identity/],
      ['identitys: [{ name: ana }]', /^error: wrong\.yml:1: identitys: is not known here: .* is identity/],
      [
        'identity:\n  - name: ana\n  - name: "b[0].c"\n    authPolicy: gone',
        /^error: wrong\.yml:4: identity b\[0\]\.c, authPolicy: names no auth policy\.$/m,
      ],
      ['identity: ana', /wrong\.yml: identity does not hold a list/],
      ['identity: [', /wrong\.yml:1: the file is not valid YAML: /],
      ['- ana', /does not contain an object/],
      ['identity: [{ name: ana, authPolicy: gone }]', /identity\[ana\]\.authPolicy|names no auth policy/],
    ] as const) {
      const outcome = await cli.run(['apply', file('wrong.yml', text)]);
      assert.notEqual(outcome.code, 0, text);
      assert.match(outcome.stderr, message);
    }
    // The same name, whichever way it is typed.
    for (const [one, other] of [
      ['cleo', 'cleo'],
      ['cl\u00e9o', '"cle\u0301o "'],
    ]) {
      const twice = await cli.exits(2, [
        'apply',
        file('one.yml', `identity: [{ name: ${one} }]`),
        file('two.yml', `identity: [{ name: ${other} }]`),
      ]);
      assert.match(twice.stderr, RegExp(`identity ${one} appears twice: in one\\.yml and in two\\.yml`));
    }
  });

  test('says in which file, line and entry the server found what is wrong', async () => {
    const first = file('first.yml', 'identity:\n  - name: dora\n');
    const text =
      'identity:\n  - name: emil\n  - name: fritz\n    roleAttributes:\n      - sales\n      - 7\n';
    const wrong = await cli.exits(1, ['apply', first, file('second.yml', text)]);
    assert.match(wrong.stderr, /^error: second\.yml:6: identity fritz, roleAttributes\.1: (?!The supplied)/);
    assert.match(wrong.stderr, /next: correct the file; nothing was changed/);
    const json = '{"auth-policy": [\n{"name": "p",\n "primary": {"updb": {"allowed": "perhaps"}}}]}';
    const inJson = await cli.run(['apply', file('third.json', json)]);
    assert.match(inJson.stderr, /^error: third\.json:3: auth-policy p, primary\.updb\.allowed: /);
    const misspelt = await cli.run([
      'apply',
      file('fourth.yml', 'identity:\n  - name: gerd\n    roleAtributes: []\n'),
    ]);
    assert.match(misspelt.stderr, /^error: fourth\.yml:3: identity gerd, roleAtributes: .*roleAttributes/);
    for (const [text, line] of [
      ['identty:\n  - name: gerd\n', 1],
      ['identity: []\nidentty: []\n', 2],
    ] as const) {
      const unknown = await cli.run(['apply', file('fifth.yml', text)]);
      assert.match(unknown.stderr, new RegExp(`^error: fifth\\.yml:${line}: identty: .*nearest.*identity`));
    }
  });

  test('a client secret comes from a file beside the document, or from the environment', async () => {
    mkdirSync(join(cli.cwd, 'folder'));
    file('folder/secret.txt', 'of our client there\n');
    const described = (secret: string) => `ext-jwt-signer:
  - name: Example ID
    issuer: https://id.example
    audience: overlay
    jwksEndpoint: https://id.example/jwks
    clientId: overlay
    clientSecret: ${secret}
`;
    const apply = (secret: string, env = {}) =>
      cli.run(['apply', file('folder/signers.yml', described(secret)), '-j'], { env });
    for (const [secret, counts] of [
      ['{ file: secret.txt }', { created: 1, changed: 0, unchanged: 0 }],
      ['{ env: CLIENT_SECRET }', { created: 0, changed: 0, unchanged: 1 }],
    ] as const) {
      const outcome = await exits(0, apply(secret, { CLIENT_SECRET: 'of our client there' }));
      const { created, changed, unchanged } = outcome.json;
      const seen = { created: created.length, changed: changed.length, unchanged: unchanged.length };
      assert.deepEqual(seen, counts);
    }
    const exported = await fine(['export', '--kind', 'ext-jwt-signer']);
    assert.doesNotMatch(exported.stdout, /of our client|sealed|clientSecret/);
    for (const [secret, message] of [
      ['{ file: gone.txt }', /secret file .*gone\.txt cannot be read/],
      ['{ env: UNSET }', /environment variable UNSET, which is not set/],
      ['{ env: EMPTY }', /environment variable EMPTY, which is not set or empty/],
      ['{ vault: a }', /neither a file nor an environment variable/],
    ] as const) {
      const outcome = await exits(2, apply(secret, { EMPTY: '' }));
      assert.match(outcome.stderr, message);
    }
  });
});

function answering(answer: string) {
  let isAsked = false;
  return (screen: string): string | undefined => {
    if (isAsked || !screen.includes('[y/N] ')) return undefined;
    isAsked = true;
    return answer;
  };
}
