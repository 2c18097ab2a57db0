import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { formatRedirectUri } from '../model/redirect-uri-pattern.ts';
import { DAY, HOUR, MINUTE, type Millis, SECOND } from '../platform/clock.ts';
import { DurationError, formatDuration, parseDuration } from '../platform/formats/durations.ts';
import { withoutFinalSlashes } from '../platform/formats/final-slashes.ts';
import { addressSet } from '../platform/network/address-rules.ts';
import { PostgresHostsError, readPostgresHosts, withHostsApart } from '../platform/network/postgres-hosts.ts';
import { PostgresPoolerError, readPostgresPooler } from '../platform/network/postgres-pooler.ts';
import { PostgresTlsError, readPostgresTls } from '../platform/network/postgres-tls.ts';
import { largestHashCost, leastHashCost } from '../platform/secrets/hash-cost.ts';
import {
  formatHostAndPort,
  formatIpRange,
  type IpRange,
  isHostName,
  isUnspecified,
  parseHostAndPort,
  parseIpRange,
} from './addresses.ts';
import { parseColor, requireContrast } from './colors.ts';
import { formatMemorySize, parseMemorySize } from './memory-sizes.ts';
import { parseRedirectUri } from './redirect-uris.ts';
import { Refusal } from './refusal.ts';

// The kinds of values that settings have: each is read from a text of the file, and written back as one.

const refusals = [Refusal, DurationError, PostgresTlsError, PostgresPoolerError, PostgresHostsError];

/** A text that `read` turns into a value and `write` back. A refusal becomes a problem with the sentence of `read`. */
function text<T>(read: (text: string) => T, write: (value: T) => string) {
  return z.codec(z.string(), z.custom<T>(), {
    decode(given, context) {
      try {
        return read(given);
      } catch (error) {
        if (!(error instanceof Error && refusals.some((kind) => error instanceof kind))) throw error;
        context.issues.push({ code: 'custom', message: error.message, input: given });
        return z.NEVER;
      }
    },
    encode: write,
  });
}

const asItIs = (value: string) => value;

