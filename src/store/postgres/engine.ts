// The PostgreSQL engine: each intent is one transaction on a connection of a pool.

import { performance } from 'node:perf_hooks';
import type { PoolUse } from '../../model/metrics.ts';
import { SECOND, systemClock } from '../../platform/clock.ts';
import { inRounds } from '../../platform/in-rounds.ts';
import type { RotateRefreshToken } from '../contracts/api-sessions.ts';
import type { RedeemCode } from '../contracts/auth-requests.ts';
import { StoreUnavailable } from '../contracts/store.ts';
import { changeListeners, type Engine, listTurns, postgresDialect } from '../sql/engine.ts';
import type { SqlRow } from '../sql/intent.ts';
import { type IntentCall, intentOf } from '../sql/store.ts';
import { CommitLost, type UnansweredCommits, unansweredCommits } from './commit.ts';
import {
  type Asking,
  askingOf,
  openPool,
  type PostgresClient,
  type PostgresPool,
  type PostgresQuery,
  type PostgresSettings,
  rowsOf,
} from './connection.ts';
import { changesChannel, followChanges } from './feed.ts';
import { comesAfterActivity, keysOf } from './locks.ts';
import { inTransaction, reading, repeated } from './transaction.ts';

/** More than that would use unbounded memory while the server is slow, for answers that no request still waits for. */
const maxWaiting = 10_000;

