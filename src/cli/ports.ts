import { setTimeout } from 'node:timers/promises';
import { type Clock, type Millis, systemClock } from '../platform/clock.ts';
import { type Random, systemRandom } from '../platform/random.ts';
import { forLocale } from './terminal/plain-terminal.ts';

/** A stream that commands read secrets and answers from. */
export type CliInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** A stream that commands write to. */
export interface CliOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything that a command touches outside itself, so that tests can hand in their own. */
export interface CliPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** Resolves after so long. */
  readonly pause: (time: Millis) => Promise<void>;
  /** Results only. */
  readonly stdout: CliOutput;
  /** Everything for the person: prompts, progress, errors. */
  readonly stderr: CliOutput;
  readonly stdin: CliInput;
}

/** The ports of this process. */
export function systemPorts(): CliPorts {
  return {
    clock: systemClock,
    random: systemRandom,
    env: process.env,
    cwd: process.cwd(),
    platform: process.platform,
    pause: (time) => setTimeout(time),
    // Getters, because creating the stream of an unused stdin costs time.
    get stdout() {
      return forLocale(process.stdout, process.env);
    },
    get stderr() {
      return process.stderr;
    },
    get stdin() {
      return process.stdin;
    },
  };
}
