import { spawn } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeRoot, need, needRoot, root, run, Skipped, say, serves } from './running.mjs';
import { unitFile } from './unit.mjs';

/** Installed in a clean root, set up, run as its user until it is ready, stopped, removed and purged. */
export async function tryDebian(work) {
  need('dpkg-deb', 'apt-get install dpkg');
  need('debootstrap', 'apt-get install debootstrap');
  needRoot('a clean root');
  say('building');
  run([process.execPath, join(root, 'scripts', 'build-deb.mjs'), work]);
  const file = join(work, readdirSync(work).find((name) => name.endsWith('.deb')));
  const clean = join(work, 'root');
  makeRoot(clean, ['adduser', 'libatomic1', 'ca-certificates', 'openssl']);
  copyFileSync(file, join(clean, 'tmp', 'package.deb'));
  if (run(['mount', '-t', 'proc', 'proc', join(clean, 'proc')], { mayFail: true }).status !== 0) {
    throw new Skipped('this sandbox does not let a root be mounted');
  }
  try {
    const version = await tryInstalled(clean);
    const size = Math.round(statSync(file).size / 1e6);
    return `${size} MB; installed, set up, ready, reloaded and stopped as its own user; its authority trusted by the system and no more; removed and purged: ${version}`;
  } finally {
    run(['umount', join(clean, 'proc')], { mayFail: true });
  }
}

async function tryInstalled(clean) {
  const inside = (...words) => run(['chroot', clean, ...words]).text;
  say('installing, setting up, running');
  inside('dpkg', '-i', '/tmp/package.deb');
  const version = inside('overlay-auth', 'version').trim();
  inside('overlay-auth-setup', '--address', 'localhost:0');
  const owner = inside('stat', '-c', '%U %a', '/var/lib/overlay-auth/controller.yml').trim();
  if (owner !== 'overlay-auth 600') throw new Error(`controller.yml is of ${owner}`);
  const asUser = ['setpriv', '--reuid', 'overlay-auth', '--regid', 'overlay-auth', '--clear-groups', '--reset-env'];
  const wordsOf = (key) => new RegExp(`^${key}=(.*)$`, 'm').exec(readFileSync(unitFile, 'utf8'))?.[1].split(' ') ?? [];
  await serves(
    () => spawn('chroot', [clean, ...asUser, ...wordsOf('ExecStart')], { stdio: ['ignore', 'pipe', 'pipe'] }),
    () => inside(...asUser, ...wordsOf('ExecReload')),
  );
  say('letting the system trust its authority, and undoing that');
  const isTrusted = () => {
    const verify = ['openssl', 'verify', '-CApath', '/etc/ssl/certs', '/var/lib/overlay-auth/pki/server.cert.pem'];
    return run(['chroot', clean, ...verify], { mayFail: true }).status === 0;
  };
  const trust = (word) => {
    inside('overlay-auth', 'pki', 'trust', word, '--only', 'system', '--config', '/var/lib/overlay-auth/controller.yml');
    return isTrusted();
  };
  if (isTrusted() || !trust('--yes') || trust('--undo')) throw new Error('pki trust does not do what it says');
  inside('sh', '-c', '! test -e /var/lib/overlay-auth/.cache');
  say('removing');
  inside('dpkg', '-r', 'overlay-auth');
  inside('test', '-e', '/var/lib/overlay-auth/secrets/master.key');
  inside('dpkg', '-P', 'overlay-auth');
  inside('sh', '-c', '! test -e /var/lib/overlay-auth && ! getent passwd overlay-auth');
  say('purging while a process of its user runs');
  inside('dpkg', '-i', '/tmp/package.deb');
  const busy = spawn('chroot', [clean, ...asUser, 'sleep', 'infinity']);
  inside('dpkg', '-P', 'overlay-auth');
  busy.kill();
  return version;
}
