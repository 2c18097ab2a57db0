import { isIPv6 } from 'node:net';

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
  // `URL` writes an IPv6 address in its canonical form.
  const canonical = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0');
  const groups = [...left, ...middle, ...right];
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
