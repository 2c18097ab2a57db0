import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CommandLine, commandLine } from '../support/command-line.ts';
import { createSigner } from '../support/external-jwt.ts';
import { loggedIn, password } from '../support/management.ts';
import { serverOfRoot } from './support.ts';

const { server, cli } = await serverOfRoot();
await server.createUser({ name: 'Grace Hopper', password });
const admin = await loggedIn(server, 'root');
for (const name of ['first', 'second'])
  await createSigner(
    admin,
    { issuer: `https://${name}.example`, jwksEndpoint: 'https://localhost:1/' },
    name,
  );
const entry = new URL('../../src/main.ts', import.meta.url).pathname;
const command = `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`;
writeFileSync(join(cli.cwd, 'overlay-auth'), command, { mode: 0o755 });

/** On a busy machine the usual time may be too short. */
const patient = { OVERLAY_AUTH_COMPLETION_SECONDS: '60' };

async function offered(who: CommandLine, ...words: string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await who.exits(0, ['complete', '--', ...words], { env: patient });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((line) => line !== '');
}

test('offers what can come next: commands, options, choices, names from the server, files', async () => {
  for (const [words, expected] of [
    [['log'], ['login', 'logout']],
    [['edge', 'li'], ['list']],
    [['get', 'ident'], ['identity']],
    [['list', 'identiti'], ['identities']],
    [
      ['get', 'identity', ''],
      ['Grace Hopper', 'root'],
    ],
    [['delete', 'identity', 'root', 'G'], ['Grace Hopper']],
    [['identity', 'unlock', 'G'], ['Grace Hopper']],
    [['create', 'enrollment', 'ott', 'r'], ['root']],
    [['update', 'identity', 'root', '--auth-policy', ''], ['Default']],
    [['update', 'auth-policy', 'Default', '--allowed-signers', 'first,'], ['first,second']],
    [
      ['update', 'auth-policy', 'Default', '--allowed-signers', ''],
      ['first', 'second'],
    ],
    [
      ['create', 'event-subscription', 'x', 'webhook', 'https://x', '--events', 'login.refused,admin'],
      ['login.refused,admin.changed'],
    ],
    [
      ['create', 'identity', 'x', '--type', 'De'],
      ['Default', 'Device'],
    ],
    [
      ['login', '--c'],
      ['--ca', '--cert'],
    ],
    [['login', '-c', 'x.pem', '--to'], ['--totp-code']],
    [
      ['whoami', '--server', ''],
      [server.url, `root@${new URL(server.url).host}`],
    ],
    [['--server', 'root', 'identity', 'unlock', 'G'], ['Grace Hopper']],
    [['login', 'use', 'root'], [`root@${new URL(server.url).host}`]],
    [['login', '--ca', ''], [':files']],
    [['run', 'controller', ''], [':files']],
    [
      ['explain', ''],
      ['policy', 'token'],
    ],
    [
      ['explain', ''],
      ['policy', 'token'],
    ],
    [['explain', 'policy', 'G'], ['Grace Hopper']],
    [['create', 'identity', ''], []],
    [['nonsense', 'more', ''], []],
    [['list', 'identities', '--limit', ''], []],
  ] as const) {
    const found = (await offered(cli, ...words)).filter((word) => word !== 'help');
    assert.deepEqual([...found].sort(), [...expected].sort(), words.join(' '));
  }
});

test('without a login or a known server, says and offers nothing', async () => {
  await using stranger = commandLine();
  assert.deepEqual(await offered(stranger, 'get', 'identity', ''), []);
  assert.deepEqual(await offered(cli, 'get', 'identity', '--server', 'https://nobody.invalid', ''), []);
});

/** Asynchronous, because the server it asks runs in this process. */
async function run(shell: string, args: readonly string[]): Promise<readonly string[]> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(shell, args, {
    cwd: cli.cwd,
    env: { PATH: `${cli.cwd}:${PATH}`, HOME, OVERLAY_AUTH_CONFIG_DIR: cli.configDir, ...patient },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  await once(child, 'close');
  return stdout.split('\n').filter((line) => line !== '');
}

function isMissing(shell: string): boolean {
  return spawnSync(shell, ['--version']).error !== undefined;
}

async function script(shell: string): Promise<string> {
  const file = join(cli.cwd, `completion.${shell}`);
  writeFileSync(file, (await cli.run(['completion', shell])).stdout);
  return file;
}

test('bash completes names with spaces, and files where files belong', async (t) => {
  if (isMissing('bash')) return t.skip('there is no bash');
  const file = await script('bash');
  const replies = (words: readonly string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const line = `source ${file}; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _overlay_auth; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run('bash', ['-c', line]);
  };
  assert.deepEqual(await replies(['overlay-auth', 'get', 'identity', 'Grace\\ H']), ['Grace\\ Hopper']);
  assert.deepEqual(await replies(['overlay-auth', 'list', 'identities', '--li']), ['--limit']);
  assert.deepEqual(await replies(['overlay-auth', 'run', 'controller', '']), []);
});

test('zsh completes names with spaces', async (t) => {
  if (isMissing('zsh')) return t.skip('there is no zsh');
  const file = await script('zsh');
  const line = `compdef() { : }; source ${file}; compadd() { shift; print -l -- "$@" }; words=(overlay-auth get identity 'Gr'); CURRENT=4; _overlay_auth`;
  assert.deepEqual(await run('zsh', ['-fc', line]), ['Grace Hopper']);
});

test('fish completes names with spaces', async (t) => {
  if (isMissing('fish')) return t.skip('there is no fish');
  const file = await script('fish');
  const replies = await run('fish', [
    '-N',
    '-c',
    `source ${file}; complete -C 'overlay-auth get identity Gr'`,
  ]);
  assert.deepEqual(replies, ['Grace Hopper']);
});
