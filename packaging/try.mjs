// Builds every package and tries it: `npm run packages`. Says what it does, what came of it, and what it skipped and why.
//   node packaging/try.mjs              all
//   node packaging/try.mjs 'npm pack'   those whose names contain it
// The Debian package is installed in a clean root made from Debian's packages; that takes root and debootstrap.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const work = mkdtempSync(join(tmpdir(), 'overlay-auth-packages-'));
const unit = join(root, 'packaging', 'overlay-auth.service');
const mostExposure = 1.5;
const mostMegabytes = 100;

class Skipped extends Error {}

const trials = {
  'npm package': tryNpm,
  'systemd unit': tryUnit,
  'Debian package': tryDebian,
};

let failed = 0;
try {
  const wanted = process.argv[2] ?? '';
  for (const [name, trial] of Object.entries(trials).filter(([name]) => name.includes(wanted))) {
    process.stderr.write(`${name} …\n`);
    try {
      process.stdout.write(`ok       ${name}: ${await trial()}\n`);
    } catch (error) {
      const isSkipped = error instanceof Skipped;
      if (!isSkipped) failed += 1;
      process.stdout.write(`${isSkipped ? 'skipped ' : 'FAILED  '} ${name}: ${error.message}\n`);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

/** Packed, installed globally by the system's npm and Node, and run: no warning, a small folder, commands that can be typed. */
async function tryNpm() {
  say('building');
  const dist = join(work, 'dist');
  run([process.execPath, join(root, 'scripts', 'build-npm.mjs'), dist]);
  run(['npm', 'pack', dist, '--pack-destination', work, '--loglevel=error']);
  const file = join(work, readdirSync(work).find((name) => name.endsWith('.tgz')));
  say('installing');
  const prefix = join(work, 'prefix');
  const path = process.env.PATH.split(':').filter((folder) => !folder.includes('node_modules')).join(':');
  const env = { ...process.env, PATH: path, XDG_CACHE_HOME: join(work, 'cache'), XDG_CONFIG_HOME: join(work, 'config') };
  const system = run(['node', '--version'], { env }).text.trim();
  const installed = run(['npm', 'install', '--global', '--prefix', prefix, file, '--no-audit', '--no-fund'], { env }).text;
  if (/EBADENGINE|deprecated/.test(installed)) throw new Error(`npm warns: ${installed}`);
  const size = Number.parseInt(run(['du', '-sm', prefix]).text, 10);
  if (size > mostMegabytes) throw new Error(`it takes ${size} MB, at most ${mostMegabytes} were agreed`);
  say('running');
  const command = join(prefix, 'bin', 'overlay-auth');
  const version = run([command, 'version'], { env }).text.split('\n')[0];
  for (const [where, expected] of [
    [`${join(prefix, 'bin')}:${path}`, 'overlay-auth'],
    [path, command],
  ]) {
    const { text } = run([command, 'whoami'], { env: { ...env, PATH: where }, mayFail: true });
    const next = /^next: (.*)$/m.exec(text)?.[1] ?? '';
    if (!next.startsWith(`${expected} login `)) throw new Error(`it says what cannot be typed: ${text}`);
    const typed = run(['sh', '-c', `${expected} login --help`], { env: { ...env, PATH: where } }).text;
    if (!typed.includes('Usage:')) throw new Error(`what it prints cannot be typed: ${typed}`);
  }
  await serves(() => spawn(command, ['quickstart', '--home', join(work, 'home'), '--port', '0', '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  const packed = Math.round(statSync(file).size / 1e6);
  return `${packed} MB, installed ${size} MB without a warning on Node ${system}; ready and stopped: ${version}`;
}

/** The unit is one that systemd takes, and exposes as little as was agreed. */
function tryUnit() {
  need('systemd-analyze', 'apt-get install systemd');
  const { text } = run(['systemd-analyze', 'verify', unit], { mayFail: true });
  // The command is only there where the package is installed.
  const wrong = text.split('\n').filter((line) => line !== '' && !line.includes('/usr/bin/overlay-auth is not executable'));
  if (wrong.length > 0) throw new Error(wrong.join('; '));
  const judged = run(['systemd-analyze', 'security', '--offline=yes', '--no-pager', unit], { mayFail: true }).text;
  const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(judged)?.[1]);
  if (!(exposure <= mostExposure)) throw new Error(`its exposure is ${exposure}, at most ${mostExposure} was agreed`);
  return `taken by systemd, exposure ${exposure} of 10; that it runs under a systemd was not tried`;
}

/** Installed in a clean root, set up, run as its user until it is ready, stopped, removed and purged. */
async function tryDebian() {
  need('dpkg-deb', 'apt-get install dpkg');
  need('debootstrap', 'apt-get install debootstrap');
  if (process.getuid?.() !== 0) throw new Skipped('a clean root takes the rights of root');
  say('building');
  run([process.execPath, join(root, 'scripts', 'build-deb.mjs'), work]);
  const file = readdirSync(work).find((name) => name.endsWith('.deb'));
  const size = Math.round(statSync(join(work, file)).size / 1e6);
  const clean = join(work, 'root');
  say('making a clean root from the packages of Debian');
  const made = run(['debootstrap', '--variant=minbase', '--include=adduser,libatomic1', 'bookworm', clean], { mayFail: true });
  if (made.status !== 0) throw new Skipped(`no clean root could be made: ${made.text.slice(-200)}`);
  writeFileSync(join(clean, 'tmp', 'package.deb'), readFileSync(join(work, file)));
  const inside = (...words) => run(['chroot', clean, ...words]).text;
  if (run(['mount', '-t', 'proc', 'proc', join(clean, 'proc')], { mayFail: true }).status !== 0) {
    throw new Skipped('this sandbox does not let a root be mounted');
  }
  try {
    say('installing, setting up, running');
    inside('dpkg', '-i', '/tmp/package.deb');
    const version = inside('overlay-auth', 'version').trim();
    inside('overlay-auth-setup', '--address', 'localhost:0');
    const owner = inside('stat', '-c', '%U %a', '/var/lib/overlay-auth/controller.yml').trim();
    if (owner !== 'overlay-auth 600') throw new Error(`controller.yml is of ${owner}`);
    await runsAndStops(clean);
    say('removing');
    inside('dpkg', '-r', 'overlay-auth');
    inside('test', '-e', '/var/lib/overlay-auth/secrets/master.key');
    inside('dpkg', '-P', 'overlay-auth');
    inside('sh', '-c', '! test -e /var/lib/overlay-auth && ! getent passwd overlay-auth');
    return `${size} MB; installed, set up, ready and stopped as its own user, removed and purged: ${version}`;
  } finally {
    run(['umount', join(clean, 'proc')], { mayFail: true });
  }
}

/** What ExecStart of the unit does, up to the line `ready`, and SIGTERM. */
async function runsAndStops(clean) {
  const asUser = ['setpriv', '--reuid', 'overlay-auth', '--regid', 'overlay-auth', '--clear-groups', '--reset-env'];
  const start = /^ExecStart=(.*)$/m.exec(readFileSync(unit, 'utf8'))?.[1].split(' ') ?? [];
  await serves(() => spawn('chroot', [clean, ...asUser, ...start], { stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** A controller that starts becomes ready, and ends well at SIGTERM. */
async function serves(start) {
  const child = start();
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  const ended = new Promise((resolve) => child.on('close', resolve));
  for (let tenths = 0; tenths < 600 && child.exitCode === null && !text.includes('"event":"ready"'); tenths += 1) {
    await delay(100);
  }
  const isReady = text.includes('"event":"ready"');
  child.kill('SIGTERM');
  const code = await ended;
  if (!isReady || code !== 0) throw new Error(`the controller ended with ${code}: ${text.slice(-500)}`);
}

function say(text) {
  process.stderr.write(`  ${text} …\n`);
}

function need(command, how) {
  if (spawnSync('which', [command]).status !== 0) throw new Skipped(`${command} is not there: ${how}`);
}

function run([command, ...args], { mayFail = false, env = process.env } = {}) {
  const ran = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const text = `${ran.stdout}${ran.stderr}`;
  if (ran.status !== 0 && !mayFail) throw new Error(`${command} ${args.join(' ')} ended with ${ran.status}: ${text.slice(-500)}`);
  return { status: ran.status, text };
}
