// A controller in the foreground: from open foundations to the end of the process.

import type { Config } from '../../config/config.ts';
import { ConfigError, type ConfigPath, formatPath } from '../../config/config-error.ts';
import { renderAdjustment } from '../../config/explain.ts';
import { type FileValue, leafPaths, toFileShape } from '../../config/file-shape.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { type RunningController, startController } from '../../controller.ts';
import { DAY } from '../../platform/clock.ts';
import type { OpenLogger } from '../../platform/log/logger.ts';
import { releaseMemory } from '../../platform/release-memory.ts';
import type { Foundations } from '../../services.ts';
import { every } from '../../tasks/schedule.ts';
import { serverCertificates, warnOfEndingCertificates } from './certificate-warnings.ts';

export interface ControllerRun {
  readonly foundations: Foundations;
  readonly loaded: LoadedConfig;
  readonly log: OpenLogger;
  /** Reads the configuration file again. */
  readonly reloadConfig: () => LoadedConfig;
  /** Called when every listener accepts connections. */
  readonly onReady: (controller: RunningController) => void | Promise<void>;
}

/**
 * Starts a controller and resolves when it has stopped after SIGTERM or SIGINT, every request under way
 * answered. SIGHUP reads the certificates again and says what else changed. The foundations stay open.
 * @throws ListenError, or what opening keys and services throws
 */
export async function runController(run: ControllerRun): Promise<void> {
  const { foundations, loaded, log } = run;
  const { config, clock } = foundations;
  for (const adjustment of loaded.adjustments) {
    const { path, oldValue, newValue } = adjustment;
    log.warn('a setting was adjusted', { path, oldValue, newValue, reason: renderAdjustment(adjustment) });
  }
  for (const warning of loaded.warnings) log.warn('check this setting', { warning });

  const controller = await startController(foundations);
  const stopWarning = every(DAY, { name: 'certificate warnings', log }, async () => {
    warnOfEndingCertificates(config, clock.now(), log);
  });
  try {
    warnOfEndingCertificates(config, clock.now(), log);
    // Whoever reads that it is ready may stop it at once, and its signal would otherwise end the process half-way: an ephemeral home stayed.
    const stopSignal = untilStopped(() => void reload(run, controller));
    await run.onReady(controller);
    // Nobody who waits for the controller waits for this.
    releaseMemory();
    const signal = await stopSignal;
    log.info('stopping', { event: 'stopping', signal });
  } finally {
    await stopWarning();
    await controller.stop();
  }
  log.info('stopped', { event: 'stopped' });
}

async function reload(run: ControllerRun, controller: RunningController): Promise<void> {
  const { log, foundations } = run;
  const { config, clock } = foundations;
  log.reopen();
  try {
    const changed = changedSettings(config, run.reloadConfig().config);
    if (changed.length > 0) {
      log.warn('the configuration file has changed; restart the controller to use it', { changed });
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map(({ file, line, column, path, message }) => {
      return `${file}:${line ?? 1}:${column ?? 1}: ${path}: ${message}`;
    });
    log.error('the configuration file has problems; the running controller is not affected', { problems });
  }
  try {
    await controller.reloadCertificates();
    const certificates = serverCertificates(config).map(({ path, facts }) => ({
      file: path,
      fingerprint: facts.fingerprint,
      notAfter: new Date(facts.notAfter).toISOString(),
    }));
    log.info('certificates were read again', { event: 'reloaded', certificates });
    warnOfEndingCertificates(config, clock.now(), log);
  } catch (error) {
    log.error('the certificates cannot be used; the former ones stay in use', { error });
  }
}

/** The settings that differ, as `edge.api.sessionTimeout`; whole entries when something was added or removed. */
function changedSettings(before: Config, after: Config): readonly string[] {
  const old = leafValues(before);
  const fresh = leafValues(after);
  const paths = new Set([...old.keys(), ...fresh.keys()]);
  return [...paths].filter((path) => old.get(path) !== fresh.get(path)).sort();
}

function leafValues(config: Config): Map<string, string> {
  const shape = toFileShape(config);
  return new Map(leafPaths(shape).map((path) => [formatPath(path), JSON.stringify(valueAt(shape, path))]));
}

function valueAt(shape: FileValue, path: ConfigPath): unknown {
  let value: unknown = shape;
  for (const segment of path) value = (value as Record<PropertyKey, unknown> | null)?.[segment];
  return value;
}

/**
 * Resolves with the first SIGTERM or SIGINT; a second one ends the process at once.
 * @param onHangup called for every SIGHUP until then
 */
function untilStopped(onHangup: () => void): Promise<'SIGTERM' | 'SIGINT'> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: 'SIGTERM' | 'SIGINT') => {
      // Somebody does not want to wait for the requests under way.
      if (isStopping) process.exit(1);
      isStopping = true;
      process.off('SIGHUP', onHangup);
      // A hang-up while stopping must not end the process half-way.
      process.on('SIGHUP', () => undefined);
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    process.on('SIGHUP', onHangup);
  });
}
