// Hashes passwords on a few threads behind a bounded queue. A hash costs as much as hundreds of token checks, so it
// must not run on the event loop, nor on the thread pool that files, name look-ups and signatures share. A source that
// sends more logins than the threads can process is told to come back, and leaves other sources their shares of the
// queue. A client that gives up leaves it.
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { Clock, Millis } from '../clock.ts';
import { sharedLimit } from '../network/sources.ts';
import { openThread } from '../open-thread.ts';
import { whileWanted } from '../thread-calls.ts';
import { defaultHashCost, type HashCost } from './hash-cost.ts';
import type { HashReply, HashRequest } from './hash-worker.ts';
import { hashCost, type Password, unmatchableHash } from './password-hash.ts';

/** For whom a hash is computed: what its share of the queue is counted under, as for `sharedLimit`. */
export type HashAsker = string | HashClient;

interface HashClient {
  readonly source: string;
  /** The client gives up. A hash that still waits is then not computed; one that has begun is finished. */
  readonly gone: AbortSignal | undefined;
}

export function askerOf(asker: HashAsker): HashClient {
  return typeof asker === 'string' ? { source: asker, gone: undefined } : asker;
}

export type HashPool = ReturnType<typeof createHashPool>;

/** For metrics. `refused` counts since the start. */
export interface HashPoolDepth {
  readonly threads: number;
  readonly running: number;
  readonly waiting: number;
  readonly longestQueue: number;
  readonly refused: number;
}

