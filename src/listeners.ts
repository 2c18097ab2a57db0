// The listeners of one thread of a controller, and the certificate files that it reads again when told to.

import { readFileSync } from 'node:fs';
import type { Listener } from './config/config.ts';
import { ListenError } from './http/server/listen-error.ts';
import { type RunningListener, type SharedInterfaces, startListener } from './http/server/listener.ts';
import type { TlsMaterial } from './http/server/tls-material.ts';
import {
  readEnrollmentIdentity,
  readOverlayAuthorities,
  readPublishedAuthorities,
  readSigningAuthority,
} from './overlay-pki.ts';
import type { Logger } from './platform/log/logger.ts';
import type { Foundations, OverlayPki, Services } from './services.ts';

/** @throws PkiFileError a file of the overlay's PKI cannot be used */
export function readOverlayPki(foundations: Pick<Foundations, 'config' | 'clock' | 'log'>): OverlayPki {
  const { config } = foundations;
  return {
    ownAuthorities: readOverlayAuthorities(foundations),
    signing: readSigningAuthority(config),
    published: readPublishedAuthorities(config),
    enrollmentIdentity: readEnrollmentIdentity(config),
  };
}

/**
 * Opens every listener of the configuration. Those that serve nothing but the metrics may stay closed.
 * @param shared what other threads that listen there share; undefined: there are none
 * @throws ListenError an interface or an identity cannot be used; nothing is left open then
 */
export async function openListeners(
  { config, random, log }: Pick<Foundations, 'config' | 'random' | 'log'>,
  services: Services,
  shared?: SharedInterfaces,
): Promise<readonly RunningListener[]> {
  const started: RunningListener[] = [];
  try {
    for (const listener of config.listeners) {
      const options = shared === undefined ? {} : { shared };
      const needs = { ...services.mount, random };
      const opening = startListener(needs, listener, readTlsMaterial(listener), services.routes, options);
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

/** Nobody is kept from logging in because another program has the port of the metrics. */
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
 * Reads the certificate files again, those of the overlay's PKI too.
 * @param address the main address
 * @throws what cannot be used; the old certificates stay then
 */
export function reloadCertificates(
  foundations: Pick<Foundations, 'config' | 'clock' | 'log'>,
  services: Services,
  { listeners, address }: { readonly listeners: readonly RunningListener[]; readonly address: string },
): void {
  const { config } = foundations;
  const { ownAuthorities, signing, published } = readOverlayPki(foundations);
  const enrollmentIdentity = readEnrollmentIdentity(config, address);
  for (const running of listeners) running.reloadCertificates(readTlsMaterial(running.listener));
  services.replaceOwnAuthorities(ownAuthorities);
  services.certificateIssuer.replaceAuthority(signing);
  services.publishedAuthorities.replace(published);
  services.enrollmentSigner.replaceIdentity(enrollmentIdentity);
}

function readTlsMaterial({ identity }: Listener): TlsMaterial {
  return {
    certificateChain: readFileSync(identity.serverCertFile, 'utf8'),
    privateKey: readFileSync(identity.keyFile, 'utf8'),
  };
}
