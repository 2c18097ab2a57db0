import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CommandLine, commandLine, exits } from '../support/command-line.ts';
import { password } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { logInAs } from './support.ts';

let server: TestServer;
let second: TestServer;

before(async () => {
  [server, second] = await Promise.all([startTestServer(), startTestServer()]);
  for (const name of ['ada', 'bob', 'odd name@x']) await server.createUser({ name, password });
  await second.createUser({ name: 'ada', password });
});
after(() => Promise.all([server.close(), second.close()]));

async function loginAs(cli: CommandLine, name: string, at = server): Promise<string> {
  return (await exits(0, logInAs(cli, at, name))).stderr;
}

async function whoIs(cli: CommandLine, ...more: string[]): Promise<string> {
  const { json } = await cli.exits(0, ['whoami', '-j', ...more]);
  return json.name;
}

const wordOf = (name: string, at = server) => `${name}@${new URL(at.url).host}`;

test('a login as another user keeps the first and says how to go back', async () => {
  await using cli = commandLine();
  await loginAs(cli, 'ada');
  const said = await loginAs(cli, 'bob');
  assert.match(
    said,
    new RegExp(`"ada" is still logged in there; to go back: overlay-auth login use ${wordOf('ada')}\n`),
  );
  assert.equal(await whoIs(cli), 'bob');
  await cli.exits(0, ['login', 'use', wordOf('ada')]);
  assert.equal(await whoIs(cli), 'ada');
  const list = (await cli.run(['login', 'list', '-j'])).json;
  assert.deepEqual(
    list.map(({ name, isCurrent }: { name: string; isCurrent: boolean }) => [name, isCurrent]),
    [
      ['bob', false],
      ['ada', true],
    ],
  );
});

test('one command can use another login without changing the current one', async () => {
  await using cli = commandLine();
  await loginAs(cli, 'ada');
  await loginAs(cli, 'ada', second);
  await loginAs(cli, 'bob');
  assert.equal(await whoIs(cli, '--server', wordOf('ada')), 'ada');
  assert.equal(await whoIs(cli, '--server', 'bob'), 'bob');
  assert.equal(await whoIs(cli, '--server', second.url), 'ada');
  assert.equal(await whoIs(cli, '--server', server.url), 'bob');
  assert.equal(await whoIs(cli), 'bob');
});

test('--server and --config may stand before the command, or between its words', async () => {
  await using cli = commandLine();
  await loginAs(cli, 'ada');
  await loginAs(cli, 'bob');
  for (const words of [
    ['--server', 'ada', 'whoami', '-j'],
    ['-j', '--server=ada', 'whoami'],
    ['edge', '--server', 'ada', 'whoami', '-j'],
  ])
    assert.equal((await cli.exits(0, words)).json.name, 'ada', words.join(' '));
  for (const words of [
    ['--config', 'c.yml', 'pki', 'show'],
    ['pki', '--config=c.yml', 'show'],
  ])
    assert.match((await cli.exits(1, words)).stderr, /^error: c\.yml: /);
  const { stderr } = await cli.exits(2, ['--server', 'ada', 'login', server.url]);
  assert.match(stderr, /^error: Unknown option '--server'.*\nnext: overlay-auth login --help\n$/);
});

test('a name that is logged in to several servers needs an address', async () => {
  await using cli = commandLine();
  await loginAs(cli, 'ada');
  await loginAs(cli, 'ada', second);
  const { stderr } = await cli.exits(2, ['login', 'use', 'ada']);
  assert.ok(stderr.includes(wordOf('ada')) && stderr.includes(wordOf('ada', second)), stderr);
  await cli.exits(0, ['login', 'use', wordOf('ada')]);
});

test('a name with a space and an @ is found, and suggested as a shell takes it', async () => {
  await using cli = commandLine();
  await loginAs(cli, 'odd name@x');
  const said = await loginAs(cli, 'ada');
  assert.ok(said.includes(`overlay-auth login use '${wordOf('odd name@x')}'\n`), said);
  for (const word of ['odd name@x', wordOf('odd name@x')]) {
    assert.equal(await whoIs(cli, '--server', word), 'odd name@x');
  }
});

test('logging out leaves the others, and says which one is used now', async () => {
  await using cli = commandLine();
  await loginAs(cli, 'ada');
  await loginAs(cli, 'bob');
  const { stderr } = await cli.exits(0, ['logout']);
  assert.match(stderr, new RegExp(`Now using ${server.url} as ada\\.\n`));
  assert.equal(await whoIs(cli), 'ada');
});

test('forget takes one login by its name, and everything of a server by its address', async () => {
  await using cli = commandLine();
  await loginAs(cli, 'ada');
  await loginAs(cli, 'bob');
  await cli.run(['login', 'forget', 'bob']);
  assert.equal(await whoIs(cli), 'ada');
  await loginAs(cli, 'bob');
  await cli.exits(0, ['login', 'forget', server.url]);
  assert.deepEqual((await cli.run(['login', 'list', '-j'])).json, []);
  await cli.exits(2, ['login', 'forget', server.url]);
  // The authority has gone as well.
  await cli.exits(1, ['login', server.url, '-u', 'ada', '--password-stdin'], { input: password });
});

test('a user without a login learns so, with the command to type', async () => {
  await using cli = commandLine();
  await loginAs(cli, 'ada');
  for (const [word, next] of [
    ['nobody', 'overlay-auth login list'],
    [wordOf('bob'), `overlay-auth login ${server.url}`],
    ['other.example:1280', 'overlay-auth login https://other.example:1280'],
  ] as const) {
    const { stderr } = await cli.exits(3, ['whoami', '--server', word]);
    assert.ok(stderr.endsWith(`next: ${next}\n`), stderr);
  }
});

test('commands that are suggested go to the server that --server names', async () => {
  await using cli = commandLine();
  await second.createUser({ name: 'root', password, isAdmin: true });
  await loginAs(cli, 'root', second);
  await loginAs(cli, 'ada');
  const there = ['--server', wordOf('root', second)];
  const at = there.join(' ');
  const unknown = await cli.exits(1, ['get', 'identity', 'nobody', ...there]);
  assert.match(unknown.stderr, new RegExp(`next: overlay-auth list identities ${at}\n$`));
  await cli.exits(0, ['create', 'oidc-client', 'odd wiki', 'confidential', ...there]);
  const { stderr } = await cli.exits(0, ['oidc-client', 'add-secret', 'odd wiki', ...there]);
  assert.match(stderr, new RegExp(`overlay-auth oidc-client delete-secret ${at} 'odd wiki'\n$`));
  const help = await cli.exits(2, ['update', 'identity', 'ada', '--unknown', ...there]);
  assert.match(help.stderr, /next: overlay-auth update identity --help\n$/);
});
