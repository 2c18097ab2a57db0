// What the trials of all packages share: running programs, saying what is done, and starting and stopping a controller.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Something that this machine does not let be tried; the message says why. */
export class Skipped extends Error {}

export function say(text) {
  process.stderr.write(`  ${text} …\n`);
}

export function need(command, how) {
  if (spawnSync('which', [command]).status !== 0) throw new Skipped(`${command} is not there: ${how}`);
}

export function needRoot(what) {
  if (process.getuid?.() !== 0) throw new Skipped(`${what} takes the rights of root`);
}

/** @returns {{ status: number | null, text: string }} `text` is what it wrote to both outputs */
export function run([command, ...args], { mayFail = false, env = process.env, input = '', cwd = root } = {}) {
  const ran = spawnSync(command, args, { cwd, env, input, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const text = `${ran.stdout}${ran.stderr}`;
  if (ran.status !== 0 && !mayFail) {
    throw new Error(`${command} ${args.join(' ')} ended with ${ran.status ?? ran.error?.message}: ${text.slice(-500)}`);
  }
  return { status: ran.status, text };
}

/** A root made from the packages of Debian. */
export function makeRoot(folder, packages) {
  say('making a clean root from the packages of Debian');
  const words = ['--variant=minbase', `--include=${packages.join(',')}`, 'bookworm', folder];
  const made = run(['debootstrap', ...words], { mayFail: true });
  if (made.status !== 0) throw new Skipped(`no clean root could be made: ${made.text.slice(-200)}`);
}

/** A port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * A controller that starts becomes ready, and ends well at SIGTERM.
 * @param start gives its process; what it logs goes to a pipe
 * @param whileReady gets `signal`, and `until`, which resolves when a text was logged
 * @param signalTo how a signal reaches it, where it is not the process that was started
 */
export async function serves(start, whileReady = () => {}, signalTo = (child, signal) => child.kill(signal)) {
  const child = start();
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  const ended = new Promise((resolve) => child.on('close', resolve));
  const until = async (logged) => {
    for (let tenths = 0; tenths < 600 && child.exitCode === null; tenths += 1) {
      if (text.includes(logged)) return;
      await delay(100);
    }
    throw new Error(`it does not log ${logged}: ${text.slice(-500)}`);
  };
  const signal = (name) => signalTo(child, name);
  try {
    await until('"event":"ready"');
    await whileReady({ signal, until });
  } catch (error) {
    if (child.exitCode === null) signal('SIGKILL');
    throw error;
  }
  signal('SIGTERM');
  const code = await ended;
  if (code !== 0) throw new Error(`the controller ended with ${code}: ${text.slice(-500)}`);
}
