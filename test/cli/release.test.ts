// A release by one command, in a copy of the repository. The packages themselves are built by `npm run packages`.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const withoutPackages = ['npm', 'client', 'debian', 'image'].flatMap((name) => ['--skip', name]);

interface Lock {
  readonly packages: Readonly<Record<string, { dev?: boolean; link?: boolean; version: string }>>;
}

test('a release has its version everywhere, notes, an SBOM and checksums, or leaves nothing', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-release-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const copy = join(folder, 'copy');
  const git = (...words: string[]) => {
    const identity = ['-c', 'user.name=Release', '-c', 'user.email=release@localhost'];
    return spawnSync('git', [...identity, ...words], { cwd: copy, encoding: 'utf8' }).stdout.trim();
  };
  spawnSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, copy]);
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  git('config', 'user.name', 'Release');
  git('config', 'user.email', 'release@localhost');
  const target = join(folder, 'target');
  const release = (...words: string[]) => {
    const args = [join(copy, 'scripts', 'release.mjs'), ...words, ...withoutPackages];
    const ran = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
    return { status: ran.status, text: `${ran.stdout}${ran.stderr}` };
  };
  const read = (name: string) => readFileSync(join(target, name), 'utf8');

  for (const [words, refusal] of [
    [[], /say its number/],
    [['v2'], /say its number/],
    [['2.0.0', target, '--skip', 'deb'], /--skip takes npm, client, debian, image/],
  ] as const) {
    const { status, text } = release(...words);
    assert.equal(status, 1);
    assert.match(text, refusal);
  }
  appendFileSync(join(copy, 'README.md'), 'not committed\n');
  assert.match(release('2.0.0', target).text, /commit these changes first[\s\S]*README\.md/);
  git('checkout', '--', '.');

  assert.equal(release('2.0.0', target).status, 0);
  assert.equal(git('status', '--porcelain'), '');
  assert.equal(git('log', '-1', '--format=%s', 'v2.0.0'), 'release: 2.0.0');
  for (const path of ['package.json', 'package-lock.json', 'packages/client/package.json']) {
    assert.equal(JSON.parse(readFileSync(join(copy, path), 'utf8')).version, '2.0.0', path);
  }
  assert.match(readFileSync(join(copy, 'packaging/kubernetes.yaml'), 'utf8'), /overlay-auth:2\.0\.0$/m);
  assert.match(readFileSync(join(copy, 'CHANGELOG.md'), 'utf8'), /^## Unreleased\n\n## 2\.0\.0 \(\d{4}-/m);
  assert.match(read('NOTES.md'), /^Overlay Auth 2\.0\.0[\s\S]*### OpenID Connect/);
  assert.match(git('tag', '--list', '--format=%(contents)', 'v2.0.0'), /### OpenID Connect/);
  const { components } = JSON.parse(read('sbom.cdx.json')) as { components: { purl: string }[] };
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const shipped = Object.entries(lock.packages).filter(
    ([path, { dev, link }]) => /^node_modules/.test(path) && !dev && !link,
  );
  assert.deepEqual(
    components.map(({ purl }) => decodeURIComponent(purl).replace(/^pkg:npm\//, '')).sort(),
    shipped.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`).sort(),
  );
  const sums = new Map(
    read('SHA256SUMS')
      .trim()
      .split('\n')
      .map((line) => line.split('  ').reverse() as [string, string]),
  );
  assert.equal(sums.get('NOTES.md'), createHash('sha256').update(read('NOTES.md')).digest('hex'));

  assert.match(release('2.0.0', target).text, /there is a release v2\.0\.0 already/);
  // Nothing was added to "Unreleased" since.
  assert.match(release('2.1.0', target).text, /## Unreleased/);
  assert.equal(git('status', '--porcelain'), '');
  assert.equal(git('tag', '--list', 'v2.1.0'), '');
});
