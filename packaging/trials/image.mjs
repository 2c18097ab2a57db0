import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { tryCompose } from './compose.mjs';
import { insideOf, signalInside } from './inside.mjs';
import { tryManifests } from './kubernetes.mjs';
import { freePort, makeRoot, need, needRoot, root, run, say, serves } from './running.mjs';

const mostMegabytes = 250;
const password = 'a password for the trial';

/**
 * Built by buildah on a base made from Debian's packages. Its root is run read-only, as its user and as process 1 of its
 * own namespaces, by unshare and chroot: where this runs, the rights that podman and docker need may be missing.
 */
export async function tryImage(work) {
  const stores = ['--root', join(work, 'images'), '--runroot', join(work, 'runroot')];
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot' };
  const buildah = (...words) => run(['buildah', ...stores, ...words], { env }).text.trim();
  const packages = { strip: 'binutils', unshare: 'util-linux', setpriv: 'util-linux' };
  for (const command of ['buildah', 'debootstrap', 'strip', 'unshare', 'setpriv']) {
    need(command, `apt-get install ${packages[command] ?? command}`);
  }
  needRoot('a base made from the packages of Debian');
  makeBase(work, buildah);
  try {
    say('building');
    const context = join(work, 'context');
    run([process.execPath, join(root, 'scripts', 'build-image.mjs'), '--context', context]);
    buildah('build', '--format', 'docker', '--build-arg', 'BASE=localhost/base', '--tag', 'overlay-auth', context);
    return await tryBuilt(work, buildah);
  } finally {
    // Its mounts would keep the folder from being removed.
    run(['buildah', ...stores, 'umount', '--all'], { mayFail: true });
    run(['buildah', ...stores, 'rm', '--all'], { mayFail: true });
  }
}

/** A small Debian with what the Containerfile would install. */
function makeBase(work, buildah) {
  const clean = join(work, 'base');
  makeRoot(clean, ['libatomic1']);
  // As the slim images of Debian are made.
  for (const name of ['var/lib/apt/lists', 'var/cache/apt', 'usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/info']) {
    rmSync(join(clean, name), { recursive: true, force: true });
  }
  const base = buildah('from', 'scratch').split('\n').at(-1);
  buildah('add', base, clean, '/');
  buildah('commit', base, 'localhost/base');
  rmSync(clean, { recursive: true });
}

async function tryBuilt(work, buildah) {
  const { User, Volumes, Healthcheck, Entrypoint, Cmd, Env, StopSignal } = JSON.parse(
    buildah('inspect', '--type', 'image', 'overlay-auth'),
  ).Docker.config;
  const built = buildah('from', 'overlay-auth').split('\n').at(-1);
  const folder = buildah('mount', built).split('\n').at(-1);
  const size = Number.parseInt(run(['du', '-sm', folder]).text, 10);
  if (size > mostMegabytes) throw new Error(`it takes ${size} MB, at most ${mostMegabytes} were agreed`);
  const [volume] = Object.keys(Volumes);
  const data = join(work, 'volume');
  // As a new volume begins.
  run(['cp', '-a', join(folder, volume), data]);
  const inside = (words) =>
    insideOf({ folder, mounts: { [volume]: data }, workdir: volume, user: User }, [...Env, ...words]);
  const controller = () => {
    const [command, ...args] = inside([...Entrypoint, ...Cmd]);
    return spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  };
  const isHealthy = () => run(inside(Healthcheck.Test.slice(1)), { mayFail: true }).status === 0;

  say('setting up in the volume, running, logging in from outside');
  const address = `localhost:${await freePort()}`;
  run(inside([...Entrypoint, 'init', '--home', volume, '--address', address]));
  run(inside([`OVERLAY_AUTH_PASSWORD=${password}`, ...Entrypoint, 'admin', 'create', 'admin']));
  if (isHealthy()) throw new Error('it is healthy before it runs');
  const outside = { ...process.env, OVERLAY_AUTH_CONFIG_DIR: join(work, 'login'), OVERLAY_AUTH_PASSWORD: password };
  const cli = (...words) => run([process.execPath, join(root, 'bin', 'overlay-auth.mjs'), ...words], { env: outside }).text;
  await serves(
    controller,
    async ({ signal, until }) => {
      if (!isHealthy()) throw new Error('its health check fails while it runs');
      cli('login', `https://${address}`, '-u', 'admin', '--ca', join(data, 'pki', 'root-ca.cert.pem'));
      cli('create', 'identity', 'kept');
      if (run(inside(['/bin/touch', '/usr/written']), { mayFail: true }).status === 0) {
        throw new Error('its root can be written');
      }
      signal('SIGHUP');
      await until('"event":"reloaded"');
    },
    signalInside,
  );
  if (isHealthy()) throw new Error('it is healthy after it has ended');
  say('starting again');
  await serves(controller, () => void cli('get', 'identity', 'kept'), signalInside);
  const manifests = await onPostgres((databaseUrl) =>
    tryManifests({ work, folder, image: { Entrypoint, Cmd, Env }, databaseUrl }),
  );
  const composed = await tryCompose({ work, folder, image: { Entrypoint, Cmd, Env, User, Healthcheck } });
  return `${size} MB, ends by ${StopSignal}; set up, healthy, logged in to from outside, reloaded, stopped and started again as user ${User} on a read-only root, by unshare and chroot; podman and docker were not tried; ${manifests}; ${composed}`;
}

async function onPostgres(use) {
  const { startPostgres } = await import('../../test/support/postgres.ts');
  const server = await startPostgres({ unsynced: true });
  try {
    return await use(await server.createDatabase());
  } finally {
    await server.close();
  }
}
