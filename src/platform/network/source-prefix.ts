import { isIPv6 } from 'node:net';
import { ipv6Groups } from './address-rules.ts';

/** Whom a limit counts together. */
export interface Source {
  readonly prefix: string;
  /** How many shares of a limit it may hold. */
  readonly shares: number;
}

/** A /48 is what one customer may be given (RFC 6177), and also what a carrier divides among many phones. */
const sharesOfNetwork = 8;

/**
 * The sources under which a request is counted, each for itself, the narrow one first: the address, or the /64 of an
 * IPv6 one, because whoever has one address of it has all of them, and then its /48, because whoever has that has 65,536
 * of the former. IPv4 mapped into IPv6 is IPv4; anything but an address, such as an id, is one source.
 */
export function sourcesOf(address: string): readonly [Source, ...Source[]] {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return [{ prefix: mapped ?? address, shares: 1 }];
  const groups = ipv6Groups(address.replace(/%.*$/, '')).map((group) => group.toString(16));
  return [
    { prefix: `${groups.slice(0, 4).join(':')}::/64`, shares: 1 },
    { prefix: `${groups.slice(0, 3).join(':')}::/48`, shares: sharesOfNetwork },
  ];
}

/** The wide one of `sourcesOf`, for what has no shares. */
export function widestSource(address: string): string {
  const [narrow, wide = narrow] = sourcesOf(address);
  return wide.prefix;
}
