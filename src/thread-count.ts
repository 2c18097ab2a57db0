// How many threads answer requests, and what that leaves for password hashes.

import { availableParallelism } from 'node:os';
import type { Config } from './config/config.ts';

export interface Machine {
  readonly cores: number;
  /** As `process.platform` has it. */
  readonly system: string;
}

const thisMachine = (): Machine => ({ cores: availableParallelism(), system: process.platform });

/** Where the system spreads the connections of one port over those that listen on it. */
const spreading: ReadonlySet<string> = new Set(['linux', 'freebsd']);

/** Beyond that the one thread that writes would be waited for. */
const mostByItself = 8;

/** @see docs/decisions/every-core.md */
export function requestThreads({ threads }: Pick<Config, 'threads'>, machine = thisMachine()): number {
  if (!spreading.has(machine.system)) return 1;
  if (threads !== 'auto') return threads;
  return Math.min(mostByItself, Math.max(1, Math.floor(machine.cores / 2)));
}

/** At least one: somebody has to be able to log in. */
export function hashThreads(config: Pick<Config, 'threads'>, machine = thisMachine()): number {
  return Math.max(1, machine.cores - requestThreads(config, machine));
}
