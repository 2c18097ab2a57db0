// The files of the console and the account page. A published package has them ready-made. In a clone, they are bundled
// in a process of their own at the first request for such a page, and kept below node_modules until a source
// changes.

import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../platform/digest.ts';

export interface WebFile {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly brotli: Buffer;
}

export interface WebFiles {
  /** Part of the address of each file; it changes with their content. */
  readonly version: string;
  readonly byName: ReadonlyMap<string, WebFile>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const readyMade = `${root}web/built`;

let files: Promise<WebFiles> | undefined;

/** @throws Error if they cannot be built; the next call tries again */
export function webFiles(): Promise<WebFiles> {
  files ??= load().catch((error) => {
    files = undefined;
    throw error;
  });
  return files;
}

async function load(): Promise<WebFiles> {
  if (existsSync(`${readyMade}/manifest.json`)) return read(readyMade);
  const folder = `${root}node_modules/.cache/web/${sourcesHash()}`;
  if (!existsSync(`${folder}/manifest.json`)) await build(folder);
  return read(folder);
}

/** Modules that the pages share with the server: tables and values, which import nothing else. */
export const sharedWithPages = [
  'src/model/entities/*.ts',
  'src/model/{bulk-actions,enrollment,ids,kept-events,languages,permission,refusal-reason,usual-policy}.ts',
  'src/pages/texts/{both-languages,common}.ts',
  'src/platform/time-units.ts',
  'src/platform/formats/{csv-text,durations,qr-text}.ts',
] as const;

function sourcesHash(): string {
  const own = ['web/**/*.{ts,tsx,css,js}', 'packages/client/src/**/*.ts'];
  const sources = globSync([...own, ...sharedWithPages], { cwd: root });
  const all = [...sources.sort(), 'scripts/build-web.mjs', 'package-lock.json'];
  return sha256(all.map((name) => `${name}\0${readFileSync(root + name, 'utf8')}`).join('\0')).slice(0, 16);
}

/** @throws Error with the bundler's message */
function build(folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const bundler = spawn(process.execPath, [`${root}scripts/build-web.mjs`, folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    bundler.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
    });
    bundler.on('error', reject);
    bundler.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the pages could not be built: ${said.trim()}`));
    });
  });
}

async function read(folder: string): Promise<WebFiles> {
  const { names } = JSON.parse(await readFile(`${folder}/manifest.json`, 'utf8')) as { names: string[] };
  const found = await Promise.all(
    names.map(async (name): Promise<[string, WebFile]> => {
      const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
      const [plain, brotli] = await Promise.all([
        readFile(`${folder}/${name}`),
        readFile(`${folder}/${name}.br`),
      ]);
      return [name, { contentType: `${type}; charset=utf-8`, plain, brotli }];
    }),
  );
  const version = sha256(found.map(([name, { plain }]) => `${name} ${sha256(plain)}`).join('\n')).slice(
    0,
    12,
  );
  return { version, byName: new Map(found) };
}
