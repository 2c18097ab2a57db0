#!/usr/bin/env node
// The command `overlay-auth`. Plain JavaScript that any Node can parse: it finds a Node that can run the program.
// A clone brings its own (the package node-<platform>-<architecture>), and so does an installed package (packed-node.mjs):
// an old system Node is no obstacle.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { commandAsTyped } from './command-as-typed.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src', 'main.ts');
const entry = existsSync(source) ? source : join(root, 'src', 'main.js');
const installer = join(root, 'scripts', 'ensure-installed.mjs');

// For the commands that the program tells people to type next.
process.env.OVERLAY_AUTH_COMMAND = commandAsTyped({
  launchers: [existsSync(source) ? join(root, 'overlay-auth') : null, fileURLToPath(import.meta.url)],
  started: process.argv[1],
  env: process.env,
  cwd: currentFolder(),
});

const [major, minor] = process.versions.node.split('.').map(Number);
const isRecent = major > 24 || (major === 24 && minor >= 7);

if (existsSync(source) && !existsSync(join(root, 'node_modules')) && existsSync(installer)) {
  const installed = spawnSync(process.execPath, [installer], { cwd: root, stdio: ['ignore', 2, 2] });
  if (installed.status !== 0) process.exit(1);
}

if (isRecent) {
  await import(pathToFileURL(entry).href);
} else {
  const bundledNode = process.env.OVERLAY_AUTH_RELAUNCHED === undefined ? await findBundledNode() : undefined;
  if (bundledNode !== undefined) relaunch(bundledNode);
}

/** Ends the process when the folder was removed: every relative path would fail later, in words of Node. */
function currentFolder() {
  try {
    return process.cwd();
  } catch {
    fail('the current folder was removed', 'go to another folder, then run the command again');
    return process.exit();
  }
}

/** Says what to do when there is none. */
async function findBundledNode() {
  const { packedNode, unpackedNode } = await import('./packed-node.mjs');
  const packed = packedNode(root);
  try {
    const found = installedNode() ?? (packed && (await unpackedNode(packed)));
    if (found !== undefined) return found;
    const others = existsSync(source) ? '. In this clone, `npm ci` brings one' : '';
    fail(
      `overlay-auth needs Node 24.7 or newer; this is ${process.version}`,
      `install a newer Node from https://nodejs.org${others}`,
    );
  } catch (error) {
    const other = `install Node 24.7 or newer; this is ${process.version}`;
    fail(
      `the Node of this package could not be unpacked: ${error.message}`,
      `set XDG_CACHE_HOME to a folder of yours with 150 MB of space, or ${other}`,
    );
  }
  return undefined;
}

function fail(what, next) {
  process.stderr.write(`error: ${what}\nnext: ${next}\n`);
  process.exitCode = 1;
}

/** The Node among our dependencies, wherever npm has put it; its package names the same for every platform. */
function installedNode() {
  const require = createRequire(import.meta.url);
  for (const name of ['node', 'node-bin']) {
    try {
      const manifest = require.resolve(`${name}-${process.platform}-${process.arch}/package.json`);
      const found = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
      if (existsSync(found)) return found;
    } catch {
      // Not installed on this platform.
    }
  }
  return undefined;
}

function relaunch(bundledNode) {
  const child = spawn(bundledNode, [entry, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, OVERLAY_AUTH_RELAUNCHED: '1' },
  });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    // A terminal sends Ctrl-C to both processes; sending it on would make it two.
    process.on(signal, () => {
      if (signal !== 'SIGINT' || process.stdin.isTTY !== true) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    fail(
      `${bundledNode} could not be started: ${error.message}`,
      'install Node 24.7 or newer from https://nodejs.org',
    );
  });
  child.on('close', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128);
    // As the program ended: a service manager takes this for a clean end when it is the signal that it has sent.
    if (signal !== null) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}
