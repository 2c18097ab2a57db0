// Makes a Debian package of the service with its own Node: user, folder, hardened unit, and nothing started.
//   node scripts/build-deb.mjs FOLDER     writes FOLDER/overlay-auth_VERSION_ARCHITECTURE.deb
// Needs dpkg-deb and the registry of npm (the dependencies are those of the lockfile, checked by their hashes).
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installLocked } from './locked-dependencies.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = resolve(process.argv[2] ?? join(root, 'dist'));
const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const architectures = { x64: 'amd64', arm64: 'arm64' };
const architecture = architectures[process.arch];
const work = mkdtempSync(join(tmpdir(), 'overlay-auth-deb-'));
const tree = join(work, 'tree');

try {
  if (process.platform !== 'linux' || architecture === undefined) {
    throw new Error(`there is no package for ${process.platform} ${process.arch}`);
  }
  say('building the program');
  const library = join(tree, 'usr', 'lib', 'overlay-auth');
  mkdirSync(dirname(library), { recursive: true });
  run(process.execPath, [join(root, 'scripts', 'build.mjs'), library]);
  rmSync(join(library, '.built'));
  rmSync(join(library, 'bin'), { recursive: true });
  say('installing its dependencies');
  cpSync(installLocked(join(work, 'install')), join(library, 'node_modules'), { recursive: true });
  layOut(library);
  say('packing');
  mkdirSync(target, { recursive: true });
  const file = join(target, `overlay-auth_${version}_${architecture}.deb`);
  // Everything belongs to root, for every builder.
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', tree, file]);
  process.stdout.write(`${file}\n`);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function say(text) {
  process.stderr.write(`${text} …\n`);
}

function run(command, args, cwd = root) {
  const ran = spawnSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (ran.status === 0) return;
  throw new Error(`${command} ended with ${ran.status ?? ran.error?.message}: ${ran.stdout}${ran.stderr}`);
}

function layOut(library) {
  const runtime = join(library, 'node_modules', `node-linux-${process.arch}`);
  cpSync(join(runtime, 'bin', 'node'), join(library, 'node'));
  cpSync(join(runtime, 'LICENSE'), join(library, 'node.LICENSE'));
  // Headers and manual of Node: three quarters of the files, and nothing that runs.
  rmSync(runtime, { recursive: true });
  const debian = join(root, 'packaging', 'debian');
  for (const name of ['overlay-auth', 'overlay-auth-setup'])
    put(join(debian, name), `usr/bin/${name}`, 0o755);
  const unit = join(root, 'packaging', 'overlay-auth.service');
  put(unit, 'lib/systemd/system/overlay-auth.service', 0o644);
  const documents = join(tree, 'usr', 'share', 'doc', 'overlay-auth');
  cpSync(join(library, 'docs'), documents, { recursive: true });
  rmSync(join(library, 'docs'), { recursive: true });
  // The help reads its examples from it, also where documents are not installed.
  cpSync(join(documents, 'command-line.md'), join(library, 'docs', 'command-line.md'));
  for (const name of ['postinst', 'prerm', 'postrm']) put(join(debian, name), `DEBIAN/${name}`, 0o755);
  const control = [
    'Package: overlay-auth',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: Overlay Auth <overlay-auth@localhost>',
    'Depends: adduser, util-linux, libc6 (>= 2.28), libstdc++6, libatomic1',
    'Section: net',
    'Priority: optional',
    'Description: authentication service of an overlay network',
    ` ${description}`,
    '',
  ];
  writeFileSync(join(tree, 'DEBIAN', 'control'), control.join('\n'));
}

function put(from, to, mode) {
  const path = join(tree, to);
  mkdirSync(dirname(path), { recursive: true });
  cpSync(from, path);
  chmodSync(path, mode);
}
