// The engine's side of the writer thread: sends intents, starts the thread when there is none, and settles every intent
// even if the thread dies.

import type { MessagePort, Worker } from 'node:worker_threads';
import type { Millis } from '../../platform/clock.ts';
import { openThread } from '../../platform/open-thread.ts';
import { StoreUnavailable } from '../contracts/store.ts';
import type { IntentCall } from '../sql/store.ts';
import { errorOf } from './errors.ts';
import type { WriterAnswer, WriterMessage } from './serve-writes.ts';
import type { SessionVersions } from './session-versions.ts';
import type { BatchAnswer, WriteRequest } from './write-batch.ts';

/** Settings of the thread at its start. */
export interface WriterSettings {
  readonly path: string;
  readonly busyTimeout: Millis;
  /** Raised here for every thread. */
  readonly versions: SessionVersions;
}

/** A channel for intents: to the writer thread itself, or to a port of it. */
export interface WriterLink {
  /** @throws DataCloneError an argument cannot cross threads; nothing was sent */
  send(requests: readonly WriteRequest[]): void;
  /** Lets the holder of the other end of a port send intents too. */
  join(port: MessagePort): void;
  onAnswer(listener: (answer: BatchAnswer) => void): void;
  /** @param listener called once, when no more answers will come */
  onEnd(listener: (cause: unknown) => void): void;
  /** Nothing more will be sent. Closing the thread's own channel ends it; closing a port does not. */
  close(): void;
}

export interface WriterThread {
  /**
   * @throws StoreUnavailable too many are waiting, the thread died, or the database failed; and every error of the
   * intent
   */
  write(call: IntentCall): Promise<unknown>;
  /** Lets another thread send intents through the other end of the port. */
  join(port: MessagePort): void;
  /** Commits and answered intents since the engine was opened. */
  readonly counts: { readonly commits: number; readonly intents: number };
  /** Accepts no more intents. Resolves when everything under way is settled. The thread stays until `end`. */
  drain(): Promise<void>;
  /** Closes the database and ends the thread. Call after `drain`. */
  end(): Promise<void>;
}

interface Waiting {
  resolve(outcome: unknown): void;
  reject(error: Error): void;
}

interface Gathered extends Waiting {
  readonly request: WriteRequest;
}

interface RunningThread {
  post(batch: readonly Gathered[]): void;
  join(port: MessagePort): void;
  /** Tells the thread to close the database; resolves when it has ended. */
  end(): Promise<void>;
}

/** More than that would use unbounded memory while the disk is slow, for answers that no request still waits for. */
const maxWaiting = 10_000;

/** @param onChanges awaited before the intents of a batch that added to the change feed are settled */
export function writerThread(start: () => WriterLink, onChanges: () => Promise<void>): WriterThread {
  const counts = { commits: 0, intents: 0 };
  let gathered: Gathered[] = [];
  let running: RunningThread | null = startThread();
  let lastId = 0;
  let unsettled = 0;
  let isDraining = false;
  let onDrained: (() => void) | undefined;

  function startThread(): RunningThread {
    const thread = runThread(start(), {
      async onBatch({ results, hasChanges }) {
        counts.commits += 1;
        counts.intents += results.length;
        // A caller who ended a session must see it ended at the next call: memory is updated before this resolves.
        if (hasChanges) await onChanges();
      },
      onEnd() {
        // Only the next intent starts another thread, so one that dies at once is not started in a loop.
        if (running === thread) running = null;
      },
    });
    return thread;
  }

  function post(): void {
    const batch = gathered;
    gathered = [];
    running ??= startThread();
    running.post(batch);
  }

  function noteSettled(): void {
    unsettled -= 1;
    if (unsettled === 0) onDrained?.();
  }

  return {
    counts,
    write(call) {
      if (isDraining) return Promise.reject(new StoreUnavailable('the store is closing'));
      if (unsettled >= maxWaiting) return Promise.reject(new StoreUnavailable('too many writes are waiting'));
      unsettled += 1;
      return new Promise((resolve, reject) => {
        lastId += 1;
        gathered.push({
          request: { ...call, id: lastId },
          resolve(outcome) {
            noteSettled();
            resolve(outcome);
          },
          reject(error) {
            noteSettled();
            reject(error);
          },
        });
        // Intents of one turn of the event loop are sent together: each message and each commit costs as much as several
        // intents. A microtask would send those of each request by themselves.
        if (gathered.length === 1) setImmediate(post);
      });
    },
    join(port) {
      running ??= startThread();
      running.join(port);
    },
    drain() {
      isDraining = true;
      if (unsettled === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onDrained = resolve;
      });
    },
    end: async () => running?.end(),
  };
}

