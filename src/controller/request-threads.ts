// The first thread's side of the other request threads: starts them, sends them their data, and replaces
// those that die.

import type { Worker } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { type CountedTogether, clearRow, countingTable } from '../http/server/shared-source-counts.ts';
import { type Millis, SECOND } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import { openThread } from '../platform/open-thread.ts';
import type { Random } from '../platform/random.ts';
import { CallFailed } from '../platform/thread-calls.ts';
import { withinTime } from '../platform/within-time.ts';
import {
  type Intermediates,
  learnIntermediates,
  onIntermediates,
} from '../platform/x509/known-intermediates.ts';
import { type AnswersOfFirst, beatInterval, type ThreadData } from './request-thread.ts';
import { countsOfDead, sumOfThreads, type ThreadCounts } from './thread-counts.ts';
import { type ThreadMember, threadMember } from './thread-member.ts';

/** Starts the thread; tests pass their own. */
export type StartThread = (data: ThreadData) => Worker;

/** The services of the first thread for the other threads. */
export interface ThreadSupport {
  /** Data for a starting thread. */
  data(): Omit<ThreadData, 'number' | 'threads' | 'counted' | 'isCluster'>;
  readonly answers: Omit<AnswersOfFirst, 'join' | 'ready' | 'beat' | 'changed' | 'intermediates'>;
  /** The first thread itself applies committed changes. */
  catchUp(): Promise<void>;
  /** Whether more than one node is online. */
  isCluster(): boolean;
}

export type RunningThreads = ReturnType<typeof otherThreads>;

/** After this many missed heartbeats a thread counts as dead: it answers no request and blocks every caller of it. */
const mostMissedBeats = 15;
/** The pause before a dead thread is replaced; longer after each failed start. */
const firstPause: Millis = 100;
const longestPause: Millis = 10 * SECOND;
/** Longer than listeners wait for requests under way. */
const longestStop: Millis = 20 * SECOND;

/** @param needs.count threads beside the first one, at least one */
export function otherThreads(needs: {
  count: number;
  log: Logger;
  random: Random;
  startThread?: StartThread | undefined;
}) {
  const threads = { answering: 1 + needs.count, replaced: 0 };
  const counted = { table: countingTable(threads.answering), key: needs.random.bytes(32) };
  const members = new Map<number, ThreadMember>();
  const stopSpreading = onIntermediates((news) => spreadIntermediates(members, news));
  let departed: ThreadCounts[] = [];
  const life = keepingAlive({
    ...needs,
    members,
    counted,
    onDeparture: (counts) => {
      departed = [sumOfThreads([...departed, countsOfDead(counts)])];
    },
    onReplacement: () => {
      threads.replaced += 1;
    },
  });
  const ready = () => [...members.values()].filter(({ isReady }) => isReady);

  return {
    threads,
    /** Listens wherever all of them listen, for the first thread. */
    shared: {
      threads: threads.answering,
      counted: { ...counted, row: 0 },
      ticketKeys: null,
      onTicketKeys(listener: string, keys: Uint8Array) {
        for (const member of ready()) tellTicketKeys(member, { [listener]: keys });
      },
    },
    /** Resolves when all accept connections. @throws Error one could not start; all have been ended then */
    start: life.start,
    /** Resolves when all have applied the committed changes. */
    catchUp: () => catchUp(members),
    settle: async () =>
      void (await Promise.allSettled(ready().map(({ calls }) => calls.ask('settle', null)))),
    gather: async () => void (await Promise.allSettled(ready().map((member) => member.gather()))),
    counts: () => [
      ...departed,
      ...[...members.values()].flatMap(({ counts }) => (counts === null ? [] : [counts])),
    ],
    beFresh: async () => void (await Promise.all(ready().map(({ calls }) => calls.ask('beFresh', null)))),
    /**
     * Prepares another configuration in each thread.
     * @returns puts it in use; resolves when no thread answers by the previous one
     * @throws Error one cannot use it
     */
    prepareConfig: (config: Config) => prepareConfig(members, config),
    /** Each finishes the requests under way; resolves when all have ended. */
    async stop() {
      stopSpreading();
      await life.stop();
    },
  };
}

function tellTicketKeys({ calls }: ThreadMember, ticketKeys: ThreadData['ticketKeys']): void {
  for (const [listener, keys] of Object.entries(ticketKeys)) calls.tell('useTicketKeys', { listener, keys });
}

/** They may have changed while it was starting. */
async function tellTicketKeysOnceReady(member: ThreadMember, support: ThreadSupport): Promise<void> {
  const isReady = await member.ready.then(
    () => true,
    () => false,
  );
  if (isReady) tellTicketKeys(member, support.data().ticketKeys);
}

/** @param from the thread that has read them; this one, if absent */
function spreadIntermediates(
  members: ReadonlyMap<number, ThreadMember>,
  news: Intermediates,
  from?: ThreadMember,
): void {
  if (from !== undefined) learnIntermediates(news);
  for (const member of members.values())
    if (member.hasJoined && member !== from) member.calls.tell('learnIntermediates', news);
}

/** @param except the thread that knows already */
async function catchUp(members: ReadonlyMap<number, ThreadMember>, except?: ThreadMember): Promise<void> {
  const asked = [...members.values()].filter((member) => member.hasJoined && member !== except);
  // A thread that fails refuses every call until it succeeds; a dead one remembers nothing.
  await Promise.allSettled(asked.map(({ calls }) => calls.ask('catchUp', null)));
}

