// Commands run inside the test process, with streams, environment and clock of the test's own.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { runProgram } from '../../src/cli/program.ts';
import type { CliPorts } from '../../src/cli/terminal/ports.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { createRandom, type Random } from '../../src/platform/random.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary documents
  readonly json: any;
}

export interface RunOptions {
  /** The contents of standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with all of standard error so far, whenever something is written there. */
  readonly onStderr?: (text: string) => void;
  /** Makes it a terminal: called with the screen since the last answer; types what it returns. */
  readonly person?: (screen: string) => string | undefined;
  /** Makes standard output a terminal with this many columns. */
  readonly columns?: number;
  /** Runs while the command waits; the command waits for this and no longer. */
  readonly onPause?: () => Promise<void>;
}

export interface CommandLine extends AsyncDisposable {
  /** The folder in which commands run; saved logins are in `config` below it. */
  readonly cwd: string;
  readonly configDir: string;
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Runs a command that has to end with this exit code. */
  exits(code: number, args: readonly string[], options?: RunOptions): Promise<Outcome>;
}

/** Whose command it is. */
export interface Caller {
  /** The folder in which it runs. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** What a command said that has to end with this exit code. */
export async function exits<
  Ended extends Pick<Outcome, 'stdout' | 'stderr'> & { readonly code: number | null },
>(code: number, ran: Promise<Ended>): Promise<Ended> {
  const ended = await ran;
  assert.equal(ended.code, code, `${ended.stdout}${ended.stderr}`);
  return ended;
}

/** Runs a command in this process. Nothing is a terminal unless a person types. */
export async function runHere(
  { cwd, env, clock = systemClock, random = createRandom(clock) }: Caller,
  args: readonly string[],
  { input = '', onStderr, person, columns, onPause }: Omit<RunOptions, 'env'> = {},
): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  let answered = 0;
  const keyboard = Object.assign(new PassThrough(), { isTTY: true });
  const isTerminal = person !== undefined;
  const ports: CliPorts = {
    clock,
    random,
    env,
    cwd,
    platform: process.platform,
    pause: async () => onPause?.(),
    stdin: isTerminal ? keyboard : Readable.from(input === '' ? [] : [input]),
    stdout: {
      ...(columns === undefined ? {} : { isTTY: true, columns }),
      write(text) {
        stdout += text;
      },
    },
    stderr: {
      isTTY: isTerminal,
      write(text) {
        stderr += text;
        onStderr?.(stderr);
        const typed = person?.(stderr.slice(answered));
        if (typed === undefined) return;
        answered = stderr.length;
        setImmediate(() => keyboard.write(`${typed}\r`));
      },
    },
  };
  const code = await runProgram(args, ports);
  return {
    code,
    stdout,
    stderr,
    get json() {
      return JSON.parse(stdout);
    },
  };
}

/** A person at a computer of their own. */
export function commandLine(clock: Clock = systemClock): CommandLine {
  const cwd = mkdtempSync(join(tmpdir(), 'overlay-auth-cli-'));
  const configDir = join(cwd, 'config');
  const random = createRandom(clock);
  const run: CommandLine['run'] = (args, { env, ...options } = {}) =>
    runHere(
      { cwd, env: { HOME: cwd, OVERLAY_AUTH_CONFIG_DIR: configDir, ...env }, clock, random },
      args,
      options,
    );
  return {
    cwd,
    configDir,
    run,
    exits: (code, ...command) => exits(code, run(...command)),
    async [Symbol.asyncDispose]() {
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}