/** The queue is full, at least for this source; nothing was hashed. */
export class HashPoolFull extends Error {
  override readonly name = 'HashPoolFull';
  /** When the waiting work will be done, at least 1. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('the queue of password hashes is full');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The pool was closed, or the thread died while hashing. The next hash gets a new thread. */
export class HashPoolStopped extends Error {
  override readonly name = 'HashPoolStopped';
}

/** The client gave up before its turn; nothing was hashed. */
export class HashUnwanted extends Error {
  override readonly name = 'HashUnwanted';
  constructor() {
    super('the client gave up while the hash of its password waited');
  }
}

export interface HashPoolOptions {
  /** Default: as many as cores. Each holds `cost.memoryKiB` while it works. */
  readonly threads?: number;
  readonly longestQueue?: number;
  readonly cost?: HashCost;
  /** For tests of a dying thread. */
  readonly startThread?: () => Worker;
}

/**
 * Jobs that would be done later are refused. If hashes take longer than usual because other programs use the processors,
 * the clients at the end of a queue of the usual length would give up before it, or while theirs is computed.
 */
const longestWait: Millis = 8000;

interface Job {
  readonly request: HashRequest;
  readonly resolve: (result: string | boolean) => void;
  readonly reject: (error: Error) => void;
}

/** Threads start with the first hash, and do not keep an idle process alive. */
export function createHashPool(needs: { clock: Clock }, options: HashPoolOptions = {}) {
  const cost = options.cost ?? defaultHashCost;
  const threads = Math.max(1, options.threads ?? availableParallelism());
  const longestQueue = options.longestQueue ?? 64;
  const dummy = unmatchableHash(cost);
  const waiting: Job[] = [];
  const places = sharedLimit({
    most: threads + longestQueue,
    free: threads + Math.floor(longestQueue / 2),
    share: Math.max(1, Math.floor(longestQueue / 32)),
  });
  let usualDuration: Millis = 25;
  let refused = 0;
  let closed = false;
  const slots = Array.from({ length: threads }, () =>
    hashSlot({
      clock: needs.clock,
      startThread: options.startThread ?? startHashThread,
      nextJob: () => (closed ? undefined : waiting.shift()),
      onDuration(took) {
        usualDuration += (took - usualDuration) / 8;
      },
    }),
  );

  /** @returns for a hash its text, for a check whether it matches */
  function enqueue(request: HashRequest, asker: HashAsker): Promise<string | boolean> {
    const { source, gone } = askerOf(asker);
    if (closed) return Promise.reject(new HashPoolStopped('the pool of password hashes is closed'));
    if (gone?.aborted === true) return Promise.reject(new HashUnwanted());
    const idle = slots.find(({ isBusy }) => !isBusy());
    // The jobs under way, those before it, and itself.
    const untilDone = (1 + waiting.length / threads + 1) * usualDuration;
    const leave = idle === undefined && untilDone > longestWait ? null : places.take(source);
    if (leave === null) {
      refused += 1;
      return Promise.reject(new HashPoolFull(Math.max(1, Math.ceil(untilDone / 1000))));
    }
    const { promise, ...settle } = Promise.withResolvers<string | boolean>();
    const job = { request, ...settle };
    if (idle === undefined) waiting.push(job);
    else idle.run(job);
    return whileWanted(gone, promise, () => withdraw(waiting, job)).finally(leave);
  }

  return {
    /** The cost of new hashes; see needsRehash. */
    cost,
    /** A PHC string for a new password. @throws HashPoolFull, HashPoolStopped, HashUnwanted */
    hash: async (password: Password, asker: HashAsker): Promise<string> =>
      String(await enqueue({ password, cost }, asker)),
    /**
     * @param phc null for a user who does not exist or has no password: the same work, and never true
     * @throws as hash, or Error when the stored hash is malformed
     */
    async verify(phc: string | null, password: Password, asker: HashAsker): Promise<boolean> {
      if (phc !== null) hashCost(phc);
      const matches = await enqueue({ password, phc: phc ?? dummy }, asker);
      return phc !== null && matches === true;
    },
    depth: (): HashPoolDepth => ({
      threads,
      running: slots.filter(({ isBusy }) => isBusy()).length,
      waiting: waiting.length,
      longestQueue,
      refused,
    }),
    /** Ends the threads. Waiting and running jobs are rejected with HashPoolStopped. */
    async close(): Promise<void> {
      closed = true;
      for (const job of waiting.splice(0))
        job.reject(new HashPoolStopped('the pool of password hashes was closed'));
      await Promise.all(slots.map((slot) => slot.terminate()));
    },
  };
}

/** Takes back a job that has not begun. */
function withdraw(waiting: Job[], job: Job): void {
  if (!waiting.includes(job)) return;
  waiting.splice(waiting.indexOf(job), 1);
  job.reject(new HashUnwanted());
}

/** One thread and its current job. A thread that dies takes its job with it; the next job starts another thread. */
function hashSlot(needs: {
  readonly clock: Clock;
  readonly startThread: () => Worker;
  readonly nextJob: () => Job | undefined;
  readonly onDuration: (took: Millis) => void;
}) {
  let thread: Worker | undefined;
  let current: Job | undefined;

  function run(job: Job): void {
    const startedAt = needs.clock.monotonic();
    // The first hash of a thread waits for its start.
    const isUsual = thread !== undefined;
    current = {
      ...job,
      resolve(result) {
        if (isUsual) needs.onDuration(needs.clock.monotonic() - startedAt);
        job.resolve(result);
      },
    };
    thread ??= start();
    thread.ref();
    thread.postMessage(job.request);
  }

  /** @returns the finished job; the slot continues with the next */
  function goOn(): Job | undefined {
    const done = current;
    current = undefined;
    const next = needs.nextJob();
    if (next !== undefined) run(next);
    return done;
  }

  function start(): Worker {
    const started = needs.startThread();
    let cause: unknown;
    started.on('message', (reply: HashReply) => {
      started.unref();
      const done = goOn();
      if ('failed' in reply) done?.reject(new Error(reply.failed));
      else done?.resolve(reply.result);
    });
    started.on('error', (error) => {
      cause = error;
    });
    started.on('exit', () => {
      if (thread !== started) return;
      thread = undefined;
      goOn()?.reject(new HashPoolStopped('the thread that hashed this password has died', { cause }));
    });
    return started;
  }

  return { isBusy: () => current !== undefined, run, terminate: async () => thread?.terminate() };
}

function startHashThread(): Worker {
  return openThread('hash-worker', import.meta.url, { name: 'password-hash' });
}
