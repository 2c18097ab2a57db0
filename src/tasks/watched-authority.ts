// A third-party authority whose certificates are checked: its lists, where they come from, and the
// certificates of those that sign them.

import { newestOfEach } from '../login/certificate/revocation.ts';
import type { Ca } from '../model/entities/ca.ts';
import type { ListState } from '../model/list-state.ts';
import { HOUR, MINUTE, type Millis, SECOND } from '../platform/clock.ts';
import { sha256 } from '../platform/digest.ts';
import { type PathCertificate, readPathCertificate } from '../platform/x509/path-certificate.ts';
import {
  authorityKey,
  ListRefused,
  listsInPem,
  type RevocationList,
  type UnverifiedList,
} from '../platform/x509/revocation-list.ts';

/** An authority with its lists and their signers. */
export interface Watched {
  readonly ca: Ca;
  /** By `authorityKey`: its own certificate, and those below it that logins have shown. */
  readonly issuers: Map<string, PathCertificate>;
  /** By the address or name of the file. */
  readonly lists: Map<string, RevocationList>;
  /** Just fetched, and about to be stored. */
  readonly fetched: Map<string, RevocationList>;
  readonly tried: Map<string, Millis>;
  readonly problems: Map<string, string>;
}

/** How old a list becomes before it is fetched again, however late its authority promises the next one. */
const usualAge: Millis = 5 * MINUTE;
/** The same for long lists. */
const ageOfLong: Millis = HOUR;
const manyEntries = 25_000;
const afterFailure: Millis = MINUTE;
/** From one fetch to the next that a login asks for. */
const pause: Millis = 10 * SECOND;
export const mostAddresses = 40;
const mostIssuers = 100;

export function watchedBy(ca: Ca, before: Watched | undefined): Watched {
  if (before !== undefined) {
    const state = { ...before, ca };
    const isSameFile = before.ca.revocation.crlPem === ca.revocation.crlPem;
    const isLeft = (source: string) => sourcesOf(state).includes(source) && (isSameFile || !isFile(source));
    for (const known of [state.lists, state.problems])
      for (const source of known.keys()) if (!isLeft(source)) known.delete(source);
    return state;
  }
  const anchor = readPathCertificate(ca.certPem);
  return {
    ca,
    issuers: new Map([[authorityKey(anchor), anchor]]),
    lists: new Map(),
    fetched: new Map(),
    tried: new Map(),
    problems: new Map(),
  };
}

/** @returns whether it was unknown */
export function learn({ issuers }: Watched, issuer: PathCertificate): boolean {
  const key = authorityKey(issuer);
  if (issuers.has(key) || issuers.size >= mostIssuers) return false;
  issuers.set(key, issuer);
  return true;
}

export async function verified(
  { issuers }: Watched,
  list: UnverifiedList,
  now: Millis,
): Promise<RevocationList> {
  const candidates = [...issuers.values()].filter(({ subject }) => subject.key === list.issuerName);
  let refusal = new ListRefused('is one of an authority whose certificate no login has shown yet');
  for (const issuer of candidates) {
    try {
      return await list.verifiedBy(issuer, now);
    } catch (error) {
      if (!(error instanceof ListRefused)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Reads the lists that an administrator has put in. */
export async function takeFiles(state: Watched, now: Millis): Promise<void> {
  for (const [name, file] of filesOf(state.ca)) {
    if (state.lists.has(name)) continue;
    try {
      state.lists.set(name, await verified(state, file, now));
    } catch (error) {
      if (!(error instanceof ListRefused)) throw error;
    }
  }
}

type Files = ReadonlyMap<string, UnverifiedList>;
const readFiles = new WeakMap<Ca, Files>();
const fileMark = 'crlPem:';

/** The lists of the field, by names that stay if others are added. */
export function filesOf(ca: Ca): Files {
  const { crlPem } = ca.revocation;
  const before = readFiles.get(ca);
  if (before !== undefined) return before;
  const lists = crlPem === null ? [] : listsInPem(crlPem);
  const files = new Map(
    [...newestOfEach(lists)].map(([series, list]) => [`${fileMark}${sha256(series).slice(0, 8)}`, list]),
  );
  readFiles.set(ca, files);
  return files;
}

export function isFile(source: string): boolean {
  return source.startsWith(fileMark);
}

/** Files, addresses, and the addresses of lists that add to others, which these name. */
export function sourcesOf({ ca, lists }: Pick<Watched, 'ca' | 'lists'>): readonly string[] {
  const named = [...lists.values()].flatMap(({ freshest }) => freshest);
  return [...new Set([...filesOf(ca).keys(), ...ca.revocation.crlUrls, ...named])].slice(0, mostAddresses);
}

export function isSame(
  list: Pick<RevocationList, 'thisUpdate' | 'listNumber'> | undefined,
  row: ListState,
): boolean {
  return list?.thisUpdate === row.thisUpdate && list.listNumber === row.listNumber;
}

/** @param file of an administrator, if that is the source */
export function isDue(state: ListState | undefined, file: UnverifiedList | undefined, now: Millis): boolean {
  if (state === undefined) return true;
  const { triedAt, error, entries, nextUpdate } = state;
  const age = now - triedAt;
  if (age < 0) return true;
  if (file !== undefined) return error === null ? !isSame(file, state) : age >= afterFailure;
  if (error !== null || nextUpdate === null || now >= nextUpdate) return age >= afterFailure;
  return age >= ((entries ?? 0) > manyEntries ? ageOfLong : usualAge);
}

/** Whether a login should wait for a list: it has never been had, or is outdated, or may be one of a new issuer. */
export function isMissing(
  { lists, tried }: Watched,
  url: string,
  { isNew, now }: { readonly isNew: boolean; readonly now: Millis },
): boolean {
  const list = lists.get(url);
  if (isFile(url) || (list !== undefined && now < list.nextUpdate)) return false;
  return isNew || now - (tried.get(url) ?? 0) >= pause;
}
