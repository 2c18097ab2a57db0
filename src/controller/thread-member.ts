// One request thread, as the first thread sees it.

import type { Worker } from 'node:worker_threads';
import { type ThreadCalls, threadCalls } from '../platform/thread-calls.ts';
import type { AnswersOfFirst, AnswersOfThread } from './request-thread.ts';
import type { ThreadCounts } from './thread-counts.ts';

export interface ThreadMember {
  readonly calls: ThreadCalls<AnswersOfThread>;
  /** Resolves when it accepts connections. @throws Error it has ended before */
  readonly ready: Promise<void>;
  /** Resolves with the cause when it has ended. */
  readonly ended: Promise<unknown>;
  readonly isReady: boolean;
  /** Whether it must be asked to catch up with changes. */
  readonly hasJoined: boolean;
  /** Its last report. */
  readonly counts: ThreadCounts | null;
  /** Asks for its counts. */
  gather(): Promise<void>;
  /** @returns how many times this was called since it last gave a sign of life */
  missBeat(): number;
  terminate(): void;
}

/** @param answers the answers to its calls, except for those about its own life */
export function threadMember(
  worker: Worker,
  answers: Omit<AnswersOfFirst, 'join' | 'ready' | 'beat'>,
): ThreadMember {
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
    ready: ready.promise,
    ended: ended.promise,
    get isReady() {
      return isReady;
    },
    get hasJoined() {
      return hasJoined;
    },
    get counts() {
      return counts;
    },
    async gather() {
      counts = await calls.ask('counts', null);
    },
    missBeat() {
      missedBeats += 1;
      return missedBeats;
    },
    terminate: () => void worker.terminate(),
  };
}
