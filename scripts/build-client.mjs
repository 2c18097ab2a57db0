// Makes what is published of the client library: a folder with JavaScript and type declarations.
//   node scripts/build-client.mjs            into packages/client/dist
//   node scripts/build-client.mjs FOLDER     into FOLDER, which must not exist or be an earlier build
// `npm pack` or `npm publish` of that folder comes after it.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const source = join(root, 'packages', 'client');
const target = resolve(process.argv[2] ?? join(source, 'dist'));
const mark = join(target, '.built');

if (existsSync(target) && !existsSync(mark)) {
  process.stderr.write(`error: ${target} exists and was not made by a build; it is left alone.\n`);
  process.exit(1);
}
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
writeFileSync(mark, '');

const compiler = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'tsc.cmd' : 'tsc');
const args = ['-p', join(source, 'tsconfig.build.json'), '--outDir', target];
const compiled = spawnSync(compiler, args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
if (compiled.status !== 0) process.exit(1);
// The compiler rewrites the endings of imports in the code, not in the declarations.
for (const name of readdirSync(target, { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
  const path = join(target, name);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
cpSync(join(source, 'README.md'), join(target, 'README.md'));

const {
  private: _,
  devDependencies,
  exports: entries,
  ...published
} = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
const built = (path) => path.replace('./src/', './').replace(/\.ts$/, '');
const exports = Object.fromEntries(
  Object.entries(entries).map(([name, path]) => [
    name,
    { types: `${built(path)}.d.ts`, default: `${built(path)}.js` },
  ]),
);
const manifest = { ...published, exports, files: ['**/*.js', '**/*.d.ts'] };
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
process.stdout.write(`built ${published.name} ${published.version} in ${target}\n`);