/**
 * Sends intents to a thread and settles each: with its answer, or because the thread ended.
 * @param on.onBatch awaited before the intents of the batch are settled
 */
function runThread(
  link: WriterLink,
  on: { readonly onBatch: (answer: BatchAnswer) => Promise<void>; readonly onEnd: () => void },
): RunningThread {
  /** By request id: what this thread received and has not answered. */
  const waiting = new Map<number, Waiting>();
  link.onAnswer((answer) => void settle(answer));
  const ended = new Promise<void>((resolve) => {
    link.onEnd((cause) => {
      on.onEnd();
      const error = new StoreUnavailable('the writer thread has ended', { cause });
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
      resolve();
    });
  });

  async function settle(answer: BatchAnswer): Promise<void> {
    // Removed at once: an answer that has arrived stays valid even if the thread ends meanwhile.
    const settled = answer.results.map((result) => ({ result, waiter: take(result.id) }));
    await on.onBatch(answer);
    for (const { result, waiter } of settled) {
      if (result.ok) waiter?.resolve(result.outcome);
      else waiter?.reject(errorOf(result.failure));
    }
  }

  function take(id: number): Waiting | undefined {
    const waiter = waiting.get(id);
    waiting.delete(id);
    return waiter;
  }

  function sendAlone(request: WriteRequest): void {
    try {
      link.send([request]);
    } catch (error) {
      take(request.id)?.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  return {
    post(batch) {
      for (const { request, resolve, reject } of batch) waiting.set(request.id, { resolve, reject });
      const requests = batch.map(({ request }) => request);
      try {
        link.send(requests);
      } catch {
        // An argument that cannot cross threads is a defect of its caller, and fails that call only.
        for (const request of requests) sendAlone(request);
      }
    },
    join: link.join,
    end() {
      link.close();
      return ended;
    },
  };
}

/** For a thread that was just started. */
export function linkToThread(worker: Worker): WriterLink {
  let cause: unknown;
  worker.on('error', (error) => {
    cause = error;
  });
  return {
    send: (requests) => worker.postMessage(requests satisfies WriterMessage),
    join: (port) => worker.postMessage({ joining: port } satisfies WriterMessage, [port]),
    onAnswer: (listener) => void worker.on('message', listener),
    onEnd: (listener) => void worker.on('exit', () => listener(cause)),
    close: () => worker.postMessage('close' satisfies WriterMessage),
  };
}

/**
 * For a thread that another thread started, through a port.
 * @param onVersions called with the versions that the thread raises, before the first answer
 */
export function linkThrough(port: MessagePort, onVersions: (versions: SessionVersions) => void): WriterLink {
  return {
    send: (requests) => port.postMessage(requests satisfies WriterMessage),
    join: (other) => port.postMessage({ joining: other } satisfies WriterMessage, [other]),
    onAnswer(listener) {
      port.on('message', (message: WriterAnswer) => {
        if ('versions' in message) onVersions(message.versions);
        else listener(message);
      });
    },
    onEnd: (listener) => void port.on('close', () => listener(undefined)),
    close: () => port.close(),
  };
}

/** Starts the thread that writes. */
export function startWriter(settings: WriterSettings): Worker {
  return openThread('writer', import.meta.url, { name: 'sqlite-writer', workerData: settings });
}
