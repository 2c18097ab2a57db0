// The certificates that clients sent besides their leaves. A TLS session ticket contains the leaf but not the rest of the
// chain. The rest is not secret and proves nothing by itself, so it can be remembered for connections that resume, on this
// thread or another one: they share the keys of tickets. Every login validates it again.

import { recentMap } from '../caches.ts';
import { sha256 } from '../digest.ts';

/** The certificates that lead upwards from a leaf. */
export interface Intermediates {
  /** SHA-256 of the leaf as base64url. */
  readonly leafThumbprint: string;
  /** DER. */
  readonly certificates: readonly Uint8Array[];
  /** Whether they led to an authority that is trusted. */
  readonly areTrusted: boolean;
}

/** By leaf. A stranger fills this one with made-up certificates. */
const sent = recentMap<string, readonly Buffer[]>(1000);
/** By leaf. A stranger adds nothing here, so those of real clients stay. */
const trusted = recentMap<string, readonly Buffer[]>(10_000);
/** The lists in `trusted`: many leaves have the same one. */
const lists = recentMap<string, readonly Buffer[]>(1000);

const listeners = new Set<(news: Intermediates) => void>();

/** @param listener passes what this thread learns to the others. @returns ends that */
export function onIntermediates(listener: (news: Intermediates) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Those of the last full handshake, if it is still known: a client may have got others meanwhile. */
export function intermediatesOf(leafThumbprint: string): readonly Buffer[] {
  return sent.get(leafThumbprint) ?? trusted.get(leafThumbprint) ?? [];
}

/** Remembers those of a full handshake or a valid path, here and on the other threads. None are nothing to remember. */
export function rememberIntermediates(news: Intermediates): void {
  const { leafThumbprint, certificates, areTrusted } = news;
  if (certificates.length === 0 || (areTrusted && isKnown(trusted.get(leafThumbprint), certificates))) return;
  const known = { ...news, certificates: learnIntermediates(news) };
  for (const tell of listeners) tell(known);
}

function isKnown(known: readonly Buffer[] | undefined, certificates: Intermediates['certificates']): boolean {
  if (known?.length !== certificates.length) return false;
  return certificates.every((der, at) => known[at]?.equals(der));
}

/** Remembers what another thread has read. @returns as it is remembered */
export function learnIntermediates(news: Intermediates): readonly Buffer[] {
  const { leafThumbprint, certificates, areTrusted } = news;
  // Buffers often share their memory, and a message to another thread would copy all of it.
  const list = certificates.map((der) => Buffer.from(new Uint8Array(der).buffer));
  if (!areTrusted) {
    sent.set(leafThumbprint, list);
    return list;
  }
  const key = sha256(Buffer.concat(list));
  const one = lists.get(key) ?? list;
  if (one === list) lists.set(key, list);
  trusted.set(leafThumbprint, one);
  return one;
}

/** All that this thread remembers, for a thread that starts: clients have tickets that it accepts. */
export function knownIntermediates(): readonly Intermediates[] {
  const all = (map: typeof sent, areTrusted: boolean) =>
    map.entries().map(([leafThumbprint, certificates]) => ({ leafThumbprint, certificates, areTrusted }));
  return [...all(sent, false), ...all(trusted, true)];
}
