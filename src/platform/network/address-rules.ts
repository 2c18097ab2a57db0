import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** As `BlockList.addSubnet` takes it. A single address has the full prefix length. */
export interface AddressRange {
  readonly address: string;
  readonly prefixLength: number;
  readonly family: 'ipv4' | 'ipv6';
}

export interface AddressLimits {
  /**
   * Refuses everything that is not reachable over the public Internet, including this machine, unless `allowedIPs`
   * contains it.
   */
  readonly blockPrivateAddresses: boolean;
  /** An empty list allows every address. */
  readonly allowedIPs: readonly AddressRange[];
  readonly deniedIPs: readonly AddressRange[];
}

/**
 * Says whether a connection may go to an IP address.
 * @param address from a name look-up or a socket; anything but an IP address is refused, and so is one with a zone id
 */
export type AddressRule = (address: string) => boolean;

/**
 * The rule for outbound connections. Link-local, multicast and unspecified addresses and those of cloud metadata
 * services are refused under all limits, because services there trust this machine.
 * An IPv6 address that contains an IPv4 address (mapped, NAT64, 6to4, Teredo, ISATAP) is refused if the IPv4 address
 * would be; an IPv4-mapped one is that IPv4 address.
 * @see RFC 6890, RFC 4291 section 2.5.5, RFC 6052, RFC 8215, RFC 3056, RFC 4380, RFC 5214
 */
export function addressRule(limits: AddressLimits): AddressRule {
  const denied = blockList(limits.deniedIPs);
  const allowed = limits.allowedIPs.length === 0 ? undefined : blockList(limits.allowedIPs);
  const isRefused = (address: string) =>
    contains(neverReached, address) ||
    contains(denied, address) ||
    (limits.blockPrivateAddresses &&
      !isPublic(address) &&
      !(allowed !== undefined && contains(allowed, address)));
  return (text) => {
    const bytes = addressBytes(text);
    if (bytes === undefined) return false;
    const address = mappedIPv4(bytes) ?? text;
    if (isRefused(address) || carriedIPv4(bytes).some(isRefused)) return false;
    return allowed === undefined || contains(allowed, address);
  };
}

/**
 * Whether an address is in one of the ranges. An IPv4-mapped IPv6 address is that IPv4 address, on either side. Text
 * that is not an IP address is in no range.
 */
export function addressSet(ranges: readonly AddressRange[]): (address: string) => boolean {
  const list = blockList(ranges);
  return (address) => isIP(address) !== 0 && contains(list, address);
}

const neverReached = blockList(
  [
    '0.0.0.0/8',
    '169.254.0.0/16',
    '224.0.0.0/4',
    '255.255.255.255/32',
    '::/128',
    'fe80::/10',
    'ff00::/8',
    // Which IPv4 address it contains depends on the local translator (RFC 8215).
    '64:ff9b:1::/48',
    // Metadata and platform services outside link-local ranges, in this order: Alibaba, Azure, Oracle, AWS (a whole
    // range), Google, Oracle, Scaleway.
    '100.100.100.200/32',
    '168.63.129.16/32',
    '192.0.0.192/32',
    'fd00:ec2::/32',
    'fd20:ce::254/128',
    'fd00:c1::a9fe:a9fe/128',
    'fd00:42::42/128',
  ].map(range),
);

const privateIPv4 = blockList(
  [
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
  ].map(range),
);

// Global unicast addresses, and well-known NAT64, whose IPv4 address is checked as well.
const publicIPv6 = blockList(['2000::/3', '64:ff9b::/96'].map(range));
const privateIPv6 = blockList(['2001::/23', '2001:db8::/32', '3fff::/20'].map(range));

function isPublic(address: string): boolean {
  if (isIPv4(address)) return !contains(privateIPv4, address);
  return contains(publicIPv6, address) && !contains(privateIPv6, address);
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function blockList(ranges: readonly AddressRange[]): BlockList {
  const list = new BlockList();
  for (const { address, prefixLength, family } of ranges) list.addSubnet(address, prefixLength, family);
  return list;
}

function range(text: string): AddressRange {
  const [address = '', prefixLength] = text.split('/');
  return { address, prefixLength: Number(prefixLength), family: isIPv4(address) ? 'ipv4' : 'ipv6' };
}

/** The 4 or 16 bytes of an address. */
function addressBytes(text: string): Uint8Array | undefined {
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  return Uint8Array.from(ipv6Groups(text).flatMap((group) => [group >> 8, group & 0xff]));
}

/** The eight groups of an IPv6 address without a zone. */
export function ipv6Groups(text: string): readonly number[] {
  // The URL parser writes a dotted tail as two groups.
  const [head = '', tail = ''] = new URL(`https://[${text}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [groups(head), groups(tail)];
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

function mappedIPv4(bytes: Uint8Array): string | undefined {
  return bytes.length === 16 && startsWith(bytes, mappedPrefix) ? dotted(bytes.subarray(12)) : undefined;
}

/** Every IPv4 address for which a translator, tunnel or old stack could take the IPv6 address. */
function carriedIPv4(bytes: Uint8Array): string[] {
  if (bytes.length !== 16) return [];
  const last = dotted(bytes.subarray(12));
  if (translatedPrefixes.some((prefix) => startsWith(bytes, prefix))) return isLoopback(bytes) ? [] : [last];
  if (startsWith(bytes, [0x20, 0x02])) return [dotted(bytes.subarray(2, 6))];
  if (startsWith(bytes, [0x20, 0x01, 0, 0]))
    return [dotted(bytes.subarray(4, 8)), dotted(bytes.subarray(12).map((byte) => byte ^ 0xff))];
  // ISATAP puts it after 0000:5efe or 0200:5efe under any prefix.
  const isIsatap = (bytes[8] === 0 || bytes[8] === 2) && startsWith(bytes.subarray(9), [0, 0x5e, 0xfe]);
  return isIsatap ? [last] : [];
}

const translatedPrefixes = [
  // ::/96, IPv4-compatible
  new Array<number>(12).fill(0),
  // ::ffff:0:0:0/96, IPv4-translated (RFC 2765)
  [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0],
  // 64:ff9b::/96, NAT64
  [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
];

function isLoopback(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, at) => bytes[at] === byte);
}

function dotted(bytes: Uint8Array): string {
  return bytes.join('.');
}

/** In characters. A longer address is a mistake. */
export const longestUrl = 2048;

/**
 * Whether a URL leads to this machine by a bare loopback address, without TLS: the connection cannot be intercepted. A
 * name does not count, because it can be made to lead elsewhere.
 */
export function isPlainLoopback(text: string): boolean {
  const url = text.length > longestUrl ? null : URL.parse(text);
  if (url?.protocol !== 'http:' || url.username !== '' || url.password !== '') return false;
  return /^127(?:\.\d{1,3}){3}$/.test(url.hostname) || url.hostname === '[::1]';
}
