// Makes a release: `npm run release -- 0.2.0`. Sets the version everywhere, turns the part "Unreleased" of the CHANGELOG into
// its notes, builds what is published, with a list of what it contains (SBOM, CycloneDX) and checksums, and only then
// commits and tags. Nothing is pushed or published.
//   npm run release -- NUMBER [FOLDER]       into FOLDER, by default release/NUMBER
//   npm run release -- NUMBER --skip image   without one of: npm, client, debian, image
// Needs a tree without changes, the registry of npm, dpkg-deb for Debian, and buildah, podman or docker for the image.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../', import.meta.url));
const {
  values: { skip },
  positionals: [version, folder],
} = parseArgs({
  allowPositionals: true,
  options: { skip: { type: 'string', multiple: true, default: [] } },
});
const manifests = 'packaging/kubernetes.yaml';

const packages = {
  npm: (to) => npmPackage('build-npm.mjs', to),
  client: (to) => npmPackage('build-client.mjs', to),
  debian: (to) => run(process.execPath, [join(root, 'scripts', 'build-deb.mjs'), to]),
  image(to) {
    const tag = `overlay-auth:${version}`;
    run(process.execPath, [join(root, 'scripts', 'build-image.mjs'), '--tag', tag]);
    const file = join(to, `overlay-auth-${version}.image.tar`);
    const tool = ['buildah', 'podman', 'docker'].find((name) => spawnSync('which', [name]).status === 0);
    if (tool === 'buildah') run(tool, ['push', tag, `docker-archive:${file}:${tag}`]);
    else run(tool, ['save', '--output', file, tag]);
  },
};

try {
  release();
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}

function release() {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '')) {
    throw new Error('say its number: npm run release -- 0.2.0');
  }
  const unknown = skip.find((name) => !(name in packages));
  if (unknown !== undefined) {
    throw new Error(`--skip takes ${Object.keys(packages).join(', ')}, and not ${unknown}`);
  }
  const changed = run('git', ['status', '--porcelain']);
  if (changed !== '') throw new Error(`commit these changes first, or undo them:\n${changed}`);
  const tag = `v${version}`;
  if (run('git', ['tag', '--list', tag]) !== '') throw new Error(`there is a release ${tag} already`);
  const target = resolve(folder ?? join(root, 'release', version));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  try {
    writeFileSync(join(target, 'NOTES.md'), setVersion());
    for (const [name, make] of Object.entries(packages)) {
      if (skip.includes(name)) continue;
      process.stderr.write(`${name} …\n`);
      make(target);
    }
    writeFileSync(join(target, 'sbom.cdx.json'), listOfContents());
    writeFileSync(join(target, 'SHA256SUMS'), checksums(target));
  } catch (error) {
    run('git', ['checkout', '--quiet', '--', '.']);
    throw error;
  }
  run('git', ['commit', '--quiet', '--all', '--message', `release: ${version}`]);
  run('git', ['tag', '--annotate', tag, '--cleanup=verbatim', '--file', join(target, 'NOTES.md')]);
  const files = readdirSync(target).map((name) => `  ${relative(process.cwd(), join(target, name))}`);
  process.stdout.write(`made ${tag}:\n${files.join('\n')}\nnext: git push --follow-tags\n`);
}

/** In the packages, the lockfile, the manifests and the CHANGELOG. @returns the notes of this release */
function setVersion() {
  const { workspaces } = readJson('package.json');
  for (const path of ['', ...workspaces]) {
    editJson(join(path, 'package.json'), (manifest) => ({ ...manifest, version }));
    editJson('package-lock.json', ({ packages: locked, ...lock }) => ({
      ...lock,
      version,
      packages: { ...locked, [path]: { ...locked[path], version } },
    }));
  }
  const yaml = readFileSync(join(root, manifests), 'utf8');
  writeFileSync(join(root, manifests), yaml.replace(/(image: .*overlay-auth:).*/, `$1${version}`));
  const path = join(root, 'CHANGELOG.md');
  const [before, ...parts] = readFileSync(path, 'utf8').split(/^(?=## )/m);
  const notes = /^## Unreleased\s+(\S[\s\S]*)/.exec(parts[0] ?? '')?.[1]?.trim();
  if (notes === undefined)
    throw new Error('CHANGELOG.md has to begin with a part "## Unreleased" that says what is new');
  const today = new Date().toISOString().slice(0, 10);
  const sections = ['## Unreleased\n\n', `## ${version} (${today})\n\n${notes}\n\n`, ...parts.slice(1)];
  writeFileSync(path, `${[before, ...sections].join('').trimEnd()}\n`);
  return `Overlay Auth ${version} (${today})\n\n${notes}\n`;
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function editJson(path, edit) {
  writeFileSync(join(root, path), `${JSON.stringify(edit(readJson(path)), undefined, 2)}\n`);
}

function npmPackage(script, to) {
  const built = join(to, 'built');
  run(process.execPath, [join(root, 'scripts', script), built]);
  run('npm', ['pack', built, '--pack-destination', to, '--loglevel=error']);
  rmSync(built, { recursive: true });
}

/**
 * What the lockfile says of all that runs, with licences and hashes. npm leaves out what is needed for development too, so
 * it gets a project that has none: without the workspace and without marks of development.
 */
function listOfContents() {
  const project = mkdtempSync(join(tmpdir(), 'overlay-auth-release-'));
  try {
    const { workspaces: _, devDependencies: _development, ...manifest } = readJson('package.json');
    const { packages, ...lock } = readJson('package-lock.json');
    const locked = Object.entries(packages)
      .filter(([path, { link, dev }]) => path.startsWith('node_modules/') && !link && !dev)
      .concat([['', manifest]]);
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
    const all = { ...lock, packages: Object.fromEntries(locked) };
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(all));
    const words = ['--package-lock-only', '--sbom-format', 'cyclonedx', '--loglevel=error'];
    const list = JSON.parse(run('npm', ['sbom', ...words], project));
    // npm takes the name of the folder.
    list.metadata.component.name = manifest.name;
    return `${JSON.stringify(list, undefined, 2)}\n`;
  } finally {
    rmSync(project, { recursive: true });
  }
}

function checksums(target) {
  const lines = readdirSync(target).map((name) => {
    const sha256 = createHash('sha256')
      .update(readFileSync(join(target, name)))
      .digest('hex');
    return `${sha256}  ${name}\n`;
  });
  return lines.join('');
}

/** @returns what it printed */
function run(command, args, cwd = root) {
  const ran = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (ran.status === 0) return ran.stdout.trim();
  throw new Error(
    `${command} ${args[0]} ended with ${ran.status ?? ran.error?.message}: ${ran.stdout}${ran.stderr}`.trim(),
  );
}
