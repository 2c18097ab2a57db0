import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { clientCommands } from '../../src/cli/client/commands.ts';
import { hostCommands } from '../../src/cli/host/commands.ts';
import { ownCommands } from '../../src/cli/own-commands.ts';
import { createProgram } from '../../src/cli/program.ts';
import { systemPorts } from '../../src/cli/terminal/ports.ts';
import { commandLine } from '../support/command-line.ts';

test('every command explains itself, and none takes a secret as an argument', () => {
  const walk = (command: Command, path: string): void => {
    assert.notEqual(command.description(), '', path);
    for (const { flags, description } of command.options) {
      assert.notEqual(description, '', `${path} ${flags}`);
      assert.doesNotMatch(flags, /--(\w+-)*(password|secret|token)\b <(?!file)/, `${path} ${flags}`);
    }
    for (const child of command.commands) walk(child, `${path} ${child.name()}`);
  };
  walk(createProgram(systemPorts()), 'overlay-auth');
});

test('every command of the tables is under a heading, and so can be typed', () => {
  const shown = new Set(createProgram(systemPorts()).commands.map((one) => one.name()));
  const rows = Object.keys({ ...hostCommands, ...clientCommands, ...ownCommands });
  assert.deepEqual(
    rows.filter((path) => !shown.has(path.split(' ')[0] ?? '')),
    [],
  );
});

test('a command line that cannot be carried out is exit 2 and names the help of the nearest command', async () => {
  await using cli = commandLine();
  for (const [line, next] of [
    ['logn', 'overlay-auth --help'],
    ['login --nope', 'overlay-auth login --help'],
    ['login --key k.pem https://x', 'overlay-auth login --help'],
    ['login http://localhost:1280', 'overlay-auth login https://localhost:1280'],
    ['login', 'overlay-auth login https://localhost:1280'],
    ['list', 'overlay-auth list --help'],
    ['create identity', 'overlay-auth create identity --help'],
    ['create identities a --type Ghost', 'overlay-auth create identity --help'],
    ['create api-session x', 'overlay-auth create --help'],
    ['token session', 'overlay-auth token --help'],
    ['identity disable ada --minutes soon', 'overlay-auth identity disable --help'],
    ['identity disable ada --minutes 5 --until 2030-01-31T12:00:00Z', 'overlay-auth identity disable --help'],
    ['export audit --kind identity', 'overlay-auth export audit --help'],
    ['export --schema audit', 'overlay-auth export audit --help'],
    ['login list --bearer', 'overlay-auth login list --help'],
    [
      'event-subscription replay siem --since soon',
      'write a time such as 2030-01-31T12:00:00Z, or how long ago, such as 7d',
    ],
    ['get identity a b', 'overlay-auth get identity --help'],
  ] as const) {
    const { code, stdout, stderr } = await cli.run(line.split(' '));
    assert.equal(code, 2, line);
    assert.equal(stdout, '', line);
    assert.match(stderr, /^error: .+[.!?]\n/, line);
    assert.ok(stderr.endsWith(`next: ${next}\n`), `${line}: ${stderr}`);
  }
});

test('with -j a failure is one JSON object on standard error', async () => {
  await using cli = commandLine();
  for (const args of [
    ['-j', 'whoami'],
    ['whoami', '-j'],
    ['whoami', '--output-json'],
    ['nope', '-j'],
  ]) {
    const { stdout, stderr } = await cli.run(args);
    assert.equal(stdout, '');
    const { error } = JSON.parse(stderr);
    assert.ok(error.code && error.message && error.next, stderr);
  }
});

test('a command to type next begins with what was typed for the program', async () => {
  await using cli = commandLine();
  for (const OVERLAY_AUTH_COMMAND of ['./overlay-auth', 'npx overlay-auth', "'/a b/overlay-auth'"]) {
    const { stderr } = await cli.run(['whoami'], { env: { OVERLAY_AUTH_COMMAND } });
    assert.ok(stderr.includes(`\nnext: ${OVERLAY_AUTH_COMMAND} login `), stderr);
  }
  assert.match((await cli.run(['whoami'])).stderr, /^next: overlay-auth login /m);
});

test('the suggested address is that of the controller which is set up here', async () => {
  await using cli = commandLine();
  const unknown = await cli.run(['whoami']);
  assert.match(unknown.stderr, /^next: overlay-auth login https:\/\/localhost:1280$/m);
  await cli.exits(0, ['init', '--home', '.overlay', '--address', 'localhost:4711']);
  for (const args of [['whoami'], ['login']]) {
    assert.match((await cli.run(args)).stderr, /^next: overlay-auth login https:\/\/localhost:4711$/m);
  }
});

