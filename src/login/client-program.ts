// The name of a browser or program in the words by which people recognise their sessions. It comes from the client
// unchecked: it is shown, and decides nothing.

import type { ClientInfo, ClientProgram } from '../model/client-info.ts';

/** Characters of a header that are read. The part that tells one browser from another comes earlier. */
const longestRead = 400;
const longestProgram = 60;
const longestSystem = 40;

/**
 * The program at the other end. What SDKs say of themselves at the login counts before the header, which names no more
 * than their HTTP library.
 * @param userAgent  the header of that name (RFC 9110 10.1.5); undefined for none
 * @param clientInfo without invisible characters
 */
export function clientProgramOf(userAgent: string | undefined, clientInfo?: ClientInfo): ClientProgram {
  const { sdkInfo = {}, envInfo = {} } = clientInfo ?? {};
  const read = (userAgent ?? '').slice(0, longestRead);
  const named = sdkInfo.appId ?? sdkInfo.type;
  const version = sdkInfo.appId === undefined ? sdkInfo.version : sdkInfo.appVersion;
  const program = named === undefined ? programIn(read) : withVersion(named, version);
  const system = envInfo.os === undefined ? systemIn(read) : systemCalled(envInfo.os);
  return { program: shortened(program, longestProgram), operatingSystem: shortened(system, longestSystem) };
}

/** Parts of the header that only one browser has. Each also carries the words of those below it, to be taken for them. */
const browsers: readonly (readonly [part: string, name: string])[] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Vivaldi/', 'Vivaldi'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];

/** Every browser's header begins with this, for historical reasons. */
const mozilla = 'Mozilla';

function programIn(userAgent: string): string | null {
  if (userAgent.startsWith(`${mozilla}/`)) {
    // Without its version: it changes during a session, and people do not know it.
    const browser = browsers.find(([part]) => userAgent.includes(part));
    if (browser !== undefined) return browser[1];
  }
  const products = productsIn(userAgent).filter(({ name }) => name !== mozilla);
  // Programs name themselves first; those that pass for a browser do it last.
  const product = userAgent.startsWith(`${mozilla}/`) ? products.at(-1) : products[0];
  return product === undefined ? null : withVersion(product.name, product.version);
}

/** The products outside of comments, such as `curl/8.5.0`. Characters of other scripts occur in none. */
function productsIn(userAgent: string): readonly { readonly name: string; readonly version: string }[] {
  const products = userAgent
    .replace(/\([^()]*\)/g, ' ')
    .matchAll(/(?<=^|\s)([\w!#$%&'*+.^`|~-]+)(?:\/([\w!#$%&'*+.^`|~-]*))?(?=\s|$)/g);
  return Array.from(products, ([, name = '', version = '']) => ({ name, version }));
}

/** The first two numbers of the version are enough to recognise a program by. */
function withVersion(name: string, version = ''): string {
  const short = /^v?(\d{1,9}(?:\.\d{1,9})?)/.exec(version)?.[1];
  return short === undefined ? name : `${name} ${short}`;
}

/** By what stands in the header. An earlier one also carries the words of a later one. */
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/android/i, 'Android'],
  [/iphone|ipad|ipod/i, 'iOS'],
  [/windows/i, 'Windows'],
  [/macintosh|mac ?os/i, 'macOS'],
  [/\bcros\b/i, 'ChromeOS'],
  [/linux/i, 'Linux'],
  [/freebsd/i, 'FreeBSD'],
  [/openbsd/i, 'OpenBSD'],
];

function systemIn(text: string): string | null {
  return systems.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** As SDKs have it from their runtime; an unknown one stays as it is. */
function systemCalled(os: string): string {
  const known = os.toLowerCase();
  if (known === 'darwin') return 'macOS';
  return known === 'ios' ? 'iOS' : (systemIn(os) ?? os);
}

/** By whole characters. */
function shortened(text: string | null, most: number): string | null {
  if (text === null || text.length <= most) return text;
  return `${[...text].slice(0, most - 1).join('')}…`;
}
