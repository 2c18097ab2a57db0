// What the tabs of an origin keep in IndexedDB about a session: how often it was renewed and, if its tokens are bound to
// a key that cannot be exported, the tokens, sealed with another such key. In another browser all of it is worthless.

import type { Tokens } from '../oidc/tokens.ts';

/** The tokens of one login, and how often they were renewed since. */
export interface Held {
  /** Random; tells logins apart. */
  readonly session: string;
  readonly count: number;
  readonly tokens: Tokens;
}

interface Row {
  readonly session: string;
  /** Raised before a refresh token is sent, so that a tab knows when its own is outdated. */
  readonly count: number;
  /** When it was written. */
  readonly at: number;
  readonly kept?: Kept;
}

/** Tokens that outlive the page. */
interface Kept {
  /** Of the store. */
  readonly name: string;
  readonly identityId: string;
  /** The run of the browser; a later run does not continue the session. */
  readonly run: string;
  /** Whether a tab without a session of its own continues it: no other person has signed in since. */
  readonly isLatest: boolean;
  /** Of these tokens; lower than the other when a tab was closed while it renewed. */
  readonly count: number;
  readonly key: Tokens['key'];
  readonly seal: CryptoKey;
  readonly iv: BufferSource;
  readonly sealed: BufferSource;
}

const database = 'overlay-auth';
const sessions = 'sessions';
/** No session lives this long without being used. Milliseconds. */
const longestSession = 90 * 24 * 3600 * 1000;

/** How often a session was renewed; undefined when it has ended. */
export async function readCount(session: string): Promise<number | undefined> {
  return (await rowOf(session))?.count;
}

export async function writeCount(session: string, count: number): Promise<void> {
  await put({ ...(await rowOf(session)), session, count, at: Date.now() });
}

/**
 * Saves a session, with its tokens if they are to outlive the page and cannot be used elsewhere.
 * @returns `tokens`, or what else was saved: without the `count`, tabs could use a refresh token twice
 */
export async function save(
  name: string,
  held: Held,
  outlivesPage: boolean,
): Promise<'tokens' | 'count' | 'nothing'> {
  const { session, count } = held;
  const row = { session, count, at: Date.now() };
  try {
    if (outlivesPage && isLocked(held.tokens.key)) {
      await putLatest({ ...row, kept: await sealed(name, held) });
      return 'tokens';
    }
  } catch {
    // Some browsers keep no keys in private windows, or no cookies in a frame of another site.
  }
  return put(row).then(
    () => 'count',
    () => 'nothing',
  );
}

/**
 * The kept session that a tab continues; null when there is none. Forgets those that the browser was closed after.
 * @param own the session and the person that this tab had before; null for a new tab, which continues with the latest
 */
export async function findKept(
  name: string,
  own: { readonly session: string; readonly identityId: string } | null,
): Promise<Held | null> {
  const rows = await allRows().catch(() => []);
  const run = currentRun();
  const isOver = ({ at, kept }: Row) =>
    at < Date.now() - longestSession || (kept !== undefined && kept.run !== run);
  for (const row of rows.filter(isOver)) await forget(row.session);
  const candidates = rows.filter((row) => !isOver(row) && row.kept?.name === name);
  const found =
    candidates.find(({ session }) => session === own?.session) ??
    candidates.find(({ kept }) => kept?.isLatest && kept.identityId === (own?.identityId ?? kept.identityId));
  if (found === undefined) return null;
  return opened(found).catch(() => forget(found.session).then(() => null));
}

/** Forgets a session with its keys; after the last one, the database too. */
export async function forget(session: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(session));
  if ((await allRows()).length > 0) return;
  await new Promise((over) => {
    const deleting = indexedDB.deleteDatabase(database);
    // A tab that is asleep may have it open. It is empty.
    deleting.onsuccess = deleting.onerror = deleting.onblocked = over;
  });
}

function isLocked(key: Tokens['key']): boolean {
  return key !== undefined && 'privateKey' in key && !key.privateKey.extractable;
}

async function sealed(name: string, { session, count, tokens }: Held): Promise<Kept> {
  const { key, ...secrets } = tokens;
  const before = (await rowOf(session))?.kept;
  const seal =
    before?.seal ??
    (await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']));
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const text = new TextEncoder().encode(JSON.stringify(secrets));
  return {
    name,
    identityId: tokens.identityId,
    run: currentRun() ?? newRun(),
    isLatest: before?.isLatest ?? true,
    count,
    key,
    seal,
    iv,
    sealed: await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, seal, text),
  };
}

async function opened({ session, kept }: Row): Promise<Held | null> {
  if (kept === undefined) return null;
  const { count, key, seal, iv } = kept;
  const text = new TextDecoder().decode(
    await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, seal, kept.sealed),
  );
  return { session, count, tokens: { ...JSON.parse(text), key } };
}

/** A new tab continues with the person who signed in last. */
async function putLatest(row: Row & { readonly kept: Kept }): Promise<void> {
  if (row.count === 0) {
    for (const { kept, ...other } of await allRows()) {
      if (kept?.name === row.kept.name) await put({ ...other, kept: { ...kept, isLatest: false } });
    }
  }
  await put(row);
}

/** A cookie that the browser drops when it is closed. It opens nothing, and other ports of the host share it. */
const runCookie = '__Host-overlay-auth-run';

function currentRun(): string | undefined {
  const found = document.cookie.split('; ').find((text) => text.startsWith(`${runCookie}=`));
  return found?.slice(runCookie.length + 1);
}

/** @throws Error the browser keeps no cookie here: every tab would be a later run, and forget the session of the others */
function newRun(): string {
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API.
  document.cookie = `${runCookie}=${crypto.randomUUID()}; Path=/; Secure; SameSite=Strict`;
  const run = currentRun();
  if (run === undefined) throw new Error('cookies are blocked');
  return run;
}

function rowOf(session: string): Promise<Row | undefined> {
  return inStore('readonly', (store) => store.get(session));
}

function allRows(): Promise<readonly Row[]> {
  return inStore('readonly', (store) => store.getAll());
}

async function put(row: Row): Promise<void> {
  await inStore('readwrite', (store) => store.put(row));
}

async function inStore<T>(
  mode: IDBTransactionMode,
  action: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(database, 2);
  opening.onupgradeneeded = () => {
    for (const former of opening.result.objectStoreNames) opening.result.deleteObjectStore(former);
    opening.result.createObjectStore(sessions, { keyPath: 'session' });
  };
  const opened = await settled(opening);
  try {
    const transaction = opened.transaction(sessions, mode);
    const written = new Promise<void>((over, failed) => {
      transaction.oncomplete = () => over();
      transaction.onabort = () => failed(transaction.error);
    });
    const [result] = await Promise.all([settled(action(transaction.objectStore(sessions))), written]);
    return result;
  } finally {
    opened.close();
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((over, failed) => {
    request.onsuccess = () => over(request.result);
    request.onerror = () => failed(request.error);
  });
}
