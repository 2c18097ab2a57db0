// Makes the program that is published, without dependencies and runtime (build-npm.mjs and build-deb.mjs add them):
// a package of its own, with JavaScript instead of TypeScript, because Node does not strip types below node_modules. Our
// modules are bundled, because finding, reading and linking five hundred files took a third of a start. Dependencies stay
// what they are: packages that an operator can list and replace.
//   node scripts/build.mjs            into dist
//   node scripts/build.mjs FOLDER     into FOLDER, which must not exist or be an earlier build
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = resolve(process.argv[2] ?? join(root, 'dist'));
const mark = join(target, '.built');

if (existsSync(target) && !existsSync(mark)) {
  process.stderr.write(`error: ${target} exists and was not made by a build; it is left alone.\n`);
  process.exit(1);
}
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
writeFileSync(mark, '');

const { outputFiles } = await bundle({
  // The program, and what its threads start with: see openThread.
  entryPoints: [
    'main',
    'controller/request-thread-entry',
    'platform/secrets/hash-worker',
    'store/sqlite/writer',
    'store/sqlite/lister',
  ].map((name) => join(root, 'src', `${name}.ts`)),
  outdir: join(target, 'src'),
  outbase: join(root, 'src'),
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  packages: 'external',
  logLevel: 'warning',
  plugins: [{ name: 'places', setup: keepPlaces }],
  write: false,
});
for (const { path, text } of outputFiles) {
  // What keepPlaces writes holds directly in src/.
  if (dirname(path) !== join(target, 'src') && text.includes('import.meta')) {
    throw new Error(`${path} must not look for files: only one thread uses the module that does`);
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, inAscii(text));
}

/**
 * One umlaut makes the engine hold a whole file with two bytes for each character, in each thread. The bundler escapes
 * them in strings, but not in tagged templates, whose `raw` text would change: ours read only the other one.
 */
function inAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A module finds the files beside it as if it still stood at its own place; the manifest is that of the package. */
function keepPlaces({ onLoad, onResolve }) {
  onResolve({ filter: /\/package\.json$/ }, () => ({ path: '../package.json', external: true }));
  onLoad({ filter: /\.ts$/ }, ({ path }) => {
    const place = relative(join(root, 'src'), path).replace(/\.ts$/, '.js');
    const url = `new URL(${JSON.stringify(`./${place}`)}, import.meta.url).href`;
    return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'ts' };
  });
}

const copied = [
  'web',
  'bin',
  'docs',
  'packages/client/README.md',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
];
for (const name of copied) {
  cpSync(join(root, name), join(target, name), { recursive: true });
}
// The console and the account page as browsers get them, in place of their sources.
for (const name of ['console', 'account', 'parts']) rmSync(join(target, 'web', name), { recursive: true });
const webBuilt = spawnSync(
  process.execPath,
  [join(root, 'scripts', 'build-web.mjs'), join(target, 'web', 'built')],
  { stdio: ['ignore', 2, 2] },
);
if (webBuilt.status !== 0) process.exit(1);
chmodSync(join(target, 'bin', 'overlay-auth.mjs'), 0o755);

// What a package needs to be run, and nothing of how it is developed.
const {
  scripts,
  workspaces,
  devDependencies,
  private: _,
  ...published
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const files = ['bin', 'docs', 'packages', 'src', 'web', 'CHANGELOG.md', 'SECURITY.md'];
// What runs, for the version document. An archive of the sources has no history to ask.
const head = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' });
const revision = head.status === 0 ? head.stdout.trim() : published.version;
const build = { revision, date: new Date().toISOString() };
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify({ ...published, files, build }, undefined, 2)}\n`,
);
process.stdout.write(`built ${published.name} ${published.version} in ${target}\n`);
