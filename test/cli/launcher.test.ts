import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import packageJson from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../', import.meta.url));
const launcher = join(root, packageJson.bin['overlay-auth']);
const ofClone = join(root, 'overlay-auth');
const entry = join(root, 'src', 'main.ts');

test('the command and the entry point can be executed, and pass arguments and exit codes through', () => {
  for (const file of [launcher, entry]) {
    accessSync(file, constants.X_OK);
    const version = spawnSync(process.execPath, [file, '--version'], { encoding: 'utf8' });
    assert.equal(version.stdout, `${packageJson.version}\n`, version.stderr);
    const unknown = spawnSync(process.execPath, [file, 'no', 'such', '-j'], { encoding: 'utf8' });
    assert.equal(unknown.status, 2);
    assert.equal(JSON.parse(unknown.stderr).error.code, 'usage');
  }
});

test('from a folder that was removed, the command says so', (t) => {
  const folder = temporary(t);
  const script = 'cd "$1"; rmdir "$1"; exec "$2" "$3" --version';
  const run = spawnSync('sh', ['-c', script, 'sh', folder, process.execPath, launcher], { encoding: 'utf8' });
  assert.equal(run.status, 1);
  assert.equal(
    run.stderr,
    'error: the current folder was removed\nnext: go to another folder, then run the command again\n',
  );
});

test('compiled code is in a folder in which no other user can place any, with any umask', (t) => {
  const folder = temporary(t);
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const command = ['-c', 'umask 000; exec "$0" "$@"', process.execPath, entry, '--version'];
  const run = spawnSync('sh', command, { encoding: 'utf8', env: { ...env, XDG_CACHE_HOME: folder } });
  assert.equal(run.stdout, `${packageJson.version}\n`, run.stderr);
  const caches = [join(folder, 'overlay-auth'), join(folder, 'overlay-auth', 'compile')];
  for (const cache of caches) assert.equal(statSync(cache).mode & 0o777, 0o700, cache);
  assert.equal(readdirSync(caches[1] ?? '').length, 1, 'it is in use');
});

test('a user without a name and HOME, as in a container, can run commands', {
  skip: process.getuid?.() !== 0 && 'only root can become such a user',
}, (t) => {
  const folder = temporary(t);
  const run = (command: string) => {
    const env = { PATH: process.env.PATH };
    return spawnSync(process.execPath, [entry, ...command.split(' ')], {
      env,
      cwd: folder,
      uid: 54321,
      encoding: 'utf8',
    });
  };
  assert.equal(run('--version').stdout, `${packageJson.version}\n`);
  assert.match(
    run('login').stderr,
    /^error: This user has no home folder\.\nnext: set HOME or OVERLAY_AUTH_CONFIG_DIR\n/,
  );
});

test('a clone has its own command, which works through a link too', (t) => {
  const folder = temporary(t);
  symlinkSync(ofClone, join(folder, 'auth'));
  for (const command of [ofClone, join(folder, 'auth')]) {
    const { stdout, stderr } = spawnSync(command, ['--version'], { encoding: 'utf8', cwd: folder });
    assert.equal(stdout, `${packageJson.version}\n`, stderr);
  }
});

function temporary(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'overlay-auth-launcher-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Our launcher, in front of a program that prints what it is told to. */
function installation(t: TestContext): { folder: string; command: string } {
  const folder = join(temporary(t), 'with space');
  const home = join(folder, 'lib', 'node_modules', 'overlay-auth');
  cpSync(dirname(launcher), join(home, 'bin'), { recursive: true });
  mkdirSync(join(home, 'src'));
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(home, 'src', 'main.js'),
    'process.stdout.write(String(process.env.OVERLAY_AUTH_COMMAND))',
  );
  mkdirSync(join(folder, 'bin'));
  const command = join(folder, 'bin', 'overlay-auth');
  symlinkSync('../lib/node_modules/overlay-auth/bin/overlay-auth.mjs', command);
  return { folder, command };
}

