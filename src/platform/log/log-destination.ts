// Where lines go: they wait in memory and are handed to the system together, and it is known which of them were.

import { openSync } from 'node:fs';
import { pino } from 'pino';
import type { Millis } from '../clock.ts';

export interface LogDestination {
  write(line: string): void;
  /** Resolves when every line so far was handed to the system. @returns false when it does not take them */
  written(): Promise<boolean>;
  /** Resolves when what waits was handed over, and synced. */
  flush(): Promise<void>;
  /** Writes what waits, then closes. */
  end(): void;
}

// Lines wait in memory while a pipe is blocked or a disk is slow; beyond this they are dropped and counted,
// because requests must continue.
const longestBacklog = 4 * 1024 * 1024;

// A write to the system costs more than the line: those that come within this time are handed over together.
const gatheringTime: Millis = 20;
const gatheredBytes = 8 * 1024;

/** Nobody waits longer than this for a pipe that is not read. */
const longestWait: Millis = 2000;

/**
 * @param onLost called for each line that nobody took, and whenever the system refuses some
 * @throws Error when the file cannot be opened
 */
export function openDestination(
  to: 'stdout' | 'stderr' | { readonly file: string },
  onLost: () => void,
): LogDestination {
  const dest = to === 'stdout' ? 1 : to === 'stderr' ? 2 : openSync(to.file, 'a', 0o600);
  const stream = pino.destination({
    dest,
    sync: false,
    minLength: gatheredBytes,
    maxLength: longestBacklog,
  });
  const bytes = countBytes();
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  function handOver(): void {
    // Then it does so by itself.
    if (!hasEnded) stream.flush();
  }

  function handOverSoon(): void {
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      handOver();
    }, gatheringTime);
    timer.unref();
  }

  stream.on('drop', (line: string) => {
    bytes.drop(line);
    onLost();
  });
  stream.on('error', () => {
    bytes.refuse();
    onLost();
  });
  stream.on('write', bytes.handOver);
  // What came while an earlier write was under way has been left waiting by it.
  stream.on('drain', () => {
    if (bytes.isWaitedFor) handOver();
    else if (bytes.isLeft) handOverSoon();
  });

  return {
    write(line) {
      bytes.take(line);
      stream.write(line);
      handOverSoon();
    },
    written() {
      const all = bytes.allHandedOver();
      if (bytes.isLeft) handOver();
      return all;
    },
    flush: () => new Promise((resolve) => stream.flush(() => resolve())),
    end() {
      hasEnded = true;
      stream.end();
    },
  };
}

interface Waiting {
  /** How many bytes have to be handed over first. */
  readonly upTo: number;
  resolve(isWritten: boolean): void;
}

/** How many bytes there were since the beginning, how many of them are handed over, and who waits for that. */
function countBytes() {
  let taken = 0;
  let handedOver = 0;
  let hasDropped = false;
  let waiting: Waiting[] = [];

  function settle(isWritten: boolean, isDue: (one: Waiting) => boolean): void {
    const due = waiting.filter(isDue);
    waiting = waiting.filter((one) => !isDue(one));
    for (const { resolve } of due) resolve(isWritten);
  }

  return {
    take(line: string): void {
      taken += Buffer.byteLength(line);
    },
    /** A line that was taken is given up. */
    drop(line: string): void {
      taken -= Buffer.byteLength(line);
      hasDropped = true;
    },
    /** The system takes nothing now. */
    refuse: (): void => settle(false, () => true),
    handOver(count: number): void {
      handedOver += count;
      if (handedOver >= taken) hasDropped = false;
      settle(true, ({ upTo }) => upTo <= handedOver);
    },
    get isWaitedFor(): boolean {
      return waiting.length > 0;
    },
    get isLeft(): boolean {
      return handedOver < taken;
    },
    /** @returns false when lines were refused or given up, or nothing happens for too long */
    allHandedOver(): Promise<boolean> {
      if (hasDropped || handedOver >= taken) return Promise.resolve(!hasDropped);
      return new Promise((resolve) => {
        const one: Waiting = {
          upTo: taken,
          resolve(isWritten) {
            clearTimeout(impatience);
            resolve(isWritten);
          },
        };
        const impatience = setTimeout(() => settle(false, (other) => other === one), longestWait);
        impatience.unref();
        waiting.push(one);
      });
    },
  };
}