async function prepareConfig(
  members: ReadonlyMap<number, ThreadMember>,
  config: Config,
): Promise<() => Promise<void>> {
  const prepared = new Set<ThreadMember>();
  await Promise.all(
    [...members.values()].map(async (member) => {
      try {
        await member.ready;
        await member.calls.ask('prepareConfig', config);
        prepared.add(member);
      } catch (error) {
        // Another thread replaces it.
        if (member.isReady && !(error instanceof CallFailed && error.thrown === 'ThreadEnded')) throw error;
      }
    }),
  );
  return async () => {
    await Promise.all([...members.values()].map((one) => useConfig(one, prepared.has(one) ? null : config)));
  };
}

/** @param missed preparations that a thread has not made, because it was starting with the previous configuration */
async function useConfig(member: ThreadMember, missed: Config | null): Promise<void> {
  try {
    await member.ready;
    if (missed !== null) await member.calls.ask('prepareConfig', missed);
    await member.calls.ask('useConfig', null);
  } catch {
    // It must not answer by the previous configuration.
    member.terminate();
  }
}

const whatDied =
  'a thread that answered requests has died with its connections; a new thread takes its place';
const whatFailed = 'a thread that is to answer requests does not start';

/** Starts threads, and replaces those that die or hang, until told to stop. */
function keepingAlive(needs: {
  count: number;
  log: Logger;
  startThread?: StartThread | undefined;
  members: Map<number, ThreadMember>;
  counted: Pick<CountedTogether, 'table' | 'key'>;
  onDeparture: (counts: ThreadCounts) => void;
  onReplacement: () => void;
}) {
  const { count, log, members, counted, startThread = startRequestThread } = needs;
  const isCluster = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let beats: NodeJS.Timeout | undefined;
  let isStopping = false;

  function open(thread: number, support: ThreadSupport): ThreadMember {
    const data = { ...support.data(), number: thread, threads: count + 1, counted, isCluster };
    const member = threadMember(startThread(data), {
      ...support.answers,
      changed: async () => void (await Promise.allSettled([support.catchUp(), catchUp(members, member)])),
      intermediates: (news) => spreadIntermediates(members, news, member),
    });
    members.set(thread, member);
    void tellTicketKeysOnceReady(member, support);
    void member.ended.then((error) => {
      members.delete(thread);
      clearRow(counted.table, thread);
      if (member.counts !== null) needs.onDeparture(member.counts);
      if (!member.isReady || isStopping) return;
      needs.onReplacement();
      log.error(whatDied, { event: 'thread.died', thread, error });
      replace(thread, support);
    });
    return member;
  }

  function replace(thread: number, support: ThreadSupport, pause = firstPause): void {
    setTimeout(() => {
      if (isStopping) return;
      const member = open(thread, support);
      member.ready.then(
        () => {
          log.info('the thread answers requests again', { event: 'thread.replaced', thread });
          void releaseMemory(member);
        },
        (error) => {
          if (isStopping) return;
          log.error(whatFailed, { event: 'thread.failed', thread, error });
          replace(thread, support, Math.min(longestPause, pause * 2));
        },
      );
    }, pause).unref();
  }

  async function stop(): Promise<void> {
    isStopping = true;
    clearInterval(beats);
    await endAll([...members.values()]);
  }

  return {
    async start(support: ThreadSupport): Promise<void> {
      const beat = () => {
        Atomics.store(isCluster, 0, support.isCluster() ? 1 : 0);
        endThoseThatStandStill(members, log);
      };
      beat();
      beats = setInterval(beat, beatInterval).unref();
      try {
        const numbers = Array.from({ length: count }, (_, at) => at + 1);
        await Promise.all(numbers.map((thread) => open(thread, support).ready));
        for (const member of members.values()) await releaseMemory(member);
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}

/** Stops threads; each is terminated when it has finished or does not answer in time. */
async function endAll(members: readonly ThreadMember[]): Promise<void> {
  const stopping = members.map(({ calls }) => calls.ask('stop', null));
  const slowest = 'a thread that answers requests does not stop';
  await withinTime(Promise.allSettled(stopping), longestStop, slowest).catch(() => undefined);
  for (const member of members) member.terminate();
  await Promise.all(members.map(({ ended }) => ended));
}

/** Collects the garbage left by loading its modules. A thread that dies meanwhile needs none of this. */
async function releaseMemory({ calls }: ThreadMember): Promise<void> {
  await calls.ask('releaseMemory', null).catch(() => undefined);
}

function endThoseThatStandStill(members: ReadonlyMap<number, ThreadMember>, log: Logger): void {
  for (const [thread, member] of members) {
    if (!member.isReady || member.missBeat() <= mostMissedBeats) continue;
    const event = 'thread.stuck';
    log.error('a thread that answers requests stands still, and is ended', { event, thread });
    member.terminate();
  }
}

function startRequestThread(data: ThreadData): Worker {
  return openThread('request-thread-entry', import.meta.url, {
    name: `requests-${data.number}`,
    workerData: data,
    // It opens the database, and the files beside the key file, as the first thread does.
    hasEnvironment: true,
  });
}
