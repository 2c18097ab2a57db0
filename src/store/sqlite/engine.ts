// The SQLite engine: short reads on the calling thread, lists on a separate thread, writes on the writer thread.

import type { MessagePort, Worker } from 'node:worker_threads';
import type { Millis } from '../../platform/clock.ts';
import { StoreUnavailable } from '../contracts/store.ts';
import { changeListeners, type Engine, listTurns, sqliteDialect } from '../sql/engine.ts';
import type { SqlRow, Statement } from '../sql/intent.ts';
import { connectSqlite, type SqliteConnection } from './connection.ts';
import { errorOf, failureOf } from './errors.ts';
import { listThread } from './list-thread.ts';
import { newSessionVersions, type SessionVersions, sessionVersion } from './session-versions.ts';
import {
  linkThrough,
  linkToThread,
  startWriter,
  type WriterLink,
  type WriterSettings,
  type WriterThread,
  writerThread,
} from './writer-thread.ts';

/** How soon commits of other processes are noticed. */
const pollInterval: Millis = 200;
/** How long a write waits for one of another process. All writes wait that long then. */
const writeBusyTimeout: Millis = 5000;
/** Readers wait only while another process opens or closes the database, and block the event loop meanwhile. */
const readBusyTimeout: Millis = 500;

export interface SqliteEngineOptions {
  /** For a migrated database. */
  readonly path: string;
  readonly writeBusyTimeout?: Millis;
  /** Starts the writer thread. Tests replace it by one that fails, or one for several databases. */
  readonly startWriter?: (settings: WriterSettings) => Worker;
  /** For a thread other than the one that started the writer: a port to the writer, whenever one is needed. */
  readonly joinWriter?: () => MessagePort;
}

export interface SqliteEngine extends Engine {
  readonly counts: WriterThread['counts'];
}

/** @throws Error of node:sqlite when the file cannot be opened */
export function openSqliteEngine(options: SqliteEngineOptions): SqliteEngine {
  const { path } = options;
  const reader = connectSqlite(path, { readOnly: true, busyTimeout: readBusyTimeout });
  const { link, versions } = wayToWriter(options);
  const writer = writerThread(link, () => notify('own'));
  const lister = listThread({ path, busyTimeout: readBusyTimeout });
  const turns = listTurns(1);
  const { notify, onChange } = changeListeners();
  let closing: Promise<void> | null = null;

  const { requireReadable, stopWatching } = watchFile(reader, () => notify('perhaps-new'));

  // Short reads happen here: handing them to another thread costs more than the read.
  async function read(statement: Statement): Promise<readonly SqlRow[]> {
    requireReadable();
    try {
      return reader.run(statement);
    } catch (cause) {
      throw errorOf(failureOf(cause));
    }
  }

  async function close(): Promise<void> {
    await writer.drain();
    stopWatching();
    await lister.close();
    // The last connection to close must be able to write, so that a single file is left.
    reader.database.close();
    await writer.end();
  }

  return {
    dialect: sqliteDialect,
    counts: writer.counts,
    write(name, args, options) {
      return writer.write({ name, args, caller: options?.caller, how: options?.how });
    },
    read: (sql, ...params) => read({ sql, params }),
    inTurn: (budget, use) =>
      turns(budget, (left) =>
        use(async (statement) => {
          requireReadable();
          return lister.read(statement, left());
        }),
      ),
    onChange,
    letWrite: writer.join,
    sessionVersion(id) {
      const known = versions();
      return known === null ? null : sessionVersion(known, id);
    },
    poolUse: () => [],
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Sees when other connections commit, and whether the file is still the one that was opened. */
function watchFile(reader: SqliteConnection, onCommit: () => Promise<void>) {
  let seenVersion = dataVersion();
  const poll = setInterval(() => {
    const version = dataVersion();
    if (version === seenVersion) return;
    seenVersion = version;
    void onCommit();
  }, pollInterval);
  poll.unref();

  /** A number that changes when other connections commit; null when it cannot be read now, or is not of this file. */
  function dataVersion() {
    try {
      reader.requireInPlace();
      return reader.run({ sql: 'PRAGMA data_version', params: [] })[0]?.data_version ?? null;
    } catch {
      return null;
    }
  }

  return {
    /** The thread that reads lists may begin with a file that has replaced this one. @throws StoreUnavailable */
    requireReadable(): void {
      if (!reader.database.isOpen) throw new StoreUnavailable('the store is closed');
      if (seenVersion !== null) return;
      try {
        reader.requireInPlace();
      } catch (cause) {
        throw errorOf(failureOf(cause));
      }
    },
    stopWatching: () => clearInterval(poll),
  };
}

/**
 * How to reach the thread that writes, and the versions of sessions that it raises: null until that thread has named
 * them. They outlive a writer that dies.
 */
function wayToWriter({ path, joinWriter, ...options }: SqliteEngineOptions): {
  readonly link: () => WriterLink;
  readonly versions: () => SessionVersions | null;
} {
  if (joinWriter === undefined) {
    const versions = newSessionVersions();
    const settings = { path, busyTimeout: options.writeBusyTimeout ?? writeBusyTimeout, versions };
    return {
      link: () => linkToThread((options.startWriter ?? startWriter)(settings)),
      versions: () => versions,
    };
  }
  let named: SessionVersions | null = null;
  const onVersions = (versions: SessionVersions) => {
    named = versions;
  };
  return { link: () => linkThrough(joinWriter(), onVersions), versions: () => named };
}
