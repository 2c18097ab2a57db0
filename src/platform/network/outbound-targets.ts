// Where outbound requests may go, as far as an address itself shows it, and which of its host's addresses may be
// connected to.

import { isIP } from 'node:net';
import type { Millis } from '../clock.ts';
import {
  type AddressLimits,
  type AddressRange,
  addressRule,
  addressSet,
  longestUrl,
} from './address-rules.ts';
import { FetchRefused } from './fetch-refused.ts';

export interface OutboundLimits extends AddressLimits {
  /** For the whole fetch, including redirects. */
  readonly timeout: Millis;
  readonly maxRedirects: number;
  /**
   * Exact names in lower case. An empty list allows every name; any other list also refuses bare addresses. Hosts on it
   * may have private addresses.
   */
  readonly allowedHostnames: readonly string[];
  readonly deniedHostnames: readonly string[];
  /** Exact names in lower case that may be asked beside all others, and may have private addresses. */
  readonly additionalHostnames: readonly string[];
  /** URL of the proxy through which other hosts are asked, with user and password; null: none. */
  readonly proxy: string | null;
  /** Asked without it: a name in lower case, `.example.com` for everything below a domain, or addresses. */
  readonly noProxy: readonly (string | AddressRange)[];
}

export interface SignedAnswer {
  /** The answer is signed, and has to be verified by that: it may come without TLS. */
  readonly isSigned?: boolean | undefined;
}

/**
 * Refuses an address by itself, before a look-up: its form, its scheme, a host that the limits
 * exclude, an IP address that no connection may go to.
 * @throws FetchRefused
 */
export function checkAddress(url: string, limits: OutboundLimits, { isSigned }: SignedAnswer = {}): void {
  // The parser drops line breaks and takes a backslash for a slash: a person would read another address.
  if (/[\s\\]/.test(url)) throw new FetchRefused('url');
  targetRules(limits)(readTarget(url, { isSigned }));
}

/** Why no connection may go to an address; null when one may. */
export type AddressRefusal = (address: string) => 'address' | 'private-address' | null;

function addressRefusal(limits: OutboundLimits): AddressRefusal {
  // With a list of names, only hosts on it are called.
  const blockPrivateAddresses = limits.blockPrivateAddresses && limits.allowedHostnames.length === 0;
  const allows = addressRule({ ...limits, blockPrivateAddresses });
  const allowsPrivate = addressRule({ ...limits, blockPrivateAddresses: false });
  return (address) => {
    if (allows(address)) return null;
    return allowsPrivate(address) ? 'private-address' : 'address';
  };
}

export function readTarget(text: string, { base, isSigned }: { readonly base?: URL } & SignedAnswer): URL {
  const url = text.length > longestUrl ? null : URL.parse(text, base);
  if (url === null) throw new FetchRefused('url');
  if (url.protocol !== 'https:' && !(isSigned && url.protocol === 'http:')) throw new FetchRefused('scheme');
  if (url.username !== '' || url.password !== '') throw new FetchRefused('url');
  return url;
}

/**
 * Checks the name and, because it needs no look-up, a bare address.
 * @returns the rule for the addresses of that host, which throws FetchRefused
 */
export function targetRules(limits: OutboundLimits): (target: URL, isPlain?: boolean) => AddressRefusal {
  const { allowedHostnames, deniedHostnames, additionalHostnames } = limits;
  const usual = addressRefusal(limits);
  // The target was allowed by listing its address.
  const plain = addressRefusal({ ...limits, blockPrivateAddresses: false });
  const additional = addressRefusal({ ...limits, blockPrivateAddresses: false, allowedIPs: [] });
  return (target, isPlain = false) => {
    const host = bareHost(target);
    const name = host.replace(/\.$/, '');
    const isAdditional = additionalHostnames.includes(name);
    const isListed = isAdditional || allowedHostnames.length === 0 || allowedHostnames.includes(name);
    if (!isListed || deniedHostnames.includes(name)) throw new FetchRefused('host');
    const refusal = isPlain ? plain : isAdditional ? additional : usual;
    const refused = isIP(host) === 0 ? null : refusal(host);
    if (refused !== null) throw new FetchRefused(refused);
    return refusal;
  };
}

export function bareHost(target: URL): string {
  return target.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Which hosts are asked without the proxy. For the proxy, this machine is another one. */
export function sparedHosts(noProxy: OutboundLimits['noProxy']): (host: string) => boolean {
  const spared = ['localhost', '.localhost', ...noProxy.filter((entry) => typeof entry === 'string')];
  const loopback = [
    { address: '127.0.0.0', prefixLength: 8, family: 'ipv4' },
    { address: '::1', prefixLength: 128, family: 'ipv6' },
  ] as const;
  const isSparedAddress = addressSet([...loopback, ...noProxy.filter((entry) => typeof entry !== 'string')]);
  return (host) => {
    const name = host.replace(/\.$/, '');
    return (
      isSparedAddress(host) ||
      spared.some((entry) => (entry.startsWith('.') ? name.endsWith(entry) : name === entry))
    );
  };
}
