// The files of the console. A published package has them ready-made. In a clone they are bundled when somebody asks for
// the console first, in a process of its own, and kept below node_modules until a source changes.

import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../platform/digest.ts';

export interface ConsoleFile {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly brotli: Buffer;
}

export interface ConsoleFiles {
  /** Part of the address of each file: it changes with their content. */
  readonly version: string;
  readonly byName: ReadonlyMap<string, ConsoleFile>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const readyMade = `${root}web/console-built`;

let files: Promise<ConsoleFiles> | undefined;

/** @throws Error when they cannot be built; the next call tries again */
export function consoleFiles(): Promise<ConsoleFiles> {
  files ??= load().catch((error) => {
    files = undefined;
    throw error;
  });
  return files;
}

async function load(): Promise<ConsoleFiles> {
  if (existsSync(`${readyMade}/manifest.json`)) return read(readyMade);
  const folder = `${root}node_modules/.cache/console/${sourcesHash()}`;
  if (!existsSync(`${folder}/manifest.json`)) await build(folder);
  return read(folder);
}

function sourcesHash(): string {
  const sources = globSync(['web/console/**/*.{ts,tsx,css}', 'packages/client/src/**/*.ts'], { cwd: root });
  const all = [...sources.sort(), 'scripts/build-console.mjs', 'package-lock.json'];
  return sha256(all.map((name) => `${name}\0${readFileSync(root + name, 'utf8')}`).join('\0')).slice(0, 16);
}

/** @throws Error with what the bundler said */
function build(folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const bundler = spawn(process.execPath, [`${root}scripts/build-console.mjs`, folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    bundler.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
    });
    bundler.on('error', reject);
    bundler.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the console could not be built: ${said.trim()}`));
    });
  });
}

async function read(folder: string): Promise<ConsoleFiles> {
  const { names } = JSON.parse(await readFile(`${folder}/manifest.json`, 'utf8')) as { names: string[] };
  const found = await Promise.all(
    names.map(async (name): Promise<[string, ConsoleFile]> => {
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
