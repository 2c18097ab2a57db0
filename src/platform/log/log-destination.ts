// Where lines go: they wait in memory and are handed to the system together. Callers can find out when theirs were.

import { openSync } from 'node:fs';
import { pino } from 'pino';
import type { Millis } from '../clock.ts';

export interface LogDestination {
  write(line: string): void;
  /** Resolves when every line so far was handed to the system. @returns false when the system does not take them */
  written(): Promise<boolean>;
  /** Resolves when waiting lines were handed over and synced. */
  flush(): Promise<void>;
  /** Writes waiting lines, then closes. */
  end(): void;
}

// Lines wait in memory while a pipe is blocked or a disk is slow. Beyond this they are dropped and counted, because
// requests must continue.
const longestBacklog = 4 * 1024 * 1024;

// A write costs more than the line, so lines that arrive within this time are handed over together.
const gatheringTime: Millis = 20;
const gatheredBytes = 8 * 1024;

/** Nobody waits longer than this for a pipe that is not read. */
const longestWait: Millis = 2000;

/**
 * @param onLost called for each dropped line, and whenever the system refuses some
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
    // In this case it writes by itself.
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
  // An earlier write left waiting what arrived while it was under way.
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

/** How many bytes there were since the start, how many of them are handed over, and who waits for that. */
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
    /** An accepted line is given up. */
    drop(line: string): void {
      taken -= Buffer.byteLength(line);
      hasDropped = true;
    },
    /** The system accepts nothing now. */
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
