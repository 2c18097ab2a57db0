// A running controller: the services behind open listeners. Used by the commands that run one and by the tests,
// so that both are the same thing.

import { readFileSync } from 'node:fs';
import type { BindPoint, Listener } from './config/config.ts';
import { type RunningListener, startListener } from './http/listener.ts';
import type { TlsMaterial } from './http/tls-material.ts';
import { readOverlayAuthorities, readSigningAuthority } from './overlay-pki.ts';
import { type Foundations, openServices, type Services } from './services.ts';

export interface RunningController {
  readonly services: Services;
  /** With real ports where the configuration left them to the system. */
  readonly bindPoints: readonly BindPoint[];
  /** Reads the certificate files again, those of the overlay's PKI too; what cannot be used is refused and the old certificates stay. */
  reloadCertificates(): void;
  /** Takes no more requests, finishes those under way, stops background work. The store stays open. */
  stop(): Promise<void>;
}

/**
 * Starts a controller; resolves when every listener accepts connections.
 * @throws PkiFileError a file of the overlay's PKI cannot be used
 * @throws ListenError an interface or an identity cannot be used; nothing is left open then
 */
export async function startController(foundations: Foundations): Promise<RunningController> {
  const services = await openServices(foundations, {
    ownAuthorities: readOverlayAuthorities(foundations),
    signing: readSigningAuthority(foundations.config),
  });
  const started: RunningListener[] = [];
  const stop = async () => {
    await Promise.all(started.map((listener) => listener.close()));
    await services.stop();
  };
  try {
    for (const listener of foundations.config.listeners) {
      const needs = { ...services.mount, random: foundations.random };
      started.push(await startListener(needs, listener, readTlsMaterial(listener), services.routes));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const bindPoints = started.flatMap((listener) => listener.bindPoints);
  for (const point of bindPoints) services.issuers.add(point.issuer);
  return {
    services,
    bindPoints,
    reloadCertificates() {
      const authorities = readOverlayAuthorities(foundations);
      const signing = readSigningAuthority(foundations.config);
      for (const running of started) running.reloadCertificates(readTlsMaterial(running.listener));
      services.replaceOwnAuthorities(authorities);
      services.certificateIssuer.replaceAuthority(signing);
    },
    stop,
  };
}

function readTlsMaterial({ identity }: Listener): TlsMaterial {
  return {
    certificateChain: readFileSync(identity.serverCertFile, 'utf8'),
    privateKey: readFileSync(identity.keyFile, 'utf8'),
  };
}
