// How many request threads there are, and how many that leaves for password hashes.

import { availableParallelism } from 'node:os';
import type { Config } from '../config/config.ts';

export interface Machine {
  readonly cores: number;
  /** As in `process.platform`. */
  readonly system: string;
}

const thisMachine = (): Machine => ({ cores: availableParallelism(), system: process.platform });

/** Systems that distribute the connections of one port over several listeners. */
const spreading: ReadonlySet<string> = new Set(['linux', 'freebsd']);

/** With more threads, all would wait for the single one that writes. */
const mostByItself = 8;

/** @see docs/decisions/every-core.md */
export function requestThreads({ threads }: Pick<Config, 'threads'>, machine = thisMachine()): number {
  if (!spreading.has(machine.system)) return 1;
  if (threads !== 'auto') return threads;
  return Math.min(mostByItself, Math.max(1, Math.floor(machine.cores / 2)));
}

/**
 * As many as cores where they have a lower priority than requests (`hash-worker.ts`), else as many as requests leave.
 * At least one, or passwords could not be checked.
 */
export function hashThreads(config: Pick<Config, 'threads'>, machine = thisMachine()): number {
  if (machine.system === 'linux') return machine.cores;
  return Math.max(1, machine.cores - requestThreads(config, machine));
}
