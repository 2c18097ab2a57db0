import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
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
