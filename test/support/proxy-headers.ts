// Headers of the PROXY protocol as load balancers write them, and with single parts that no balancer would write.

import { isIPv6 } from 'node:net';

export const proxySignature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

export interface ProxyBlock {
  /** Version and command in one byte: 0x20 LOCAL, 0x21 PROXY. */
  readonly versionAndCommand?: number;
  /** Family and protocol in one byte: 0x11 TCP over IPv4, 0x21 TCP over IPv6. */
  readonly family?: number;
  /** Addresses and extensions. */
  readonly body?: Buffer;
  /** Instead of the true length of the body. */
  readonly length?: number;
}

/** A header of version 2. */
export function proxyBlock({
  versionAndCommand = 0x21,
  family = 0,
  body = Buffer.alloc(0),
  length = body.length,
}: ProxyBlock): Buffer {
  const fixed = Buffer.alloc(4);
  fixed.writeUInt8(versionAndCommand, 0);
  fixed.writeUInt8(family, 1);
  fixed.writeUInt16BE(length, 2);
  return Buffer.concat([proxySignature, fixed, body]);
}

/** A header of version 2 for a client that connected to port 443. */
export function proxyBlockFor(address: string, port = 40_000, extensions: Buffer = Buffer.alloc(0)): Buffer {
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(port, 0);
  ports.writeUInt16BE(443, 2);
  const [family, destination] = isIPv6(address) ? [0x21, '2001:db8::443'] : [0x11, '192.0.2.44'];
  return proxyBlock({
    family,
    body: Buffer.concat([addressBytes(address), addressBytes(destination), ports, extensions]),
  });
}

/** A header of version 1 for a client that connected to port 443. */
export function proxyLineFor(address: string, port = 40_000): Buffer {
  const [family, destination] = isIPv6(address) ? ['TCP6', '2001:db8::443'] : ['TCP4', '192.0.2.44'];
  return Buffer.from(`PROXY ${family} ${address} ${destination} ${port} 443\r\n`, 'latin1');
}

/** What a balancer sends before its own health checks. */
export const proxyLocal: Buffer = proxyBlock({ versionAndCommand: 0x20 });

/** One extension (TLV). */
export function proxyExtension(type: number, value: Buffer, length = value.length): Buffer {
  const head = Buffer.alloc(3);
  head.writeUInt8(type, 0);
  head.writeUInt16BE(length, 1);
  return Buffer.concat([head, value]);
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = new URL(`https://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const after = groups(tail ?? '');
  const before = groups(head);
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  const bytes = Buffer.alloc(16);
  for (const [at, group] of [...before, ...zeros, ...after].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), at * 2);
  }
  return bytes;
}
