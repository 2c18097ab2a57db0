// The header of the PROXY protocol, versions 1 (text) and 2 (binary): a load balancer that passes TCP through
// writes it before the first byte of a connection, to name its client.
// https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt, "the specification" below.

import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/** The far end of the connection that the balancer passes on. */
export interface ProxiedClient {
  /** As a socket would report it: IPv6 in its shortest form, without brackets and zone. */
  readonly address: string;
  readonly port: number;
  readonly family: 'IPv4' | 'IPv6';
}

/** The beginning of a connection, as far as it has arrived. */
export type ProxyHeader =
  | { readonly state: 'incomplete' }
  | {
      readonly state: 'complete';
      /** Bytes of the header; later bytes are not part of it. */
      readonly length: number;
      /**
       * Null if the balancer speaks for itself (health checks) or does not know: then the connection keeps its own
       * address.
       */
      readonly client: ProxiedClient | null;
    }
  | { readonly state: 'malformed'; readonly fault: ProxyHeaderFault };

export type ProxyHeaderFault =
  | 'begins with something else'
  | 'too long'
  | 'malformed line of version 1'
  | 'unknown version'
  | 'unknown command'
  | 'unknown family or protocol'
  | 'too short for its addresses'
  | 'malformed extensions'
  | 'wrong checksum';

/**
 * Bytes of a whole header of version 2. Balancers write 28 to about a hundred; certificates in extensions take more.
 */
export const longestProxyHeader = 4096;

const longestLine = 107;
const lineBegin = Buffer.from('PROXY ', 'latin1');
const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const fixedLength = 16;

const incomplete: ProxyHeader = { state: 'incomplete' };

/**
 * Reads the header at the beginning of a connection. Bytes that cannot become a valid header are malformed at once,
 * however few have arrived.
 * @param bytes all that has arrived; only the header is examined
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsLike(bytes, signature)) return readBlock(bytes);
  if (beginsLike(bytes, lineBegin)) return readLine(bytes);
  return malformed('begins with something else');
}

/** Whether the bytes begin like this, or still may. */
function beginsLike(bytes: Buffer, begin: Buffer): boolean {
  const length = Math.min(bytes.length, begin.length);
  return bytes.subarray(0, length).equals(begin.subarray(0, length));
}

function malformed(fault: ProxyHeaderFault): ProxyHeader {
  return { state: 'malformed', fault };
}

/** Version 1. @see section 2.1 of the specification */
function readLine(bytes: Buffer): ProxyHeader {
  const text = bytes.toString('latin1', 0, longestLine);
  const end = text.indexOf('\r\n');
  if (end === -1) return bytes.length < longestLine ? incomplete : malformed('too long');
  const length = end + 2;
  const line = text.slice(0, end);
  // The rest of such a line has no meaning.
  if (/^PROXY UNKNOWN(?: |$)/.test(line)) return { state: 'complete', length, client: null };
  const parts = /^PROXY (TCP[46]) ([0-9a-fA-F:.]+) ([0-9a-fA-F:.]+) (\d+) (\d+)$/.exec(line);
  const [, protocol = '', source = '', destination = '', sourcePort = '', destinationPort = ''] = parts ?? [];
  const family = protocol === 'TCP4' ? 'IPv4' : protocol === 'TCP6' ? 'IPv6' : null;
  if (family === null || ![sourcePort, destinationPort].every(isPort))
    return malformed('malformed line of version 1');
  const isAddress = family === 'IPv4' ? isIPv4 : isIPv6;
  if (!isAddress(source) || !isAddress(destination)) return malformed('malformed line of version 1');
  return { state: 'complete', length, client: client(source, Number(sourcePort), family) };
}

function isPort(text: string): boolean {
  return /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;
}

/** Written as the system writes a socket's address, so that one client has one name. */
function client(address: string, port: number, family: ProxiedClient['family']): ProxiedClient {
  const asSocket = new SocketAddress({ address, port, family: family === 'IPv4' ? 'ipv4' : 'ipv6' });
  return { address: asSocket.address, port, family };
}

/** Bytes of the two addresses and ports, by family: unspecified, IPv4, IPv6, Unix. */
const addressLengths = [0, 12, 36, 216] as const;
const localCommand = 0;
const proxyCommand = 1;
const streamProtocol = 1;

/** Version 2. @see section 2.2 of the specification */
function readBlock(bytes: Buffer): ProxyHeader {
  if (bytes.length < fixedLength) return incomplete;
  const versionAndCommand = bytes.readUInt8(12);
  if (versionAndCommand >> 4 !== 2) return malformed('unknown version');
  const command = versionAndCommand & 0x0f;
  if (command !== localCommand && command !== proxyCommand) return malformed('unknown command');
  const length = fixedLength + bytes.readUInt16BE(14);
  if (length > longestProxyHeader) return malformed('too long');

  const family = bytes.readUInt8(13) >> 4;
  const protocol = bytes.readUInt8(13) & 0x0f;
  const addressLength = addressLengths[family];
  // For a connection of the balancer itself, family and addresses have to be ignored.
  if (command === proxyCommand) {
    if (addressLength === undefined || protocol > 2) return malformed('unknown family or protocol');
    if (length < fixedLength + addressLength) return malformed('too short for its addresses');
  }
  if (bytes.length < length) return incomplete;
  if (command === localCommand || addressLength === undefined || family === 0 || protocol === 0)
    return { state: 'complete', length, client: null };
  const header = bytes.subarray(0, length);
  const fault = faultOfExtensions(header, fixedLength + addressLength);
  if (fault !== null) return malformed(fault);
  // Datagrams and Unix sockets are valid but have no usable address: treated as unspecified.
  return {
    state: 'complete',
    length,
    client: protocol === streamProtocol ? clientOfBlock(header, family) : null,
  };
}

function clientOfBlock(header: Buffer, family: number): ProxiedClient | null {
  if (family === 1) return client(header.subarray(16, 20).join('.'), header.readUInt16BE(24), 'IPv4');
  if (family === 2) {
    const groups = Array.from({ length: 8 }, (_, at) => header.readUInt16BE(16 + 2 * at).toString(16));
    return client(groups.join(':'), header.readUInt16BE(48), 'IPv6');
  }
  return null;
}

const checksumType = 3;

/**
 * Walks over the extensions (TLVs). None is used, but they have to fill the header exactly, and a checksum has to match
 * the header with zeros in its place.
 * @see section 2.2.3 of the specification
 */
function faultOfExtensions(header: Buffer, begin: number): ProxyHeaderFault | null {
  let checksumAt: number | null = null;
  let at = begin;
  while (at < header.length) {
    if (at + 3 > header.length) return 'malformed extensions';
    const type = header.readUInt8(at);
    const length = header.readUInt16BE(at + 1);
    const value = at + 3;
    at = value + length;
    if (at > header.length) return 'malformed extensions';
    if (type !== checksumType) continue;
    if (length !== 4 || checksumAt !== null) return 'malformed extensions';
    checksumAt = value;
  }
  if (checksumAt === null) return null;
  const zeroed = Buffer.from(header);
  zeroed.fill(0, checksumAt, checksumAt + 4);
  return crc32c(zeroed) === header.readUInt32BE(checksumAt) ? null : 'wrong checksum';
}

/** CRC-32 with the polynomial of Castagnoli. @see RFC 9260 appendix A */
function crc32c(bytes: Buffer): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f6_3b78 : 0);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}
