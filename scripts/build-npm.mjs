// Makes the npm package of the service: `npm run build`. The folder `dist` is then ready for `npm pack ./dist`.
//   node scripts/build-npm.mjs            into dist
//   node scripts/build-npm.mjs FOLDER     into FOLDER, which must not exist or be an earlier build
// The program comes with the dependencies that were tested, and with the Node of the platform on which it is built, for
// systems whose own is too old. See docs/decisions/runtime-from-npm.md. Needs the registry of npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { installLocked } from './locked-dependencies.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = resolve(process.argv[2] ?? join(root, 'dist'));
/** It has a compiled part for each platform, so that npm chooses at the installation. */
const chosenByNpm = ['@node-rs/argon2'];
const work = mkdtempSync(join(tmpdir(), 'overlay-auth-npm-'));

try {
  const program = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs'), target], {
    stdio: 'inherit',
  });
  if (program.status !== 0) process.exit(1);
  say('adding the dependencies');
  const modules = installLocked(join(work, 'install'));
  const runtime = readdirSync(modules).find(
    (name) => /^node(-bin)?-/.test(name) && name.endsWith(`-${process.arch}`),
  );
  if (runtime !== undefined) packRuntime(join(modules, runtime));
  for (const name of readdirSync(modules)) {
    if (/^node(-bin)?-/.test(name)) rmSync(join(modules, name), { recursive: true });
  }
  for (const name of chosenByNpm) rmSync(join(modules, dirname(name)), { recursive: true });
  cpSync(modules, join(target, 'node_modules'), { recursive: true });
  describePackage();
  process.stdout.write(`next: npm pack ${process.argv[2] === undefined ? './dist' : target}\n`);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function say(text) {
  process.stderr.write(`${text} …\n`);
}

/** Without headers and manual, compressed, and with what shows that it is unchanged when it was unpacked. */
function packRuntime(folder) {
  say('packing Node for systems with an old one');
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const node = readFileSync(join(folder, 'bin', 'node'));
  const packed = join(target, 'runtime', `${process.platform}-${process.arch}`);
  mkdirSync(packed, { recursive: true });
  // Beyond 5 it takes minutes for a twentieth.
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: node.length,
  };
  writeFileSync(join(packed, 'node.br'), brotliCompressSync(node, { params }));
  const sha256 = createHash('sha256').update(node).digest('hex');
  writeFileSync(join(packed, 'node.json'), `${JSON.stringify({ version, size: node.length, sha256 })}\n`);
  if (existsSync(join(folder, 'LICENSE'))) cpSync(join(folder, 'LICENSE'), join(packed, 'LICENSE'));
}

/** npm checks the `engines` of what it installs against the system's Node, which is not what runs this package. */
function describePackage() {
  const path = join(target, 'package.json');
  const {
    engines: _engines,
    optionalDependencies: _runtimes,
    ...manifest
  } = JSON.parse(readFileSync(path, 'utf8'));
  const bundleDependencies = Object.keys(manifest.dependencies).filter((name) => !chosenByNpm.includes(name));
  const files = [...manifest.files, 'runtime'];
  writeFileSync(path, `${JSON.stringify({ ...manifest, files, bundleDependencies }, undefined, 2)}\n`);
}
