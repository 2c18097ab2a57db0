// One request thread, as the first thread sees it.

import type { Worker } from 'node:worker_threads';
import { threadCalls } from '../platform/thread-calls.ts';
import { knownIntermediates } from '../platform/x509/known-intermediates.ts';
import type { AnswersOfFirst, AnswersOfThread } from './request-thread.ts';
import type { ThreadCounts } from './thread-counts.ts';

export type ThreadMember = ReturnType<typeof threadMember>;

/** @param answers the answers to its calls, except for those about its own life */
export function threadMember(worker: Worker, answers: Omit<AnswersOfFirst, 'join' | 'ready' | 'beat'>) {
  let hasJoined = false;
  let isReady = false;
  let counts: ThreadCounts | null = null;
  let missedBeats = 0;
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const calls = threadCalls<AnswersOfThread>(worker, {
    ...answers,
    join() {
      hasJoined = true;
      for (const known of knownIntermediates()) calls.tell('learnIntermediates', known);
    },
    ready() {
      isReady = true;
      ready.resolve();
    },
    beat(news: ThreadCounts) {
      counts = news;
      missedBeats = 0;
    },
  });
  let cause: unknown = new Error('it has ended without a cause');
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', () => {
    hasJoined = false;
    calls.end('the thread has ended');
    ready.reject(cause);
    ended.resolve(cause);
  });
  return {
    calls,
    /** Resolves when it accepts connections. @throws Error it has ended before */
    ready: ready.promise,
    /** Resolves with the cause when it has ended. */
    ended: ended.promise,
    get isReady() {
      return isReady;
    },
    /** Whether it must be told of changes. */
    get hasJoined() {
      return hasJoined;
    },
    /** Its last report. */
    get counts() {
      return counts;
    },
    /** Asks for its counts. */
    async gather() {
      counts = await calls.ask('counts', null);
    },
    /** @returns how many times this was called since it last gave a sign of life */
    missBeat() {
      missedBeats += 1;
      return missedBeats;
    },
    terminate: () => void worker.terminate(),
  };
}