/** A line of text for people. @param noun its name in a refusal */
export function oneLine(noun: string, longest: number) {
  return z
    .string()
    .regex(
      new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${longest}}$`, 'u'),
      `the ${noun} has 1 to ${longest} characters`,
    )
    .regex(/\S/, `the ${noun} is blank`);
}

/** Ten years: far more than anybody needs, and such durations added to a point in time stay exact numbers. */
export const tenYears = 87_600 * HOUR;

/** In Millis; limits inclusive. */
export function duration(limits: { readonly min: Millis; readonly max: Millis }) {
  return text((given) => {
    const millis = parseDuration(given);
    if (millis < limits.min)
      throw new Refusal(`"${given}" is too short; the least is ${formatDuration(limits.min)}`);
    if (millis > limits.max)
      throw new Refusal(`"${given}" is too long; the most is ${formatDuration(limits.max)}`);
    return millis;
  }, formatDuration);
}

/** Less than a second is a mistyped unit, after which sessions end at once or records are deleted. */
export const lifetime = duration({ min: SECOND, max: tenYears });

/** Memory of a password hash, in KiB. */
export const hashMemory = text((given) => {
  const kib = parseMemorySize(given);
  const [least, most] = [leastHashCost.memoryKiB, largestHashCost.memoryKiB];
  if (kib < least)
    throw new Refusal(
      `${given} is too little; the least that protects passwords is ${formatMemorySize(least)}`,
    );
  if (kib > most) throw new Refusal(`${given} is too much; the most is ${formatMemorySize(most)}`);
  return kib;
}, formatMemorySize);

/** Path of a file; `loadConfig` makes it absolute before it is read. */
export const filePath = text((given) => {
  if (given.trim() === '') throw new Refusal('the path of a file is empty');
  if (given.includes('\0')) throw new Refusal('the path contains a NUL character');
  return given;
}, asItIs).meta({ isFile: true });

/** Path of a folder; absolute as that of a file. It need not exist. */
export const folderPath = filePath.meta({ isFile: true, isFolder: true });

export type DbConfig =
  | { readonly engine: 'sqlite'; readonly file: string }
  /** `url` may contain a password: never print it; `dbText` of file-shape.ts masks it. */
  | { readonly engine: 'postgres'; readonly url: string };

/** Reads the database URL. Its messages never repeat the URL, which may contain a password. */
export const dbSchema = text(
  (given): DbConfig => {
    if (given.startsWith('sqlite:')) return { engine: 'sqlite', file: sqliteFile(given) };
    if (!/^postgres(ql)?:\/\//.test(given))
      throw new Refusal('the database must be sqlite:FILE or postgres://USER@HOST/NAME');
    requireEscapes(given);
    const apart = withHostsApart(given);
    const url = URL.parse(apart);
    if (url === null)
      throw new Refusal(
        `the PostgreSQL URL cannot be parsed: check host and port, with an IPv6 address in brackets; ${escapes}`,
      );
    if (url.hostname === '' && !url.searchParams.has('host'))
      throw new Refusal('the PostgreSQL URL names no host');
    if (url.searchParams.get('host')?.includes(','))
      throw new Refusal('several hosts of a PostgreSQL URL stand before its path: postgres://USER@A,B/NAME');
    for (const each of readPostgresHosts(url)) readPostgresTls(each);
    readPostgresPooler(url);
    return { engine: 'postgres', url: withLimitsInMillis(url) ? url.href : apart };
  },
  (db) => (db.engine === 'sqlite' ? `sqlite:${db.file}` : db.url),
);

const unitsOfLimits: Readonly<Record<string, Millis>> = { ms: 1, s: SECOND, min: MINUTE, h: HOUR, d: DAY };

/** The client reads only the digits of a limit: with `30s`, statements would end after 30 ms. @returns whether one had a unit */
function withLimitsInMillis({ searchParams }: URL): boolean {
  let had = false;
  for (const [name, given] of [...searchParams].filter(([known]) => known.endsWith('_timeout'))) {
    if (name === 'connect_timeout') continue;
    const [, number, unit = 'ms'] = /^(\d+) ?(ms|s|min|h|d)?$/.exec(given) ?? [];
    if (number === undefined)
      throw new Refusal(
        `${name} in the PostgreSQL URL is a time such as 30s or 2min, or a number of milliseconds`,
      );
    if (number === given) continue;
    searchParams.set(name, String(Number(number) * (unitsOfLimits[unit] ?? 1)));
    had = true;
  }
  return had;
}

const escapes =
  'in user name and password, write these characters percent-encoded: # as %23, / as %2F, ? as %3F, @ as %40, : as %3A, % as %25';

/** Without its escapes, a part of the password becomes the host, which messages would show, or is cut off. */
function requireEscapes(given: string): void {
  const [, ...afterHost] = given.slice(given.indexOf('//') + 2).split(/[/?#]/);
  const isCut = given.includes('#') || afterHost.some((part) => part.includes('@'));
  if (isCut || /%(?![0-9A-Fa-f]{2})/.test(given))
    throw new Refusal(`the PostgreSQL URL has a character that is not escaped; ${escapes}`);
}

function sqliteFile(given: string): string {
  const file = given.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (file === '' || file.endsWith('/')) throw new Refusal('the path of the SQLite file is missing');
  if (file === ':memory:') throw new Refusal('a database in memory would forget every session');
  if (/[?#\0]/.test(file) || (file.startsWith('//') && isAbsolute(file)))
    throw new Refusal('after sqlite: only the path of a file may follow');
  return file;
}

export const hostAndPort = text(parseHostAndPort, formatHostAndPort);

/** As text, the host in lower case. */
export const address = text((given) => formatHostAndPort(parseHostAndPort(given)), asItIs);

/** The same for an address that clients dial. */
export const dialableAddress = text((given) => {
  const parsed = parseHostAndPort(given);
  if (isUnspecified(parsed.host))
    throw new Refusal(`${given} is not an address that clients can dial; name the host as they see it`);
  return formatHostAndPort(parsed);
}, asItIs);

export const ipRange = text(parseIpRange, formatIpRange);

/** A host in such a range is trusted with every address that it reports for its clients. */
export const balancerRange = text((given) => {
  const range = parseIpRange(given);
  const isInRange = addressSet([range]);
  // Both ends of IPv4, also as a part of IPv6, where it is mapped; or all of IPv6.
  if ((isInRange('0.0.0.0') && isInRange('255.255.255.255')) || range.prefixLength === 0)
    throw new Refusal(
      `${given} contains every address, and any client could claim any address; name the load balancers, for example 192.0.2.5 or 10.1.0.0/24`,
    );
  return range;
}, formatIpRange);

/** In lower case. */
export const hostName = text((given) => {
  const name = given.toLowerCase();
  if (!isHostName(name))
    throw new Refusal(`${JSON.stringify(given)} is no host name: give a name, not an address or a pattern`);
  return name;
}, asItIs);

/** A host that is asked without the proxy: a name, `.example.com` for everything below it, or addresses. */
export const sparedHost = text(
  (given): string | IpRange => {
    const name = given.toLowerCase();
    if (isHostName(name.replace(/^\./, ''))) return name;
    try {
      return parseIpRange(given);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(
        `${JSON.stringify(given)} is neither a host name, nor a domain such as .example.com, nor addresses`,
      );
    }
  },
  (spared) => (typeof spared === 'string' ? spared : formatIpRange(spared)),
);

/** May contain a password: never print it. The messages never repeat it. */
export const proxyUrl = text((given) => {
  const url = URL.parse(given);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '')
    throw new Refusal('the proxy is not an http or https URL, such as http://proxy.example.com:3128');
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '')
    throw new Refusal(`the URL of the proxy has more than a host and a port; ${escapes}`);
  try {
    [url.username, url.password].map(decodeURIComponent);
  } catch {
    throw new Refusal(`the URL of the proxy has a character that is not escaped; ${escapes}`);
  }
  return url.href;
}, asItIs);

export const redirectUri = text(parseRedirectUri, formatRedirectUri);

/** `#rrggbb`, readable on the ground of the scheme. */
export function color(scheme: 'light' | 'dark') {
  return text((given) => requireContrast(parseColor(given), scheme), asItIs);
}

/** @param words of the refusal of another one @throws Refusal */
function urlOf(given: string, protocols: readonly string[], words: string): URL {
  const url = URL.parse(given);
  if (url === null || !protocols.includes(url.protocol)) throw new Refusal(words);
  return url;
}

/** An address that a link of the login pages leads to: a page, or who answers mail or the telephone. */
export const linkUrl = text((given) => {
  const words = `${JSON.stringify(given)} is not an address that begins with https:, http:, mailto: or tel:`;
  return urlOf(given, ['https:', 'http:', 'mailto:', 'tel:'], words).href;
}, asItIs);

/** Of another server; without user and password. */
export const httpsUrl = text((given) => {
  const words = `${JSON.stringify(given)} is not an https URL`;
  const url = urlOf(given, ['https:'], words);
  if (url.username !== '' || url.password !== '') throw new Refusal(words);
  return url.href;
}, asItIs);

/** The URL of an OTLP collector, without a trailing slash. */
export const collectorUrl = text((given) => {
  const words = `${JSON.stringify(given)} is not the URL of a collector, such as https://collector:4318`;
  const url = urlOf(given, ['https:', 'http:'], words);
  if (url.username !== '' || url.password !== '')
    throw new Refusal("the URL holds a user or a password; put the collector's credentials into headersFile");
  if (url.search !== '' || url.hash !== '') throw new Refusal('the URL has a query or a fragment');
  return withoutFinalSlashes(url.href);
}, asItIs);

/** The sender or receiver of a mail. */
export interface Mailbox {
  /** Null: only the address. */
  readonly name: string | null;
  readonly address: string;
}

/** `ada@example.com` or `Ada Example <ada@example.com>`. */
export const mailbox = text(
  (given): Mailbox => {
    const [, name = '', bracketed] = /^([^<>\p{C}]{0,100}?)\s*<([^<>]*)>$/u.exec(given.trim()) ?? [];
    const address = bracketed ?? given.trim();
    if (!/^[^\s\p{C}@"(),:;<>[\\\]]{1,64}@[^\s\p{C}@"(),:;<>[\\\]]{1,255}$/u.test(address))
      throw new Refusal(
        `${JSON.stringify(given)} is not a sender such as no-reply@example.com or Example <no-reply@example.com>`,
      );
    const unquoted = name.trim().replace(/^"(.*)"$/, '$1');
    return { name: unquoted === '' ? null : unquoted, address };
  },
  ({ name, address }) => (name === null ? address : `${name} <${address}>`),
);
