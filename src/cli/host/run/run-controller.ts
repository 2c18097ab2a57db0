// A controller in the foreground: from open foundations to the end of the process.

import { renderAdjustment } from '../../../config/explain.ts';
import type { LoadedConfig } from '../../../config/load.ts';
import { type RunningController, startController } from '../../../controller/controller.ts';
import type { Foundations } from '../../../controller/foundations.ts';
import { DAY } from '../../../platform/clock.ts';
import type { OpenLogger } from '../../../platform/log/logger.ts';
import { releaseMemory } from '../../../platform/release-memory.ts';
import { every } from '../../../tasks/schedule.ts';
import { warnOfEndingCertificates } from './certificate-warnings.ts';
import { openControlSocket } from './control-socket.ts';
import { reloadController } from './reload.ts';

export interface ControllerRun {
  readonly foundations: Foundations;
  readonly loaded: LoadedConfig;
  readonly log: OpenLogger;
  /** Reads the configuration file again. @throws ConfigError */
  readonly reloadConfig: () => Promise<LoadedConfig>;
  /** Where commands on the host reach it; null: nowhere. */
  readonly controlSocket: string | null;
  /** Called when every listener accepts connections. */
  readonly onReady: (controller: RunningController) => void | Promise<void>;
}

/**
 * Starts a controller and resolves when it has stopped after SIGTERM or SIGINT, with every request under way answered.
 * SIGHUP and the control socket reload it. The foundations stay open.
 * @throws ListenError, or what opening keys and services throws
 */
export async function runController(run: ControllerRun): Promise<void> {
  const { foundations, loaded, log } = run;
  const { clock } = foundations;
  for (const adjustment of loaded.adjustments) {
    const { path, oldValue, newValue } = adjustment;
    log.warn('a setting was adjusted', { path, oldValue, newValue, reason: renderAdjustment(adjustment) });
  }
  for (const warning of loaded.warnings) log.warn('check this setting', { warning });

  const controller = await startController(foundations);
  const stopWarning = every(DAY, { name: 'certificate warnings', log }, async () => {
    warnOfEndingCertificates(controller.config, clock.now(), log);
  });
  const reload = () => reloadController({ controller, log, clock, reloadConfig: run.reloadConfig });
  let control: Awaited<ReturnType<typeof openControlSocket>> | undefined;
  try {
    warnOfEndingCertificates(controller.config, clock.now(), log);
    // Somebody who reads that it is ready may stop it at once. Without a handler by then, the signal would end the
    // process abruptly, and an ephemeral home would stay.
    const stopSignal = untilStopped(() => void reload());
    control = await openControlSocket(
      { path: run.controlSocket, log },
      { reload, health: controller.health },
    );
    await run.onReady(controller);
    // Nobody waiting for the controller needs to wait for this.
    releaseMemory();
    const signal = await stopSignal;
    log.info('stopping', { event: 'stopping', signal });
  } finally {
    await stopWarning();
    await control?.close();
    await controller.stop();
  }
  log.info('stopped', { event: 'stopped' });
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
      // A SIGHUP while stopping must not end the process abruptly.
      process.on('SIGHUP', () => undefined);
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    process.on('SIGHUP', onHangup);
  });
}
