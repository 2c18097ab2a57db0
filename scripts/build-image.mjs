// Builds the container image of the service from packaging/Containerfile.
//   node scripts/build-image.mjs [--base IMAGE] [--tag NAME] [--tool buildah|podman|docker] [--isolation chroot]
//   node scripts/build-image.mjs --context FOLDER      only makes what the Containerfile copies, for another builder
// Needs dpkg-deb, strip (binutils), the registry of npm, and one of the tools. The base is a Debian with apt or with what
// the first lines of the Containerfile would install.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: {
    base: { type: 'string' },
    tag: { type: 'string', default: 'overlay-auth' },
    tool: { type: 'string' },
    isolation: { type: 'string' },
    context: { type: 'string' },
  },
});
const work = mkdtempSync(join(tmpdir(), 'overlay-auth-image-'));

try {
  const context = options.context ?? join(work, 'context');
  makeContext(context);
  if (options.context === undefined) build(context);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The program is that of the Debian package, without what a system around it needs. */
function makeContext(context) {
  run(process.execPath, [join(root, 'scripts', 'build-deb.mjs'), work]);
  const program = join(context, 'program');
  mkdirSync(program, { recursive: true });
  const file = readdirSync(work).find((name) => name.endsWith('.deb'));
  run('dpkg-deb', ['--extract', join(work, file), program]);
  for (const name of ['lib', 'usr/bin/overlay-auth-setup', 'usr/share/doc']) {
    rmSync(join(program, name), { recursive: true });
  }
  // A quarter of it is for debuggers.
  run('strip', ['--strip-unneeded', join(program, 'usr', 'lib', 'overlay-auth', 'node')]);
  // A new volume begins as this folder: it belongs to the user of the image, who alone may look into it.
  mkdirSync(join(context, 'data'), { mode: 0o700 });
  cpSync(join(root, 'packaging', 'Containerfile'), join(context, 'Containerfile'));
}

function build(context) {
  const tool = options.tool ?? ['buildah', 'podman', 'docker'].find((name) => isThere(name));
  if (tool === undefined)
    throw new Error(
      'neither buildah nor podman nor docker is there; --context makes the folder for another one',
    );
  run(tool, [
    'build',
    ...(options.isolation === undefined ? [] : ['--isolation', options.isolation]),
    // Health checks are not part of the other format.
    ...(tool === 'docker' ? [] : ['--format', 'docker']),
    ...(options.base === undefined ? [] : ['--build-arg', `BASE=${options.base}`]),
    '--tag',
    options.tag,
    '--file',
    join(context, 'Containerfile'),
    context,
  ]);
  process.stdout.write(`built the image ${options.tag}\n`);
}

function isThere(command) {
  return spawnSync('which', [command]).status === 0;
}

function run(command, args) {
  const ran = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (ran.status !== 0) throw new Error(`${command} ended with ${ran.status ?? ran.error?.message}`);
}
