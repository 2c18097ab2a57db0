// Bundles the console and the account page for the browser; what both need is bundled once.
//   node scripts/build-web.mjs FOLDER   into FOLDER, which is made and replaced as a whole
// What stands there: the scripts and styles, each with its Brotli form, and `manifest.json`, which is written last.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
const target = resolve(folder);
/** Another process may build at the same time: each builds for itself, and what is complete takes the place. */
const own = `${target}.${process.pid}`;

mkdirSync(own, { recursive: true });
await build({
  entryPoints: [
    { in: join(root, 'web/console/main.tsx'), out: 'main' },
    { in: join(root, 'web/console/console.css'), out: 'console' },
    { in: join(root, 'web/account/main.tsx'), out: 'account' },
    { in: join(root, 'web/account/account.css'), out: 'account' },
    { in: join(root, 'web/account/invite.ts'), out: 'invite' },
    { in: join(root, 'web/account/home.ts'), out: 'home' },
  ],
  outdir: own,
  tsconfig: join(root, 'tsconfig.console.json'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
});

const names = readdirSync(own).filter((name) => /\.(?:js|css)$/.test(name));
for (const name of names) {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  writeFileSync(join(own, `${name}.br`), brotliCompressSync(readFileSync(join(own, name)), options));
}
writeFileSync(join(own, 'manifest.json'), JSON.stringify({ names }));
rmSync(target, { recursive: true, force: true });
renameSync(own, target);
