import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { clientOfHome } from '../support/command.ts';

const root = new URL('../../', import.meta.url).pathname;
const output = (command: string, args: readonly string[], cwd: string) =>
  new Promise<{ readonly code: number | null; readonly text: string }>((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (data: string) => {
        text += data;
      });
    }
    child.on('error', reject).on('close', (code) => resolve({ code, text }));
  });

describe('the published package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-build-'));
  const built = join(folder, 'package');
  const build = () => output(process.execPath, [join(root, 'scripts', 'build.mjs'), built], folder);

  before(async () => {
    // An earlier build is there.
    mkdirSync(built);
    for (const name of ['.built', 'gone']) writeFileSync(join(built, name), '');
    const { code, text } = await build();
    assert.equal(code, 0, text);
    symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is JavaScript without tests, and names what a package needs', () => {
    assert.deepEqual(globSync('{src,web,bin}/**/*.{ts,test.js}', { cwd: built }), []);
    const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.deepEqual(manifest.dependencies, own.dependencies);
    assert.deepEqual(manifest.optionalDependencies, own.optionalDependencies);
    assert.equal(manifest.scripts ?? manifest.devDependencies ?? manifest.private, undefined);
  });

  it('shows examples in its help', async () => {
    const { text } = await output(
      process.execPath,
      [join(built, 'bin', 'overlay-auth.mjs'), 'help', 'whoami'],
      folder,
    );
    assert.match(text, /Examples:\n {2}overlay-auth whoami/);
  });

  it('needs one byte for each character in memory', () => {
    const files = globSync('src/**/*.js', { cwd: built });
    assert.ok(files.length > 20);
    const others = files.filter((file) => /[^\0-\x7f]/.test(readFileSync(join(built, file), 'utf8')));
    assert.deepEqual(others, []);
  });

  it('runs a controller with its threads and its pages', async () => {
    const home = join(folder, 'home');
    const command = join(built, 'bin', 'overlay-auth.mjs');
    const child = spawn(process.execPath, [command, 'quickstart', '--home', home, '--port', '0', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
    try {
      const url = await new Promise<string>((ready, reject) => {
        let text = '';
        child.stdout.setEncoding('utf8').on('data', (data: string) => {
          text += data;
          const line = text.split('\n').find((one) => one.includes('"event":"ready"') && one.endsWith('}'));
          if (line !== undefined) ready(JSON.parse(line).url);
        });
        closed.then(() => reject(new Error(`it ended before it was ready: ${text}`)));
      });
      const client = clientOfHome(url, home);
      const page = await client.request('GET', '/oidc/login/username?authRequestID=none', {
        headers: { accept: 'text/html', 'accept-language': 'de' },
      });
      assert.match(page.text, /<!doctype html>/i);
      assert.match(page.text, /[äöü]/, 'what the build escapes is read again');
      assert.equal((await client.request('GET', '/oidc/keys')).status, 200);
      client.closeConnections();
    } finally {
      child.kill('SIGTERM');
      await closed;
    }
  });

  it('has the importer, in files that nothing else loads', async () => {
    writeFileSync(join(folder, 'not-one.db'), 'x'.repeat(10_000));
    const command = join(built, 'bin', 'overlay-auth.mjs');
    const { code, text } = await output(
      process.execPath,
      [command, 'ops', 'import', 'ziti', 'not-one.db'],
      folder,
    );
    assert.equal(code, 1, text);
    assert.match(text, /not-one\.db cannot be imported/);
    const ofImporter = globSync('src/**/*.js', { cwd: built }).filter((file) =>
      readFileSync(join(built, file), 'utf8').includes('packages/import-ziti/src/'),
    );
    assert.deepEqual(
      ofImporter.map((file) => file.replace(/-[A-Z0-9]{8}\.js$/, '')),
      ['src/import-ziti'],
    );
  });

  it('needs no other HTTP client of the runtime for a controller', async () => {
    // A module that imports node:http loads it, and it is as large as a tenth of what a start loads.
    const asked = `
      await import(${JSON.stringify(new URL('../../src/controller/controller.ts', import.meta.url).href)});
      console.log(process.moduleLoadList.some((name) => name.includes('undici')));`;
    const { code, text } = await output(process.execPath, ['--input-type=module', '-e', asked], folder);
    assert.equal(code, 0, text);
    assert.equal(text, 'false\n');
  });

  it('replaces an earlier build, and no folder that is something else', async () => {
    assert.ok(!existsSync(join(built, 'gone')));
    rmSync(join(built, '.built'));
    writeFileSync(join(built, 'precious'), 'x');
    const { code, text } = await build();
    assert.equal(code, 1);
    assert.match(text, /was not made by a build/);
    assert.equal(readFileSync(join(built, 'precious'), 'utf8'), 'x');
  });
});
