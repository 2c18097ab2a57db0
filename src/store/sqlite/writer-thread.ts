// The engine's side of the writer thread: asks it to run intents, starts it when there is none, and settles every intent
// even if the thread dies.

import type { MessagePort, Worker } from 'node:worker_threads';
import type { Millis } from '../../platform/clock.ts';
import { openThread } from '../../platform/open-thread.ts';
import {
  type CallFailed,
  callsOfThread,
  type ThreadCalls,
  threadCalls,
} from '../../platform/thread-calls.ts';
import { StoreUnavailable } from '../contracts/store.ts';
import type { IntentCall } from '../sql/store.ts';
import { errorOf } from './errors.ts';
import type { WriterAnswers } from './serve-writes.ts';
import type { SessionVersions } from './session-versions.ts';

/** Settings of the thread at its start. */
export interface WriterSettings {
  readonly path: string;
  readonly busyTimeout: Millis;
  /** Raised here for every thread. */
  readonly versions: SessionVersions;
}

/** The way to the writer thread: to itself, or to a port of it. */
export interface WriterLink {
  /** They fail when the thread has ended. */
  readonly calls: ThreadCalls<WriterAnswers>;
  /** Resolves when no more answers will come. */
  readonly ended: Promise<void>;
  /** Nothing more will be asked. Ends the thread; a port is only closed. */
  close(): void;
}

export type WriterThread = ReturnType<typeof writerThread>;

/** More than that would use unbounded memory while the disk is slow, for answers that no request still waits for. */
const maxWaiting = 10_000;

/** The batch that was answered last. */
interface LatestBatch {
  batch: number;
  /** Resolves when memory is as the batch left the store; null: it is. */
  isApplied: Promise<void> | null;
}

/** @param onChanges awaited before the intents of a batch that added to the change feed are settled */
export function writerThread(start: () => WriterLink, onChanges: () => Promise<void>) {
  const counts = { commits: 0, intents: 0 };
  let running: ReturnType<typeof run> | null = run();
  let unsettled = 0;
  let isDraining = false;
  let onDrained: (() => void) | undefined;

  function run() {
    const link = start();
    // Only the next intent starts another thread, so one that dies at once is not started in a loop.
    void link.ended.then(() => {
      if (running?.link === link) running = null;
    });
    const latest: LatestBatch = { batch: 0, isApplied: null };
    return { link, latest };
  }

  async function outcomeOf(call: IntentCall): Promise<unknown> {
    running ??= run();
    const { link, latest } = running;
    const answer = await link.calls.ask('write', call).catch(unanswered);
    counts.intents += 1;
    if (latest.batch !== answer.batch) {
      counts.commits += 1;
      latest.batch = answer.batch;
      latest.isApplied = answer.hasChanges ? onChanges() : null;
    }
    // A caller who ended a session must see it ended at the next call: memory is updated before this resolves.
    if (latest.isApplied !== null) await latest.isApplied;
    if (!answer.ok) throw errorOf(answer.failure);
    return answer.outcome;
  }

  return {
    /** Commits and answered intents since the engine was opened. */
    counts: counts as Readonly<typeof counts>,
    /**
     * @throws StoreUnavailable too many are waiting, the thread died, or the database failed; and every error of the
     * intent
     */
    async write(call: IntentCall): Promise<unknown> {
      if (isDraining) throw new StoreUnavailable('the store is closing');
      if (unsettled >= maxWaiting) throw new StoreUnavailable('too many writes are waiting');
      unsettled += 1;
      try {
        return await outcomeOf(call);
      } finally {
        unsettled -= 1;
        if (unsettled === 0) onDrained?.();
      }
    },
    /** Lets another thread send intents through the other end of the port. */
    join(port: MessagePort) {
      running ??= run();
      running.link.calls.tell('join', port, [port]);
    },
    /** Accepts no more intents. Resolves when everything under way is settled. The thread stays until `end`. */
    drain(): Promise<void> {
      isDraining = true;
      if (unsettled === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onDrained = resolve;
      });
    },
    /** Closes the database and ends the thread. Call after `drain`. */
    async end(): Promise<void> {
      const link = running?.link;
      link?.close();
      await link?.ended;
    },
  };
}

/** An argument that cannot cross threads is a defect of its caller, and fails that call only. */
function unanswered(error: CallFailed): never {
  if (error.thrown !== 'ThreadEnded') throw error;
  throw new StoreUnavailable(error.message, { cause: error });
}

/** For a thread that was just started. */
export function linkToThread(worker: Worker): WriterLink {
  const thread = callsOfThread<WriterAnswers>(worker, 'the writer thread');
  return { ...thread, close: () => thread.calls.tell('close', null) };
}

/**
 * For a thread that another thread started, through a port.
 * @param onVersions called with the versions that the thread raises, before the first answer
 */
export function linkThrough(port: MessagePort, onVersions: (versions: SessionVersions) => void): WriterLink {
  const calls = threadCalls<WriterAnswers>(port, {});
  calls.ask('versions', null).then(onVersions, () => undefined);
  const ended = new Promise<void>((resolve) => {
    port.on('close', () => {
      calls.end('the writer thread has ended');
      resolve();
    });
  });
  return { calls, ended, close: () => port.close() };
}

/** Starts the thread that writes. */
export function startWriter(settings: WriterSettings): Worker {
  return openThread('writer', import.meta.url, { name: 'sqlite-writer', workerData: settings });
}
