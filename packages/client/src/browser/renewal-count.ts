// How often each session was renewed, visible to all tabs of an origin as soon as it is written. It contains no tokens,
// only enough for a tab to know that its own are outdated, whatever messages are still under way.

const database = 'overlay-auth';
const counts = 'renewals';
/** No session lives this long without being used. Milliseconds. */
const longestSession = 90 * 24 * 3600 * 1000;

interface Row {
  readonly session: string;
  readonly count: number;
  /** When it was written. */
  readonly at: number;
}

export async function readCount(session: string): Promise<number> {
  const row: Row | undefined = await inStore('readonly', (store) => store.get(session));
  return row?.count ?? 0;
}

export async function writeCount(session: string, count: number): Promise<void> {
  await inStore('readwrite', (store) => store.put({ session, count, at: Date.now() } satisfies Row));
}

/** Forgets a session, and very old ones that nobody has ended. */
export async function forgetCounts(session: string): Promise<void> {
  const rows: readonly Row[] = await inStore('readonly', (store) => store.getAll());
  const over = rows.filter((row) => row.session === session || row.at < Date.now() - longestSession);
  for (const row of over) await inStore('readwrite', (store) => store.delete(row.session));
}

async function inStore<T>(
  mode: IDBTransactionMode,
  action: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(database, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(counts, { keyPath: 'session' });
  const opened = await settled(opening);
  try {
    const transaction = opened.transaction(counts, mode);
    const written = new Promise<void>((over, failed) => {
      transaction.oncomplete = () => over();
      transaction.onabort = () => failed(transaction.error);
    });
    const [result] = await Promise.all([settled(action(transaction.objectStore(counts))), written]);
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
