import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../scripts/ensure-installed.mjs', import.meta.url));

const locked = {
  '': { name: 'x' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-o', optional: true },
};

/** A clone whose npm only notes that it was called. */
function clone(
  t: TestContext,
  installed: object | null,
): { run(): { status: number | null; installs: boolean } } {
  const root = mkdtempSync(join(tmpdir(), 'overlay-auth-clone-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
  };
  write('package-lock.json', JSON.stringify({ packages: locked }));
  write('bin/npm', '#!/bin/sh\nmkdir -p node_modules\ntouch npm-was-called\n', 0o755);
  if (installed !== null) {
    write('node_modules/a/package.json', '{}');
    write('node_modules/.bin/node', '');
    write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
  }
  return {
    run() {
      const called = join(root, 'npm-was-called');
      rmSync(called, { force: true });
      const env = { PATH: [join(root, 'bin'), process.env.PATH].join(delimiter) };
      const { status } = spawnSync(process.execPath, [script], { cwd: root, env });
      return { status, installs: existsSync(called) };
    },
  };
}

describe('before the first start', () => {
  const { 'node_modules/a': a } = locked;

  test('packages that npm has installed from this lockfile are not installed again', (t) => {
    assert.deepEqual(clone(t, { 'node_modules/a': a }).run(), { status: 0, installs: false });
  });

  test('packages that are missing, or differ from the lockfile, are installed, once', (t) => {
    const others: (object | null)[] = [
      null,
      {},
      { 'node_modules/a': { ...a, version: '1.0.1' } },
      { 'node_modules/a': { ...a, integrity: 'sha512-b' } },
      { 'node_modules/a': a, 'node_modules/extraneous': a },
      { 'node_modules/a': a, 'node_modules/other-platform': { ...a, version: '0.9.0' } },
    ];
    for (const installed of others) {
      const { run } = clone(t, installed);
      assert.deepEqual(run(), { status: 0, installs: true }, JSON.stringify(installed));
      assert.deepEqual(run(), { status: 0, installs: false }, 'the second time');
    }
  });
});

test('every script of the package installs the dependencies first: in a new clone, and on an old Node', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const names = Object.keys(scripts).filter((name) => !(name.startsWith('pre') && name.slice(3) in scripts));
  assert.ok(names.length > 20);
  for (const name of names)
    assert.match(scripts[`pre${name}`] ?? 'nothing', /^node scripts\/ensure-installed\.mjs\b/, name);
});
