import { isIPv6 } from 'node:net';

/**
 * The source under which requests are counted together: the address, or the /64 of an IPv6 one, because whoever has one
 * address of it has all of them. IPv4 mapped into IPv6 is IPv4.
 */
export function sourcePrefix(ipAddress: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ipAddress)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(ipAddress)) return ipAddress;
  // `URL` writes an IPv6 address in its canonical form.
  const canonical = new URL(`http://[${ipAddress.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0');
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`;
}
