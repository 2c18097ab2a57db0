// A real Chromium, from a package: nothing is downloaded, and nothing needs to be installed.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const run = promisify(execFile);

interface Unpacked {
  readonly executable: string;
  /** What the process needs besides the environment: libraries and fonts that the machine may lack. */
  readonly env: Readonly<Record<string, string>>;
}

/** How often a browser is started when it crashes before it says a word. */
const mostStarts = 3;

/**
 * Starts a browser. While Chromium starts, one of its threads reads the environment and another one changes it, which
 * takes it down now and then, most often on a busy machine: it is then started again.
 * @param env besides the environment of this process
 */
export async function launchChromium(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Browser> {
  const unpacked = await unpackedChromium();
  const options = {
    executablePath: unpacked.executable,
    env: { ...process.env, ...unpacked.env, ...env } as Record<string, string>,
    args: ['--no-sandbox', '--disable-gpu', ...args],
  };
  for (let starts = 1; ; starts += 1) {
    try {
      return await chromium.launch(options);
    } catch (error) {
      if (starts === mostStarts || !String(error).includes('signal=SIGSEGV')) throw error;
    }
  }
}

/** Beside what else is made of packages, so that it goes with them. */
const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/**
 * Unpacks Chromium, once for each version. Several processes may do so at the same time: each unpacks for itself, and
 * the first folder stays.
 */
async function unpackedChromium(): Promise<Unpacked> {
  const folder = join(cache, `chromium-${packageVersion()}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const own = mkdtempSync(`${folder}-`);
    await unpackInto(own);
    try {
      renameSync(own, folder);
    } catch {
      rmSync(own, { recursive: true, force: true });
    }
  }
  const executable = join(folder, 'chromium');
  return { executable, env: await missingParts(folder, executable) };
}

function packageVersion(): string {
  const found: unknown = createRequire(import.meta.url)(
    '../../node_modules/@sparticuz/chromium/package.json',
  );
  return typeof found === 'object' && found !== null && 'version' in found
    ? String(found.version)
    : 'unknown';
}

/** The package unpacks into the temporary folder of its process, and its libraries only where it sees their platform. */
async function unpackInto(folder: string): Promise<void> {
  const script = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())";
  await run(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
  });
  mkdirSync(join(folder, 'font-cache'), { recursive: true });
  const fonts = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><include ignore_missing="yes">/etc/fonts/fonts.conf</include><dir prefix="relative">fonts</dir><cachedir prefix="relative">font-cache</cachedir></fontconfig>`;
  writeFileSync(join(folder, 'fonts.conf'), fonts);
}

/** Uses the package's libraries only if the machine lacks its own, which fit it better. */
async function missingParts(folder: string, executable: string): Promise<Record<string, string>> {
  const fonts = { FONTCONFIG_FILE: join(folder, 'fonts.conf') };
  try {
    await run(executable, ['--version']);
    return fonts;
  } catch {
    return { ...fonts, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') };
  }
}