test('a value that is not one of the choices is refused with the choices', async () => {
  await using cli = commandLine();
  for (const [line, said] of [
    ['token session', "Invalid value 'session'; choose one of: access, id, refresh."],
    [
      'create identity a --type Ghost',
      "Invalid value 'Ghost' for --type; choose one of: Default, User, Device, Service, Router.",
    ],
    ['lst', "Unknown command 'lst'; did you mean list?"],
    ['inti', "Unknown command 'inti'; did you mean init?"],
    ['nothing-like-it', "Unknown command 'nothing-like-it'."],
    ['get identity', "Missing required argument 'name'."],
    ['export audit --kind identity', "Unknown option '--kind'."],
    ['login --bearer list', "Unknown option '--bearer'."],
    ['event-subscription replay siem --since soon', '--since is neither a time nor a duration: soon.'],
    ['get identity a b', "Too many arguments for 'identity': expected 1 argument, got 2: a, b."],
    ['login https://x --totp-cod 1', "Unknown option '--totp-cod'; did you mean --totp-code?"],
    ['--outptu-json whoami', "Unknown option '--outptu-json'; did you mean --output-json?"],
    ['login https://x --code 1', "Unknown option '--code'; did you mean --totp-code?"],
    ['login https://x --nothing-like-it', "Unknown option '--nothing-like-it'."],
    [
      'export --kind nothing',
      "Invalid value 'nothing' for --kind; choose one of: auth-policy, ext-jwt-signer, ca, config-type, event-subscription, oidc-client, identity.",
    ],
    ['status --config', 'The option --config needs a value.'],
    ['init', 'The option --home is required.'],
    ['init --hom h', "Unknown option '--hom'; did you mean --home?"],
    ['ops db move --too postgres://db/x', "Unknown option '--too'; did you mean --to?"],
    ['ops db move --config c', 'The option --to is required.'],
    ['status --config a --server https://x', '--config and --server exclude each other.'],
    ['login https://x --totp-code 1', '--totp-code needs --username or --cert or --ext-jwt.'],
    ['login https://x --device --no-browser', '--device and --no-browser exclude each other.'],
    ['login https://x --password-stdin', '--password-stdin needs --username.'],
    [
      'create authenticator updb a b --password-stdin --password-file f',
      '--password-stdin and --password-file exclude each other.',
    ],
    ['identity disable a --until 2030-01-01 --minutes 1', '--minutes and --until exclude each other.'],
    ['pki rotate root --switch --undo', '--switch and --undo exclude each other.'],
    ['pki rotate root --retire --no-cross', '--no-cross and --retire exclude each other.'],
    ['admin create', 'The name of the administrator is missing.'],
    ['init --home h --db mysql://x', 'The value of --db is not a database URL.'],
    ['enroll nothing.jwt', 'The JWT file nothing.jwt cannot be read: it does not exist.'],
  ] as const) {
    const { code, stderr } = await cli.run(line.split(' '));
    assert.equal(code, 2, line);
    assert.equal(stderr.split('\n')[0], `error: ${said}`);
  }
});

test('no message repeats the password of a URL, wherever it was typed', async () => {
  await using cli = commandLine();
  const urls = [
    'postgres://u:hunter2@h/x',
    'https://:hunter2@h',
    'https://u:top#/?@hunter2@h:8/x?password=hunter2',
  ];
  const lines = [
    ...['login URL y', 'URL', '--db=URL init', 'init --dbb=URL', 'init --home h --address URL'],
    ...['init --home h --ip URL', 'init --home h --dns URL', 'init --home h --db URL --yess'],
    ...['init --home /dev/null/URL', 'enroll URL', 'config validate URL', 'run controller URL'],
    ...[
      'ops import ziti URL',
      'ops db backup URL',
      'ops db move --to URL',
      'status --server URL',
      'login URL',
    ],
    ...['quickstart --port URL', 'list identities --filter URL --server URL', 'export --kind URL'],
  ];
  for (const line of lines) {
    for (const url of urls) {
      for (const json of [[], ['-j']]) {
        const ran = await cli.run([...line.split(' ').map((word) => word.replace('URL', url)), ...json]);
        assert.notEqual(ran.code, 0, line);
        assert.doesNotMatch(`${ran.stdout}${ran.stderr}`, /hunter2/, `${line}: ${url}`);
      }
    }
  }
  const { stderr } = await cli.run(['https://localhost:8443/@me']);
  assert.match(stderr, /^error: Unknown command 'https:\/\/localhost:8443\/@me'\./);
});

test('help about an unknown command is refused with what was meant', async () => {
  await using cli = commandLine();
  for (const [topic, said] of [
    ['whoam', "Unknown command 'whoam'; did you mean whoami?"],
    ['create nothing', "Unknown command 'nothing'."],
    ['edge list identites', "Unknown command 'identites'; did you mean identities?"],
  ] as const) {
    const { stderr, stdout } = await cli.exits(2, ['help', ...topic.split(' ')]);
    assert.match(stderr, new RegExp(`^error: ${said.replace('?', '\\?')}\n`));
    assert.equal(stdout, '');
  }
});

test('help and version are not failures; an empty command line is', async () => {
  await using cli = commandLine();
  const { stdout: ofExport } = await cli.run(['export', 'audit', '--help']);
  assert.match(ofExport, /--since/);
  assert.doesNotMatch(ofExport, /--kind|--schema/, 'options of the command above it');
  for (const args of [
    ['--help'],
    ['help', 'login'],
    ['help', 'login', 'https://localhost:1280'],
    ['help', 'edge', 'list'],
    ['create', 'identity', '-h'],
    ['--version'],
    ['edge', 'list', '--help'],
  ]) {
    const { code, stdout } = await cli.run(args);
    assert.equal(code, 0, args.join(' '));
    assert.notEqual(stdout, '');
  }
  await cli.exits(2, []);
});