/** For a migrated database. */
export function openPostgresEngine(settings: PostgresSettings): Engine {
  // Separate, so that reads do not wait behind writes that wait for each other.
  const shares = sharesOf(settings.maxConnections);
  const writers = openPool(settings, shares.writes);
  const readers = openPool(settings, shares.reads);
  // Lists have their own too: a node that cannot read sessions and the feed because of them refuses every call.
  const lists = openPool(settings, shares.lists);
  const pools = [watchPool('writes', writers), watchPool('reads', readers), watchPool('lists', lists)];
  const turns = listTurns(shares.lists);
  const ask = askingOf(settings);
  const unanswered = unansweredCommits(readers);
  const { notify, onChange } = changeListeners();
  let closing: Promise<void> | null = null;

  const feed = followChanges({ settings, readers, notify });
  // Apart from the transaction of the change: those that notify are committed one after the other, by all nodes, and
  // each would wait for the disk and the standby of the one before. This one waits for neither: who misses it looks by
  // itself.
  const tellOthers = inRounds(() =>
    readers.query(`SET LOCAL synchronous_commit = off; NOTIFY ${changesChannel}`).then(
      () => undefined,
      () => undefined,
    ),
  );
  const writes = transactions({
    ...{ writers, ask, unanswered },
    announce: async () => void (await Promise.all([notify('own'), tellOthers()])),
  });

  async function read(query: () => PostgresQuery): Promise<readonly SqlRow[]> {
    if (closing !== null) throw new StoreUnavailable('the store is closed');
    return repeated(readers, async (client) => rowsOf(await client.query(query())));
  }

  async function close(): Promise<void> {
    await writes.drain();
    await feed.stop();
    unanswered.close();
    await Promise.all([writers.end(), readers.end(), lists.end()]);
  }

  return {
    dialect: postgresDialect,
    write: writes.write,
    read: (sql, ...params) => read(() => ask({ sql, params })),
    inTurn(budget, use) {
      if (closing !== null) throw new StoreUnavailable('the store is closed');
      return turns(budget, (left) => repeated(lists, (client) => reading(client, left, use)));
    },
    onChange,
    letWrite: (port) => port.close(),
    // Other nodes change sessions too.
    sessionVersion: () => null,
    poolUse: () => pools.map((used) => used()),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/**
 * The number of connections for each purpose; at least one, even if fewer are allowed in all. A write has its own until
 * disk and standby have the commit, a read for a moment.
 */
function sharesOf(connections: number): {
  readonly writes: number;
  readonly reads: number;
  readonly lists: number;
} {
  const lists = Math.min(4, Math.max(1, Math.floor(connections / 8)));
  const others = Math.max(2, connections - lists);
  const writes = Math.floor((others * 2) / 3);
  return { writes, reads: others - writes, lists };
}

/** Runs intents, each in its own transaction, and announces changes. */
function transactions(needs: {
  readonly writers: PostgresPool;
  readonly ask: Asking;
  readonly unanswered: UnansweredCommits;
  /** Called after each commit with entries of the feed, and waited for before it is acknowledged. */
  readonly announce: () => Promise<void>;
}): {
  readonly write: Engine['write'];
  /** Accepts no more intents. Resolves when everything under way is settled. */
  drain(): Promise<void>;
} {
  const { writers, ask, unanswered, announce } = needs;
  const underWay = new Set<Promise<unknown>>();
  /** Settles when all earlier activity is recorded. */
  let activity: Promise<unknown> = Promise.resolve();
  let isClosing = false;

  function run(call: IntentCall, requireInTime: () => void) {
    const keys = keysOf(call);
    const attempt = (client: PostgresClient) =>
      inTransaction({ client, ask, keys, intent: intentOf(call), beforeCommit: requireInTime });
    return repeated(writers, attempt, { mayRepeat: () => !isClosing, unanswered });
  }

  /** Asks the database itself whether a commit took effect whose answer was lost. Else the caller has to. */
  async function runToTheEnd(call: IntentCall, requireInTime: () => void) {
    try {
      return await run(call, requireInTime);
    } catch (error) {
      const again = error instanceof CommitLost ? onceMore(call) : null;
      if (again === null) throw error;
      return run(again, requireInTime).catch(() => {
        throw error;
      });
    }
  }

  return {
    async write(name, args, { within = Number.POSITIVE_INFINITY, caller, how } = {}) {
      const begun = systemClock.monotonic();
      const requireInTime = () => {
        if (systemClock.monotonic() - begun > within)
          throw new StoreUnavailable('it has waited for too long');
      };
      if (isClosing) throw new StoreUnavailable('the store is closing');
      if (underWay.size >= maxWaiting) throw new StoreUnavailable('too many writes are waiting');
      const call = { name, args, caller, how };
      const start = () => runToTheEnd(call, requireInTime);
      const running = comesAfterActivity(call) ? activity.then(start) : start();
      underWay.add(running);
      if (name === 'apiSessions.recordActivity') activity = Promise.allSettled([activity, running]);
      try {
        const { outcome, hasChanges } = await running;
        // A caller who ended a session must see it ended at the next call: memory is updated before this resolves.
        if (hasChanges) await announce();
        return outcome;
      } finally {
        underWay.delete(running);
      }
    },
    async drain() {
      isClosing = true;
      await Promise.allSettled(underWay);
    },
  };
}

const askedAgain: Readonly<Record<string, Partial<RotateRefreshToken & RedeemCode>>> = {
  'apiSessions.rotateRefreshToken': { retryGrace: Number.POSITIVE_INFINITY },
  'authRequests.redeemCode': { isAskedAgain: true },
  'enrollments.redeem': {},
  'enrollments.enroll': {},
};

/**
 * A call that returns what the same one before it did, if that was committed; null: there is none. A code knows the
 * session that it opened, and an enrollment is known by its authenticator or its identity. Only the holder of a presented refresh token
 * can have put this successor in its place, so there is no limit of time.
 */
function onceMore(call: IntentCall): IntentCall | null {
  const again = askedAgain[call.name];
  const [asked, ...others] = call.args;
  return again === undefined ? null : { ...call, args: [{ ...(asked as object), ...again }, ...others] };
}

/** Watches a pool from now on. @returns how it is used at the time of the call */
function watchPool(name: PoolUse['pool'], pool: PostgresPool): () => PoolUse {
  const begun = new Map<PostgresClient, number>();
  let uses = 0;
  let total = 0;
  pool.on('acquire', (client) => void begun.set(client, performance.now()));
  pool.on('release', (_error, client) => {
    const since = begun.get(client);
    if (since === undefined) return;
    begun.delete(client);
    uses += 1;
    total += performance.now() - since;
  });
  return () => ({
    pool: name,
    inUse: pool.totalCount - pool.idleCount,
    limit: pool.options.max,
    waiting: pool.waitingCount,
    uses,
    seconds: total / SECOND,
  });
}
