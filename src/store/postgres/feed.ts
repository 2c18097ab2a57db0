// Notices the commits of other nodes: NOTIFY wakes it, and it also polls, for moments without a listening connection
// and for connections through a pooler, which pass no notifications on.

import type pg from 'pg';
import type { Millis } from '../../platform/clock.ts';
import { withinTime } from '../../platform/within-time.ts';
import type { ChangeListener } from '../contracts/changes.ts';
import { hasNewSql } from '../sql/changes.ts';
import { postgresDialect } from '../sql/engine.ts';
import { openClient, type PostgresPool, type PostgresSettings, unprepared } from './connection.ts';

export const changesChannel = 'overlay_auth_changes';

/** How often to poll while nothing would wake us, and while something would. */
const pollAlone: Millis = 200;
const pollWhileListening: Millis = 2000;
/** A listening connection silent for this long no longer wakes a reader. */
const listenerPatience: Millis = 500;

interface FeedNeeds {
  readonly settings: PostgresSettings;
  readonly readers: PostgresPool;
  readonly notify: ChangeListener;
}

/**
 * Calls `notify` after commits of other processes, and when it is unknown whether there were any. Runs until stopped
 * and never fails: while the server is away, it keeps trying to reach it.
 */
export function followChanges({ settings, readers, notify }: FeedNeeds): { stop(): Promise<void> } {
  let listener: pg.Client | null = null;
  let isListening = false;
  let hasListened = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let seen: Seen | null = null;

  function letGo(client: pg.Client): void {
    if (listener !== client) return;
    listener = null;
    isListening = false;
    if (!isStopped) lookSoon(0);
  }

  async function listen(): Promise<void> {
    // Through a pooler it would seem to listen, but hear nothing.
    if (settings.session === null) return;
    const client = openClient(settings.session);
    listener = client;
    client.on('notification', () => void notify('perhaps-new'));
    client.on('end', () => letGo(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${changesChannel}`);
      isListening = true;
      // Changes committed before the server registered our LISTEN, perhaps on another server.
      const notice = hasListened ? 'perhaps-another-history' : 'perhaps-new';
      hasListened = true;
      await notify(notice);
    } catch {
      if (listener === client) listener = null;
      await client.end().catch(() => {});
    }
  }

  async function testListener(): Promise<void> {
    const client = listener;
    if (client === null || !isListening || (await answers(client))) return;
    letGo(client);
    void sayGoodbye(client);
  }

  async function look(): Promise<void> {
    if (listener === null) void listen();
    else void testListener();
    try {
      const found = await newSince(readers, seen);
      seen = found.seen;
      if (found.isNew) await notify('perhaps-new');
    } catch {
      seen = null;
      // Readers of the feed then find that they cannot, or read everything: this may have been a failover.
      await notify('perhaps-another-history');
    }
  }

  function lookSoon(wait: Millis): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      looking = look().then(() => {
        if (!isStopped) lookSoon(isListening ? pollWhileListening : pollAlone);
      });
    }, wait).unref();
  }

  lookSoon(0);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
      const client = listener;
      listener = null;
      await sayGoodbye(client);
    },
  };
}

/** The transactions that were committed at the last look, and the server's history. */
interface Seen {
  readonly history: string;
  readonly horizon: string;
}

const atTheEndOfTime = `:${Number.MAX_SAFE_INTEGER}:`;

/** Whether the feed has something new since `before`; true if that is null. */
async function newSince(
  readers: PostgresPool,
  before: Seen | null,
): Promise<{ readonly seen: Seen; readonly isNew: boolean }> {
  const params = postgresDialect.horizon.params(before?.horizon ?? atTheEndOfTime);
  const { rows } = await readers.query(unprepared({ sql: hasNewSql(postgresDialect), params }));
  const [{ has_new, ...seen }] = rows;
  return { seen, isNew: has_new === 1 || before === null || before.history !== seen.history };
}

/** If its other end vanished silently, a connection looks alive until something is sent. */
async function answers(client: pg.Client): Promise<boolean> {
  try {
    await withinTime(client.query('SELECT 1'), listenerPatience, 'the listening connection does not answer');
    return true;
  } catch {
    return false;
  }
}

/** Closing it in an orderly way would never finish if the server is gone. */
async function sayGoodbye(client: pg.Client | null): Promise<void> {
  if (client !== null) await withinTime(client.end(), listenerPatience, 'no answer').catch(() => {});
}
