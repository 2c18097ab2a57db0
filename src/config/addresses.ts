import { isIPv4, isIPv6 } from 'node:net';
import { type AddressRange, ipv6Groups } from '../platform/network/address-rules.ts';
import { Refusal } from './refusal.ts';

export type IpRange = AddressRange;

export interface HostAndPort {
  /** A name in lower case or an IP address in its shortest form, without brackets. */
  readonly host: string;
  readonly port: number;
}

const labelPattern = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const schemePattern = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Whether the text is a host name in lower case that no parser reads as a number: labels of letters, digits and
 * hyphens, no dot at the end, the last label not numeric (`127.1` is an address to some parsers).
 */
export function isHostName(text: string): boolean {
  if (text.length > 253) return false;
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  return labels.every((label) => labelPattern.test(label)) && !/^(\d+|0x[0-9a-f]*)$/.test(last);
}

/**
 * Reads `host:port`; the host is a name, an IPv4 address, or an IPv6 address in brackets.
 * @throws Refusal
 */
export function parseHostAndPort(text: string): HostAndPort {
  const refuse = (why: string) => new Refusal(`${JSON.stringify(text)} is not host:port: ${why}`);
  if (text.length > 270) throw new Refusal('the address is too long');
  if (schemePattern.test(text))
    throw refuse(`leave out the scheme ${text.slice(0, text.indexOf('://') + 3)}`);
  const parts = /^(\[[^\]]*\]|[^:[\]]*):(\d{1,5})$/.exec(text);
  if (parts === null) {
    if (isIPv6(text) || (text.match(/:/g) ?? []).length > 1)
      throw refuse('write an IPv6 address in brackets, for example "[::1]:1280"');
    throw refuse('write for example localhost:1280');
  }
  const [, hostText = '', portText = ''] = parts;
  if (portText.length > 1 && portText.startsWith('0')) throw refuse('the port must not start with 0');
  const port = Number(portText);
  if (port > 65535) throw refuse('the port must be at most 65535');
  return { host: canonicalHost(hostText, refuse), port };
}

function canonicalHost(text: string, refuse: (why: string) => Refusal): string {
  if (text.startsWith('[')) {
    const inside = text.slice(1, -1);
    // A zone id (%eth0) has meaning on one machine only and cannot be part of a URL.
    if (!isIPv6(inside) || inside.includes('%')) throw refuse('what is in brackets must be an IPv6 address');
    return canonicalIPv6(inside);
  }
  if (text === '') throw refuse('the host is missing');
  if (isIPv4(text)) return text;
  const name = text.toLowerCase();
  if (!isHostName(name))
    throw refuse('the host must be a host name (letters, digits, hyphens, dots) or an IP address');
  return name;
}

/** An IPv6 address as a URL parser spells it, so that an issuer survives being parsed. */
function canonicalIPv6(address: string): string {
  return new URL(`https://[${address}]`).hostname.slice(1, -1);
}

/** `host:port` as in a URL: IPv6 in brackets. */
export function formatHostAndPort({ host, port }: HostAndPort): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether the host means "every address of this machine", which clients cannot dial. */
export function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/**
 * The issuer of a bind point: `https://host[:port]/oidc`, without the port when it is 443, so that a URL parser returns
 * it unchanged.
 * @param address `host:port` as in `BindPoint.address`
 * @see spec section 5.7 rule 5
 */
export function issuerOf(address: string): string {
  return `https://${address.replace(/:443$/, '')}/oidc`;
}

/**
 * Reads an IP address or a range in CIDR notation.
 * @throws Refusal also when address bits are set after the prefix, which is usually a slip
 */
export function parseIpRange(text: string): IpRange {
  const refuse = (why: string) => new Refusal(`${JSON.stringify(text)} is not an IP range: ${why}`);
  if (text.length > 60) throw new Refusal('the IP range is too long');
  const parts = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(text);
  const address = parts?.[1] ?? '';
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  if (family === undefined) throw refuse('write for example 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32');
  const bits = family === 'ipv4' ? 32 : 128;
  const prefixText = parts?.[2] ?? String(bits);
  const prefixLength = Number(prefixText);
  if (prefixLength > bits || String(prefixLength) !== prefixText)
    throw refuse(`the prefix length must be 0 to ${bits}`);
  const canonical = family === 'ipv4' ? address : canonicalIPv6(address);
  if (numericValue(canonical, family) % 2n ** BigInt(bits - prefixLength) !== 0n)
    throw refuse(`bits are set behind the first ${prefixLength}`);
  return { address: canonical, prefixLength, family };
}

/** The text that `parseIpRange` reads as this range. */
export function formatIpRange({ address, prefixLength, family }: IpRange): string {
  return prefixLength === (family === 'ipv4' ? 32 : 128) ? address : `${address}/${prefixLength}`;
}

function numericValue(address: string, family: IpRange['family']): bigint {
  if (family === 'ipv4') return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  return ipv6Groups(address).reduce((sum, group) => sum * 65536n + BigInt(group), 0n);
}
