import type { Config } from '../../../config/config.ts';
import { ConfigError } from '../../../config/config-error.ts';
import { renderAdjustment } from '../../../config/explain.ts';
import { findUnreadableFiles, type LoadedConfig } from '../../../config/load.ts';
import { tryNamedFiles } from '../../../controller/listeners.ts';
import { checkTlsMaterial } from '../../../http/server/tls-material.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Logger, silentLogger } from '../../../platform/log/logger.ts';
import { readBytes, readText } from '../../../platform/read-file.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { loadConfigFile } from '../load-config.ts';
import { endingCertificates } from './certificate-warnings.ts';

/**
 * Reads the configuration and the files that it names.
 * @throws ConfigError the file is wrong, or names files that cannot be read
 * @throws ListenError certificate and key of a listener cannot be used
 * @throws PkiFileError a file of the overlay's PKI cannot be used
 * @returns `notes`: sentences about certificates that have expired or soon will
 */
export async function checkedConfig(ports: Pick<CliPorts, 'cwd' | 'env' | 'clock'>, file: string) {
  const loaded = loadConfigFile(ports, file);
  const { config } = loaded;
  const problems = findUnreadableFiles(loaded, { readFile: (path) => readBytes(path) });
  if (problems.length > 0) throw new ConfigError(problems);
  checkListenerFiles(config);
  const unused = await checkNamedFiles(config, ports.clock);
  const ending = endingCertificates(config, ports.clock.now()).map(({ path, daysLeft }) =>
    daysLeft < 0
      ? `the server certificate ${path} has ended; clients refuse it`
      : `the server certificate ${path} ends in ${daysLeft} days`,
  );
  return { loaded, notes: [...ending, ...unused] };
}

/** A line for each thing about a configuration that its owner may not have meant. */
export function saidOf({ adjustments, warnings }: Pick<LoadedConfig, 'adjustments' | 'warnings'>) {
  return [
    ...adjustments.map((adjustment) => `adjusted: ${renderAdjustment(adjustment)}.`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
}

/**
 * Reads the other files as the start does.
 * @returns sentences about certificates that are named and not used
 */
async function checkNamedFiles(config: Config, clock: Clock): Promise<readonly string[]> {
  const unused: string[] = [];
  const log: Logger = {
    ...silentLogger,
    warn: (message, { file, subject, problem } = {}) =>
      void unused.push(`${message}: ${subject} in ${file}: ${problem}`),
  };
  await tryNamedFiles({ config, clock, log });
  return unused;
}

function checkListenerFiles(config: Config): void {
  for (const listener of config.listeners) {
    const { serverCertFile, keyFile } = listener.identity;
    checkTlsMaterial(listener, {
      certificateChain: readText(serverCertFile),
      privateKey: readText(keyFile),
    });
  }
}
