// A running controller renews the server certificate that its home made.

import { dirname } from 'node:path';
import type { RunningController } from '../../../controller/controller.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { OpenLogger } from '../../../platform/log/logger.ts';
import { hasOwnCertificate, homePaths } from '../setup/home.ts';
import { renewEndingCertificate } from '../setup/pki.ts';
import { warnOfEndingCertificates } from './certificate-warnings.ts';
import type { ReloadAnswer } from './reload.ts';

/**
 * Renews the home's server certificate if it ends soon, and presents the new one; open connections stay. While the
 * clock is wrong nothing is renewed. Warns of each certificate that still ends soon, because it is not ours to renew.
 */
export async function keepCertificatesFresh(needs: {
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
    const isOwn =
      hasOwnCertificate(controller.config, paths) && !controller.services.mount.clockWatch.isWrong;
    const renewed = isOwn ? await renewEndingCertificate({ clock }, paths) : null;
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
    log.error('the server certificate could not be renewed; run: overlay-auth pki renew', { error });
  }
  warnOfEndingCertificates(controller.config, clock.now(), log);
}