test('an installation is called by name if it is on the path, otherwise by its location', (t) => {
  const { folder, command } = installation(t);
  const told = (path: string, cwd: string, more: Record<string, string> = {}) =>
    spawnSync(process.execPath, [command], { cwd, env: { PATH: path, ...more }, encoding: 'utf8' }).stdout;
  const bin = join(folder, 'bin');
  assert.equal(told(`/nowhere:${bin}`, folder), 'overlay-auth');
  assert.equal(told('/nowhere', folder), './bin/overlay-auth');
  assert.equal(told('/nowhere', join(folder, 'lib')), `'${command}'`);
  // npm puts a folder first on the path that the person's shell does not have there.
  const ofNpm = join(folder, 'node_modules', '.bin');
  mkdirSync(ofNpm, { recursive: true });
  symlinkSync(command, join(ofNpm, 'overlay-auth'));
  assert.equal(told(ofNpm, folder, { npm_command: 'exec' }), 'npx overlay-auth');
  // Another program with this name comes first.
  const other = join(folder, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'overlay-auth'), '', { mode: 0o755 });
  assert.equal(told(`${other}:${bin}`, folder), './bin/overlay-auth');
});

test('a launcher with an old Node ends by the signal that ended the program', (t) => {
  const { folder, command } = installation(t);
  const home = join(folder, 'lib', 'node_modules', 'overlay-auth');
  writeFileSync(join(home, 'src', 'main.js'), "process.kill(process.pid, 'SIGTERM')");
  const node = join(home, 'node_modules', `node-${process.platform}-${process.arch}`);
  mkdirSync(join(node, 'bin'), { recursive: true });
  writeFileSync(join(node, 'package.json'), '{}');
  symlinkSync(process.execPath, join(node, 'bin', 'node'));
  const old = "Object.defineProperty(process, 'versions', { value: { node: '20.0.0' } })";
  const preload = `data:text/javascript,${encodeURIComponent(old)}`;
  const { signal, status } = spawnSync(process.execPath, ['--import', preload, command]);
  assert.deepEqual([signal, status], ['SIGTERM', null]);
});

describe('the Node of a package', () => {
  const script = '#!/bin/sh\necho it runs\n';
  const program = `
    const { packedNode, unpackedNode } = await import(process.argv[1]);
    const node = await unpackedNode(packedNode(process.argv[2]));
    process.stdout.write(node);`;

  function packed(t: TestContext, sha256 = createHash('sha256').update(script).digest('hex')) {
    const folder = temporary(t);
    const runtime = join(folder, 'runtime', `${process.platform}-${process.arch}`);
    mkdirSync(runtime, { recursive: true });
    writeFileSync(join(runtime, 'node.br'), brotliCompressSync(script));
    const said = { version: '26.0.0', size: script.length, sha256 };
    writeFileSync(join(runtime, 'node.json'), JSON.stringify(said));
    const module = pathToFileURL(join(dirname(launcher), 'packed-node.mjs')).href;
    const cache = join(folder, 'cache');
    const unpack = () =>
      spawnSync(process.execPath, ['--input-type=module', '-e', program, module, folder], {
        encoding: 'utf8',
        env: { XDG_CACHE_HOME: cache },
      });
    return { unpack, cache: join(cache, 'overlay-auth') };
  }

  test('is unpacked once, for its owner, and replaces the previous one', (t) => {
    const { unpack, cache } = packed(t);
    mkdirSync(join(cache, 'node-25.0.0-before'), { recursive: true });
    const first = unpack();
    assert.match(first.stderr, /^Unpacking Node 26\.0\.0 into /);
    assert.equal(spawnSync(first.stdout, { encoding: 'utf8' }).stdout, 'it runs\n');
    const second = unpack();
    assert.deepEqual([second.stdout, second.stderr], [first.stdout, '']);
    assert.equal(readdirSync(cache).length, 1);
  });

  test('is not started when others could have written it', (t) => {
    const { unpack } = packed(t);
    const node = unpack().stdout;
    writeFileSync(node, script.replace('it runs', 'planted'));
    chmodSync(node, 0o777);
    assert.match(unpack().stderr, /^Unpacking/);
    assert.equal(spawnSync(node, { encoding: 'utf8' }).stdout, 'it runs\n');
  });

  test('is refused when it is not what was packed, and leaves nothing behind', (t) => {
    const { unpack, cache } = packed(t, 'f'.repeat(64));
    const { status, stderr } = unpack();
    assert.equal(status, 1);
    assert.match(stderr, /the packed Node is damaged/);
    assert.deepEqual(readdirSync(join(cache, readdirSync(cache)[0] ?? '')), []);
  });
});
