import type { Config } from '../../../config/config.ts';
import { DAY, type Millis } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log/logger.ts';
import { readBytes } from '../../../platform/read-file.ts';
import { type CertificateFacts, certificateFacts, parseCertificate } from '../../../platform/x509/x509.ts';

/** Warns operators of a certificate that expires sooner than this. */
const warningTime: Millis = 30 * DAY;

interface ServerCertificate {
  readonly path: string;
  /** Names of the listeners that present it. */
  readonly listeners: readonly string[];
  readonly facts: CertificateFacts;
}

/** The certificates that the listeners present, each once. @throws what cannot be read or parsed */
function serverCertificates(config: Config): readonly ServerCertificate[] {
  const listenersOf = new Map<string, string[]>();
  for (const { name, identity } of config.listeners) {
    const path = identity.serverCertFile;
    listenersOf.set(path, [...(listenersOf.get(path) ?? []), name]);
  }
  return [...listenersOf].map(([path, listeners]) => ({
    path,
    listeners,
    facts: certificateFacts(parseCertificate(readBytes(path))),
  }));
}

/**
 * Certificates that have expired or will within thirty days.
 * @returns `daysLeft`: negative when it has expired
 */
export function endingCertificates(config: Config, now: Millis) {
  return serverCertificates(config)
    .filter(({ facts }) => facts.notAfter - now < warningTime)
    .map((certificate) => ({
      ...certificate,
      daysLeft: Math.floor((certificate.facts.notAfter - now) / DAY),
    }));
}

/** Logs a warning for each certificate that expires soon, and an error for each that has expired. */
export function warnOfEndingCertificates(config: Config, now: Millis, log: Logger): void {
  for (const { path, listeners, daysLeft, facts } of endingCertificates(config, now)) {
    const notAfter = new Date(facts.notAfter).toISOString();
    const fields = { file: path, listeners, notAfter, daysLeft };
    if (facts.notAfter <= now) {
      log.error('a server certificate has ended: clients refuse it; renew it and reload', fields);
    } else log.warn('a server certificate ends soon: renew it and reload', fields);
  }
}
