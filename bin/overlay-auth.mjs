#!/usr/bin/env node
// The command `overlay-auth`. Plain JavaScript that any Node can parse: it finds a Node that can run the program.
// A clone brings its own (node_modules/.bin/node), so an old system Node is no obstacle there.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src', 'main.ts');
const entry = existsSync(source) ? source : join(root, 'dist', 'main.js');
const bundledNode = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
const installer = join(root, 'scripts', 'ensure-installed.mjs');

const [major, minor] = process.versions.node.split('.').map(Number);
const isRecent = major > 24 || (major === 24 && minor >= 7);

if (!existsSync(join(root, 'node_modules')) && existsSync(installer)) {
  const installed = spawnSync(process.execPath, [installer], { cwd: root, stdio: ['ignore', 2, 2] });
  if (installed.status !== 0) process.exit(1);
}

if (isRecent) {
  await import(entry);
} else if (existsSync(bundledNode) && process.env.OVERLAY_AUTH_RELAUNCHED === undefined) {
  relaunch();
} else {
  process.stderr.write(
    `error: overlay-auth needs Node 24.7 or newer; this is ${process.version}.\n` +
      'next: install a newer Node from https://nodejs.org, or run `npm ci` in a clone, which brings its own.\n',
  );
  process.exitCode = 1;
}

function relaunch() {
  const child = spawn(bundledNode, [entry, ...process.argv.slice(2)], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
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
