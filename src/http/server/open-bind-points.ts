// The bind points of a listener: which ones share a server, and the data of each.

import { issuerOf } from '../../config/addresses.ts';
import type { BindPoint, Listener } from '../../config/config.ts';
import { isLoopbackHost } from '../../config/redirect-uris.ts';
import { leadsToPublicAuthority } from '../../platform/x509/public-authority.ts';
import type { OpenBindPoint } from '../request/begin-request.ts';
import { originCheck, originOfBindPoint } from '../request/cors.ts';
import type { TlsMaterial } from './tls-material.ts';

/**
 * Opens bind points of a listener. Browsers are told to use https only, which holds for every port of a host, where the
 * certificate comes from a public authority or the configuration says so. Loopback names are left out: other programs
 * of the machine use them without TLS.
 */
export function bindPointOpener(listener: Listener, material: TlsMaterial): (at: BindPoint) => OpenBindPoint {
  const { strictTransportSecurity: wanted } = listener;
  // Parsing 121 roots takes 12 ms, so only where it decides something.
  let isPublic: boolean | undefined;
  const isHttpsOnly = (host: string) => {
    if (wanted === 'off' || isLoopbackHost(host) || host.endsWith('.localhost')) return false;
    if (wanted === 'on') return true;
    isPublic ??= leadsToPublicAuthority(material.certificateChain);
    return isPublic;
  };
  return (bindPoint) => ({
    bindPoint,
    ownOrigin: originOfBindPoint(bindPoint),
    isAllowedOrigin: originCheck(bindPoint, listener),
    isHttpsOnly: isHttpsOnly(hostOf(bindPoint)),
  });
}

function hostOf({ address }: BindPoint): string {
  return address.slice(0, address.lastIndexOf(':'));
}

/** Says which Host headers, in lower case, mean the bind point. */
export function nameHost(byHost: Map<string, OpenBindPoint>, one: OpenBindPoint): OpenBindPoint {
  const { address } = one.bindPoint;
  byHost.set(address, one);
  // Some SDKs omit a port other than 443, contrary to RFC 9110 section 7.2. On this socket the name alone identifies
  // the bind point. If two have it, the one on 443 wins, otherwise the first.
  const name = hostOf(one.bindPoint);
  if (address.endsWith(':443') || !byHost.has(name)) byHost.set(name, one);
  return one;
}

/** The bind point with the port that the system chose. */
export function withPort(bindPoint: BindPoint, port: number): BindPoint {
  if (!bindPoint.address.endsWith(':0')) return bindPoint;
  const address = bindPoint.address.replace(/:0$/, `:${port}`);
  return { interface: { ...bindPoint.interface, port }, address, issuer: issuerOf(address) };
}

/** Bind points of one interface share a server. If the system chooses the port, each has its own. */
export function byInterface(bindPoints: readonly BindPoint[]): [BindPoint, ...BindPoint[]][] {
  const groups = new Map<string, [BindPoint, ...BindPoint[]]>();
  bindPoints.forEach((bindPoint, index) => {
    const { host, port } = bindPoint.interface;
    const key = port === 0 ? `chosen ${index}` : `${host} ${port}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [bindPoint]);
    else group.push(bindPoint);
  });
  return [...groups.values()];
}
