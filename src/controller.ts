// A running controller: the services behind open listeners. Used by the commands that run one and by the tests,
// so that both are the same thing.

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import packageJson from '../package.json' with { type: 'json' };
import type { BindPoint, Config, Listener } from './config/config.ts';
import { apiAddressesOf } from './http/edge/api-addresses.ts';
import { ListenError } from './http/server/listen-error.ts';
import { type RunningListener, startListener } from './http/server/listener.ts';
import type { TlsMaterial } from './http/server/tls-material.ts';
import {
  readEnrollmentIdentity,
  readOverlayAuthorities,
  readPublishedAuthorities,
  readSigningAuthority,
} from './overlay-pki.ts';
import type { Logger } from './platform/log/logger.ts';
import { type Foundations, openServices, type Services } from './services.ts';

export interface RunningController {
  readonly services: Services;
  /** With real ports where the configuration left them to the system. */
  readonly bindPoints: readonly BindPoint[];
  /** Of the bind points that serve the OpenID provider. */
  readonly issuers: readonly string[];
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
    published: readPublishedAuthorities(foundations.config),
    enrollmentIdentity: readEnrollmentIdentity(foundations.config),
  });
  const started: RunningListener[] = [];
  const stop = async () => {
    await Promise.all(started.map((listener) => listener.close()));
    await services.stop();
  };
  try {
    for (const listener of foundations.config.listeners) {
      const needs = { ...services.mount, random: foundations.random };
      const opening = startListener(needs, listener, readTlsMaterial(listener), services.routes);
      const running = isForMetricsOnly(listener) ? await openOrSay(foundations.log, opening) : await opening;
      if (running !== null) started.push(running);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const bindPoints = started.flatMap((listener) => listener.bindPoints);
  for (const point of bindPoints) services.issuers.add(point.issuer);
  const address = openAddress(foundations.config.edge.api.address, bindPoints);
  services.enrollmentSigner.replaceIdentity(readEnrollmentIdentity(foundations.config, address));
  await services.node.start({
    id: foundations.random.id(),
    name: nodeName(foundations.config, bindPoints),
    address: mainAddress(foundations.config, bindPoints),
    apiAddresses: started.flatMap(({ listener, bindPoints: open }) => apiAddressesOf(listener, open)),
    version: packageJson.version,
  });
  return {
    services,
    bindPoints,
    issuers: issuersOf(started.map(({ listener, bindPoints: open }) => ({ ...listener, bindPoints: open }))),
    reloadCertificates() {
      const authorities = readOverlayAuthorities(foundations);
      const signing = readSigningAuthority(foundations.config);
      const published = readPublishedAuthorities(foundations.config);
      const enrollmentIdentity = readEnrollmentIdentity(foundations.config, address);
      for (const running of started) running.reloadCertificates(readTlsMaterial(running.listener));
      services.replaceOwnAuthorities(authorities);
      services.certificateIssuer.replaceAuthority(signing);
      services.publishedAuthorities.replace(published);
      services.enrollmentSigner.replaceIdentity(enrollmentIdentity);
    },
    stop,
  };
}

function isForMetricsOnly({ apis }: Listener): boolean {
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

/** The issuers of the listeners that serve the OpenID provider, each once. */
export function issuersOf(listeners: readonly Pick<Listener, 'apis' | 'bindPoints'>[]): readonly string[] {
  const serving = listeners.filter(({ apis }) => apis.some(({ binding }) => binding === 'edge-oidc'));
  return [...new Set(serving.flatMap(({ bindPoints }) => bindPoints.map(({ issuer }) => issuer)))];
}

/** The main address with the port that the system chose, where the configuration leaves that open. */
function openAddress(address: string, bindPoints: readonly BindPoint[]): string {
  const [host, port] = address.split(/:(?=\d+$)/);
  if (port !== '0') return address;
  return bindPoints.find((point) => point.address.startsWith(`${host}:`))?.address ?? address;
}

function readTlsMaterial({ identity }: Listener): TlsMaterial {
  return {
    certificateChain: readFileSync(identity.serverCertFile, 'utf8'),
    privateKey: readFileSync(identity.keyFile, 'utf8'),
  };
}

/** On one machine several nodes differ in the port. */
function nodeName({ node }: Config, bindPoints: readonly BindPoint[]): string {
  return node.name ?? `${hostname()}:${bindPoints[0]?.interface.port ?? 0}`;
}

/** As configured, unless the system was to choose the port. */
function mainAddress({ edge }: Config, bindPoints: readonly BindPoint[]): string {
  return edge.api.address.endsWith(':0') ? (bindPoints[0]?.address ?? '') : edge.api.address;
}
