import { join, relative, resolve } from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { findUnreadableFiles, type LoadedConfig, loadConfig } from '../../config/load.ts';
import type { Millis } from '../../platform/clock.ts';
import { shellWord } from '../../platform/formats/shell-word.ts';
import { textOfFile } from '../../platform/formats/strict-input.ts';
import { readBytes } from '../../platform/read-file.ts';
import { type CliPorts, homeFolder } from '../terminal/ports.ts';

/** @throws the error of the file system; MalformedInput: it is not in UTF-8 */
export function readConfigText(path: string): string {
  return textOfFile(readBytes(path));
}

/** @throws ConfigError with every problem of the file */
export function loadConfigFile(ports: Pick<CliPorts, 'cwd' | 'env'>, path: string): LoadedConfig {
  return loadConfig(shownPath(ports.cwd, path), {
    readFile: (file) => readConfigText(resolve(ports.cwd, file)),
    env: ports.env,
  });
}

/** Time within which a program that is writing the file would write again. */
const stillness: Millis = 100;
const mostReads = 20;

/**
 * The same for a file that may be changing: half of it could be a valid configuration with other defaults.
 * Reads it until two successive reads are the same, for two seconds at most.
 * @throws ConfigError also when it keeps changing
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
      const problems = findUnreadableFiles(loaded, { readFile: (named) => readBytes(named) });
      if (problems.length > 0) throw new ConfigError(problems);
      return loaded;
    }
    before = text;
    await ports.pause(stillness);
  }
  // The error of a file that cannot be read at all is clear enough.
  loadConfig(file, { readFile: read, env: ports.env });
  const message = 'the file keeps changing: another program is writing it';
  throw new ConfigError([{ message, file, line: null, column: null, path: '', hint: null }]);
}

/** Null while it does not exist: editors move a new file into its place. */
function textOf(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** The options of a command that works with one controller of this host. */
export interface ConfigOptions {
  readonly config?: string | undefined;
}

/**
 * The configuration for a command on the host: the named one, that of the home in OVERLAY_AUTH_HOME, or that of the
 * quickstart in this folder.
 */
export function configPath(ports: Pick<CliPorts, 'cwd' | 'env'>, { config }: ConfigOptions): string {
  return resolve(ports.cwd, config ?? join(homeFolder(ports), 'controller.yml'));
}

/** That configuration, with its file. @throws ConfigError with every problem of the file */
export function openConfig(
  ports: Pick<CliPorts, 'cwd' | 'env'>,
  options: ConfigOptions,
): LoadedConfig & { readonly configFile: string } {
  const configFile = configPath(ports, options);
  return { configFile, ...loadConfigFile(ports, configFile) };
}

/** The command that makes a running controller read its configuration and certificates again. */
export function reloadCommand({ cwd }: Pick<CliPorts, 'cwd'>, configFile: string): string {
  return `overlay-auth config reload --config ${shellWord(shownPath(cwd, configFile))}`;
}

/** A path as a person in `cwd` would type it: relative if it is below, otherwise absolute. */
export function shownPath(cwd: string, path: string): string {
  const absolute = resolve(cwd, path);
  const below = relative(cwd, absolute);
  return below === '' || below.startsWith('..') ? absolute : below;
}
