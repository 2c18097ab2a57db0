// A controller in the foreground: from open foundations to the end of the process.

import { dirname } from 'node:path';
import type { LoadedConfig } from '../../../config/load.ts';
import { type RunningController, startController } from '../../../controller/controller.ts';
import type { Foundations } from '../../../controller/foundations.ts';
import { type Clock, MINUTE } from '../../../platform/clock.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { OpenLogger } from '../../../platform/log/logger.ts';
import { releaseMemory } from '../../../platform/release-memory.ts';
import { every, onceADay } from '../../../tasks/schedule.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { loadSettledConfig } from '../load-config.ts';
import { hasOwnCertificate, homePaths } from '../setup/home.ts';
import { renewEndingCertificate } from '../setup/pki.ts';
import { certificateOrders } from './acme-certificates.ts';
import { warnOfEndingCertificates } from './certificate-warnings.ts';
import { openControlSocket } from './control-socket.ts';
import { controllerReload, type ReloadAnswer, warnOfSettings } from './reload.ts';
import type { ControllerSignals } from './signals.ts';

interface ControllerRun {
  readonly ports: CliPorts;
  /** The configuration file, absolute. Reloading reads it again, and commands on the host find the controller by it. */
  readonly file: string;
  readonly foundations: Foundations;
  readonly loaded: LoadedConfig;
  readonly log: OpenLogger;
  readonly signals: ControllerSignals;
  /** Called when every listener accepts connections. */
  readonly onReady?: (ready: ReadyFacts, controller: RunningController) => Promise<void>;
}

/**
 * Starts a controller and resolves when it has stopped after SIGTERM or SIGINT, with every request under way answered.
 * SIGHUP and the control socket reload it. The foundations stay open.
 * @throws ListenError, or what opening keys and services throws
 */
export async function runController(run: ControllerRun): Promise<void> {
  const { ports, file, foundations, loaded, log, signals } = run;
  const { clock } = foundations;
  warnOfSettings(log, loaded);

  const controller = await startController(foundations);
  const stopSignal = signals.untilStopped();
  const reloadConfig = async () => {
    const settled = await loadSettledConfig(ports, file);
    // In use since the start: only the next one would notice that it cannot be read any more.
    foundations.vault.readOtherKeys();
    return settled;
  };
  const reload = controllerReload({ controller, log, clock, reloadConfig });
  const ending = new AbortController();
  const { pause } = ports;
  const orders = certificateOrders({ controller, clock, log, pause, ending: ending.signal, reload });
  const daily = onceADay(clock, () => keepCertificatesFresh({ file, controller, clock, log, reload }));
  const keepFresh = async () => {
    if (!controller.services.mount.clockWatch.isWrong) await daily();
  };
  const stopKeepingFresh = every(MINUTE, { name: 'certificates', log }, keepFresh);
  let stopOrdering = async () => {};
  let control: Awaited<ReturnType<typeof openControlSocket>> | undefined;
  try {
    await keepFresh();
    stopOrdering = every(MINUTE, { name: 'certificate orders', log, startsNow: true }, orders);
    control = await openControlSocket(
      { file, platform: ports.platform, log },
      { reload, health: controller.health },
    );
    const ready = readyFacts(controller);
    // The program that started the process waits for this line.
    log.always('ready', { ...ready, pid: process.pid, home: dirname(file) });
    await run.onReady?.(ready, controller);
    signals.reloadWith(() => void reload());
    // Callers that wait for the controller need not wait for this.
    releaseMemory();
    const signal = await stopSignal;
    log.info('stopping', { event: 'stopping', signal });
  } finally {
    ending.abort();
    await stopOrdering();
    await stopKeepingFresh();
    await control?.close();
    await controller.stop();
  }
  log.info('stopped', { event: 'stopped' });
}

export interface ReadyFacts {
  readonly event: 'ready';
  readonly issuers: readonly string[];
  /** The address for clients: `https://host[:port]`. */
  readonly url: string;
  /** From the start of the process. */
  readonly readyAfterMs: number;
}

/** Facts to announce when every listener accepts connections. */
function readyFacts({ issuers, bindPoints }: RunningController): ReadyFacts {
  return {
    event: 'ready',
    issuers,
    url: new URL(issuers[0] ?? bindPoints[0]?.issuer ?? 'https://localhost').origin,
    readyAfterMs: Math.round(process.uptime() * 1000),
  };
}

/**
 * Renews the home's server certificate if it ends soon, and presents the new one; open connections stay. Warns of each
 * certificate that still ends soon, because it is not ours to renew.
 */
async function keepCertificatesFresh(needs: {
  /** The configuration file, absolute. */
  file: string;
  controller: RunningController;
  clock: Clock;
  log: OpenLogger;
  reload: () => Promise<ReloadAnswer>;
}): Promise<void> {
  const { controller, clock, log } = needs;
  const paths = homePaths('/', dirname(needs.file));
  try {
    const { config } = controller;
    const isOwn = hasOwnCertificate(config, paths);
    const renewed = isOwn ? await renewEndingCertificate({ clock }, paths, config.identity.caFile) : null;
    if (renewed !== null) {
      const notAfter = new Date(renewed.notAfter).toISOString();
      log.info('the server certificate was renewed', {
        event: 'certificate.renewed',
        file: paths.server.cert,
        fingerprint: renewed.fingerprint,
        notAfter,
      });
      await needs.reload();
      return;
    }
  } catch (error) {
    const renew = `overlay-auth pki renew --config ${shellWord(needs.file)}`;
    log.error(`the server certificate could not be renewed; run: ${renew}`, { error });
  }
  warnOfEndingCertificates(controller.config, clock.now(), log);
}
