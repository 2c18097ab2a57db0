// Each kind of command as a process: it ends by itself, prints everything first, and exits with the right code.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { sandbox } from '../support/command.ts';
import { exits } from '../support/command-line.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { password } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';

const entry = new URL('../../src/main.ts', import.meta.url).pathname;
const box = sandbox();
const { code, stderr } = await box.start(['init', '--home', 'h', '--address', 'localhost:0']).finished;
assert.equal(code, 0, stderr);
after(() => box.close());

const config = ['--config', 'h/controller.yml'];

for (const [args, code, said, input] of [
  [['version'], 0, /^overlay-auth \d+\.\d+\.\d+ \(Node \d+\.\d+\.\d+, \S+ \S+\)\n$/],
  [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
  [['admin', 'create', 'ana', '--password-stdin', ...config], 0, /ana/, 'tall tree bakery 41\n'],
  [['admin', 'create', 'bob', '--password-stdin', ...config], 1, /^error: .*\n$/s, 'bob\n'],
  [['keys', 'list', ...config, '-j'], 0, /^[[{].*[\]}]\n$/s],
  [['keys', 'rotate', ...config], 0, /\n$/],
  [['pki', 'show', ...config, '-j'], 0, /^[[{].*[\]}]\n$/s],
  [['config', 'validate', 'h/controller.yml'], 0, /^h\/controller\.yml is valid\.\n$/],
  [['ops', 'db', 'backup', 'copy.db', ...config], 0, /copy\.db/],
  [['ops', 'db', 'check', ...config], 0, /is sound\.\n$/],
  [['ops', 'db', 'restore', 'copy.db', ...config], 0, /\n$/],
  [['run', 'controller', 'h/controller.yml', '--check', '-j'], 0, /\}\n$/],
  [['run', 'controller', 'nowhere.yml'], 1, /^error: .*nowhere\.yml.*\n$/s],
  [['whoami'], 3, /^error: .*\n$/s],
  [['nonsense'], 2, /^error: .*\n$/s],
] as const) {
  test(`overlay-auth ${args.slice(0, 3).join(' ')}: exit code ${code}`, async () => {
    const done = await box.start(args, { ...(input && { input }), env: { HOME: box.cwd } }).finished;
    assert.equal(done.code, code, `${done.stdout}${done.stderr}`);
    assert.match(code === 0 ? done.stdout : done.stderr, said);
    if (code !== 0) assert.equal(done.stdout, '');
  });
}

test('eight commands that run at the end of a token all work, and so does the one after them', async () => {
  const clock = fixedClock(systemClock.now());
  await using server = await startTestServer({ clock });
  await server.createUser({ name: 'ada', password });
  const env = {
    HOME: join(box.cwd, 'of-ada'),
    OVERLAY_AUTH_TEST_CLOCK: join(box.cwd, 'shift'),
    NODE_OPTIONS: `--import=${new URL('../support/shifted-clock.ts', import.meta.url).pathname}`,
  };
  writeFileSync(env.OVERLAY_AUTH_TEST_CLOCK, '0');
  const run = (args: readonly string[], input?: string) =>
    box.start(args, { env, ...(input === undefined ? {} : { input }) }).finished;
  const trust = ['--ca', join(server.home, 'ca.pem')];
  await exits(0, run(['login', server.url, ...trust, '-u', 'ada', '--password-stdin'], `${password}\n`));
  const token = async () => (await run(['token'])).stdout;
  const before = await token();

  const later = 30 * MINUTE - 5 * SECOND;
  writeFileSync(env.OVERLAY_AUTH_TEST_CLOCK, String(later));
  clock.advance(later);
  const ran = await Promise.all(Array.from({ length: 8 }, () => run(['whoami', '-j'])));
  for (const { code, stdout, stderr } of ran) {
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"ada"/);
  }
  const renewed = await token();
  assert.notEqual(renewed, before);
  assert.equal(await token(), renewed, 'and is saved');
});

test('a process has room for the look-ups of eight silent name servers, half of its threads', {
  skip: process.platform !== 'linux',
}, () => {
  const counting = `import { readdirSync, readFileSync, stat } from 'node:fs';
    const name = (id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim();
    const count = () => readdirSync('/proc/self/task').filter((id) => name(id) === 'libuv-worker').length;
    process.once('beforeExit', () => stat('/', () => process.stderr.write(String(count()))));`;
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env;
  const counted = spawnSync(
    process.execPath,
    [`--import=data:text/javascript,${encodeURIComponent(counting)}`, entry, 'version'],
    { encoding: 'utf8', env: { ...env, HOME: box.cwd } },
  );
  assert.equal(counted.stderr, '16');
});

test('a command whose reader has gone ends quietly, like any program at the end of a pipe', () => {
  const pipeline = '(sleep 0.5; "$0" "$1" config schema; echo $? >&2) | true';
  const { stderr } = spawnSync('/bin/sh', ['-c', pipeline, process.execPath, entry], {
    encoding: 'utf8',
    cwd: box.cwd,
    env: { ...process.env, HOME: box.cwd },
  });
  // 128 + SIGPIPE.
  assert.equal(stderr, '141\n');
});

test('a command whose output cannot be written says why', { skip: !existsSync('/dev/full') }, () => {
  const { stderr } = spawnSync(
    '/bin/sh',
    ['-c', '"$0" "$1" config schema >/dev/full', process.execPath, entry],
    {
      encoding: 'utf8',
    },
  );
  assert.equal(
    stderr,
    'error: The output cannot be written: the disk is full.\nnext: write it to another place\n',
  );
});
