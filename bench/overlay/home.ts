import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type MeasuredProcess, startMeasured } from '../measured-process.ts';

const withoutHashing = fileURLToPath(new URL('./without-hashing.ts', import.meta.url));
const channel = new URL('../child-channel.ts', import.meta.url).href;

/** The home of a controller, as `overlay-auth init` makes it, with the default configuration. */
export interface OverlayHome {
  readonly folder: string;
  /** The entry file of the package that made it and runs on it. */
  readonly program: string;
  readonly port: number;
  readonly configFile: string;
  readonly clientCa: { readonly cert: string; readonly key: string };
  readonly server: { readonly cert: string; readonly key: string };
}

/** @param db URL of an empty PostgreSQL database; null for SQLite */
export async function makeHome(program: string, folder: string, db: string | null): Promise<OverlayHome> {
  const port = await freePort();
  execFileSync(
    process.execPath,
    [
      program,
      'init',
      '--home',
      folder,
      '--address',
      `localhost:${port}`,
      '--yes',
      ...(db === null ? [] : ['--db', db]),
    ],
    {
      env: environment(folder),
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const pair = (name: string) => ({
    cert: join(folder, 'pki', `${name}.cert.pem`),
    key: join(folder, 'pki', `${name}.key.pem`),
  });
  return {
    folder,
    program,
    port,
    configFile: join(folder, 'controller.yml'),
    clientCa: pair('client-ca'),
    server: pair('server'),
  };
}

/** `run controller` on a home. @param profile folder for a CPU profile */
export function startOverlay(home: OverlayHome, profile?: string): Promise<MeasuredProcess> {
  return start(home, home.program, ['run', 'controller', home.configFile], profile);
}

/** The same controller with a password hash that costs nothing. */
export function startWithoutHashing(home: OverlayHome, profile?: string): Promise<MeasuredProcess> {
  return start(home, withoutHashing, [home.configFile], profile);
}

function start(
  home: OverlayHome,
  file: string,
  args: readonly string[],
  profile: string | undefined,
): Promise<MeasuredProcess> {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  return startMeasured({
    file,
    args,
    port: home.port,
    execArgv: ['--import', channel, ...profiling],
    env: environment(home.folder),
    outputFile: join(home.folder, 'controller.log'),
  });
}

/**
 * The compile cache is the home's own: a first start finds none. Named like this it holds for the channel too, which
 * would otherwise load the TypeScript compiler of Node into what is measured.
 */
function environment(folder: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: folder, NODE_COMPILE_CACHE: join(folder, 'cache') };
}
