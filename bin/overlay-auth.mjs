#!/usr/bin/env node
// The command `overlay-auth`. Plain JavaScript that any Node can parse: it finds a Node that can run the program.
// A clone and an installed package bring their own (the package node-<platform>-<architecture>), so an old system
// Node is no obstacle.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src', 'main.ts');
const entry = existsSync(source) ? source : join(root, 'src', 'main.js');
const installer = join(root, 'scripts', 'ensure-installed.mjs');

const [major, minor] = process.versions.node.split('.').map(Number);
const isRecent = major > 24 || (major === 24 && minor >= 7);

if (existsSync(source) && !existsSync(join(root, 'node_modules')) && existsSync(installer)) {
  const installed = spawnSync(process.execPath, [installer], { cwd: root, stdio: ['ignore', 2, 2] });
  if (installed.status !== 0) process.exit(1);
}

const bundledNode = isRecent ? undefined : findBundledNode();

if (isRecent) {
  await import(pathToFileURL(entry).href);
} else if (bundledNode !== undefined && process.env.OVERLAY_AUTH_RELAUNCHED === undefined) {
  relaunch();
} else {
  process.stderr.write(
    `error: overlay-auth needs Node 24.7 or newer; this is ${process.version}.\n` +
      'next: install a newer Node from https://nodejs.org, or run `npm ci` in a clone, which brings its own.\n',
  );
  process.exitCode = 1;
}

/** The Node among our dependencies, wherever npm has put it; its package names the same for every platform. */
function findBundledNode() {
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

function relaunch() {
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
    process.stderr.write(`error: ${bundledNode} could not be started: ${error.message}\nnext: npm ci\n`);
    process.exitCode = 1;
  });
  child.on('close', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128);
  });
}
