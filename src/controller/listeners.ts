// The listeners of one thread of a controller, and its preparations when the configuration is read again.

import type { Config, Listener } from '../config/config.ts';
import { ListenError } from '../http/server/listen-error.ts';
import { type RunningListener, type SharedInterfaces, startListener } from '../http/server/listener.ts';
import { sharedWaitingSums } from '../http/server/shared-source-counts.ts';
import type { TlsMaterial } from '../http/server/tls-material.ts';
import { waitingBytes, waitingSums } from '../http/server/waiting-bytes.ts';
import type { Logger } from '../platform/log/logger.ts';
import { readText } from '../platform/read-file.ts';
import { brandingOf } from './branding.ts';
import type { Foundations } from './foundations.ts';
import { smtpServerOf } from './mail.ts';
import { readEnrollmentIdentity, readOverlayPki } from './overlay-pki.ts';
import { readAuthenticatorRoots, readOtherRoots } from './providers.ts';
import type { Services } from './services.ts';

/**
 * Reads the files that a start reads beside those of the listeners, and keeps nothing.
 * @throws PkiFileError; ConfigError a logo, roots or the access to the collector or the mail server cannot be used
 */
export async function tryNamedFiles(needs: Pick<Foundations, 'config' | 'clock' | 'log'>): Promise<void> {
  const { branding, telemetry, edge, mail } = needs.config;
  readOverlayPki(needs);
  brandingOf(branding);
  readOtherRoots(edge.externalJwtSigners.jwksFetch);
  readAuthenticatorRoots(needs.config);
  if (mail !== null) smtpServerOf(mail);
  if (telemetry === null) return;
  // A controller without a collector loads nothing for one.
  const { readCollectorAccess } = await import('../telemetry/collector.ts');
  readCollectorAccess(telemetry);
}

/**
 * Opens every listener of the configuration. Listeners that serve only the metrics may stay closed.
 * @param shared what other threads share that listen on the same interfaces; undefined: there are none
 * @throws ListenError an interface or an identity cannot be used; nothing is left open then
 */
export async function openListeners(
  { config, clock, log }: Pick<Foundations, 'config' | 'clock' | 'log'>,
  services: Services,
  shared?: SharedInterfaces,
): Promise<readonly RunningListener[]> {
  const started: RunningListener[] = [];
  const sums = shared === undefined ? waitingSums() : sharedWaitingSums(shared.counted);
  const waiting = waitingBytes({ clock }, sums);
  const options = shared === undefined ? { waiting } : { waiting, shared };
  try {
    for (const listener of config.listeners) {
      const { routes, views, mount } = services;
      const opening = startListener(
        mount,
        { listener, material: readTlsMaterial(listener), routes, views },
        options,
      );
      const running = isForMetricsOnly(listener) ? await openOrSay(log, opening) : await opening;
      if (running !== null) started.push(running);
    }
  } catch (error) {
    await Promise.all(started.map((listener) => listener.close()));
    throw error;
  }
  return started;
}

export function isForMetricsOnly({ apis }: Listener): boolean {
  return apis.every(({ binding }) => binding === 'metrics');
}

/** Another program on the metrics port must not keep anybody from logging in. */
async function openOrSay(log: Logger, opening: Promise<RunningListener>): Promise<RunningListener | null> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    log.error('the metrics are not served', { error });
    return null;
  }
}

/**
 * Prepares everything in this thread for another configuration, and reads the files that it names: certificates, the
 * overlay's PKI, the logo.
 * @param of.config  the result of `takeOver` of config/reload.ts
 * @param of.address the main address
 * @returns puts all of it in use; it cannot fail
 * @throws ConfigError, ListenError, PkiFileError: what cannot be used. Nothing has changed then
 */
export async function prepareConfig(
  foundations: Pick<Foundations, 'clock' | 'log'>,
  services: Services,
  { config, listeners, address }: { config: Config; listeners: readonly RunningListener[]; address: string },
): Promise<() => void> {
  const { ownAuthorities, signing, published } = readOverlayPki({ ...foundations, config });
  const enrollmentIdentity = readEnrollmentIdentity(config, address);
  const prepared = await services.prepare(config);
  const { routes, views } = prepared;
  const uses = await Promise.all(
    listeners.map((running) => {
      const listener =
        config.listeners.find(({ name }) => name === running.listener.name) ?? running.listener;
      return running.prepare({ listener, material: readTlsMaterial(listener), routes, views });
    }),
  );
  return () => {
    prepared.use();
    for (const use of uses) use();
    services.replaceOwnAuthorities(ownAuthorities);
    services.certificateIssuer.replaceAuthority(signing);
    services.publishedAuthorities.replace(published);
    services.enrollmentSigner.replaceIdentity(enrollmentIdentity);
  };
}

function readTlsMaterial({ identity }: Listener): TlsMaterial {
  return {
    certificateChain: readText(identity.serverCertFile),
    privateKey: readText(identity.keyFile),
  };
}
