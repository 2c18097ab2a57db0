import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { root, run, say, serves } from './running.mjs';

const mostMegabytes = 100;

/** Packed, installed globally by the system's npm and Node, and run: no warning, a small folder, commands that can be typed. */
export async function tryNpm(work) {
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
  const args = ['quickstart', '--home', join(work, 'home'), '--port', '0', '--json'];
  await serves(() => spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  say('importing');
  const database = join(work, 'ctrl.db');
  writeFileSync(database, gunzipSync(readFileSync(join(root, 'test', 'import', 'fixtures', 'ctrl.db.gz'))));
  // Loaded by its command only, so nothing above has shown that the package contains it.
  const config = join(work, 'home', 'controller.yml');
  run([command, 'ops', 'import', 'ziti', database, '--dry-run', '--config', config], { env });
  const packed = Math.round(statSync(file).size / 1e6);
  return `${packed} MB, installed ${size} MB without a warning on Node ${system}; ready and stopped: ${version}`;
}
