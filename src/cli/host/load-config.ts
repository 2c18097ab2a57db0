import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
import { findUnreadableFiles } from '../../config/named-files.ts';
import type { Millis } from '../../platform/clock.ts';
import type { CliPorts } from '../ports.ts';

/** @throws what the file system says */
export function readConfigText(path: string): string {
  return readFileSync(path, 'utf8');
}

/** @throws ConfigError with everything that is wrong with the file */
export function loadConfigFile(ports: Pick<CliPorts, 'cwd' | 'env'>, path: string): LoadedConfig {
  return loadConfig(shownPath(ports.cwd, path), {
    readFile: (file) => readConfigText(resolve(ports.cwd, file)),
    env: ports.env,
  });
}

/** Time in which what writes a file writes again, if it is not done. */
const stillness: Millis = 100;
const mostReads = 20;

/**
 * The same of a file that somebody may be writing: half of it could be a good configuration with other defaults. It is
 * read until two readings one after the other are the same, for two seconds at most.
 * @throws ConfigError also when it does not come to rest
 */
export async function loadSettledConfig(
  ports: Pick<CliPorts, 'cwd' | 'env' | 'pause'>,
  path: string,
): Promise<LoadedConfig> {
  const file = shownPath(ports.cwd, path);
  const read = () => readConfigText(resolve(ports.cwd, file));
  let before: string | null = null;
  for (let reads = 0; reads < mostReads; reads += 1) {
    const text = textOf(read);
    if (text !== null && text === before) {
      const loaded = loadConfig(file, { readFile: () => text, env: ports.env });
      const problems = findUnreadableFiles(loaded, { readFile: (named) => readFileSync(named) });
      if (problems.length > 0) throw new ConfigError(problems);
      return loaded;
    }
    before = text;
    await ports.pause(stillness);
  }
  // A file that cannot be read at all says so by itself.
  loadConfig(file, { readFile: read, env: ports.env });
  const message = 'the file changes all the time: it is being written';
  throw new ConfigError([{ message, file, line: null, column: null, path: '', hint: null }]);
}

/** Null while there is none: editors move another file into its place. */
function textOf(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/**
 * The configuration that a command on the host works with: the one that was named, that of the home which
 * OVERLAY_AUTH_HOME names, or that of the quickstart in this folder.
 */
export function configPath(ports: Pick<CliPorts, 'cwd' | 'env'>, named: string | undefined): string {
  return resolve(ports.cwd, named ?? join(ports.env.OVERLAY_AUTH_HOME || '.overlay', 'controller.yml'));
}

/** A path as a person at `cwd` would type it: relative when it is below, absolute otherwise. */
export function shownPath(cwd: string, path: string): string {
  const absolute = resolve(cwd, path);
  const below = relative(cwd, absolute);
  return below === '' || below.startsWith('..') ? absolute : below;
}
