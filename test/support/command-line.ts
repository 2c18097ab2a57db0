// Commands run inside the test process, with streams, environment and clock of the test's own.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { CliPorts } from '../../src/cli/ports.ts';
import { runProgram } from '../../src/cli/program.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { createRandom } from '../../src/platform/random.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary documents
  readonly json: any;
}

export interface RunOptions {
  /** What stands on standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Sees what is written to standard error so far, each time something is. */
  readonly onStderr?: (text: string) => void;
}

export interface CommandLine extends AsyncDisposable {
  /** The folder in which commands run; saved logins are in `config` below it. */
  readonly cwd: string;
  readonly configDir: string;
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>;
}

/** A person at a computer of their own. Nothing is a terminal. */
export function commandLine(clock: Clock = systemClock): CommandLine {
  const cwd = mkdtempSync(join(tmpdir(), 'overlay-auth-cli-'));
  const configDir = join(cwd, 'config');
  const random = createRandom(clock);
  return {
    cwd,
    configDir,
    async run(args, { input = '', env = {}, onStderr } = {}) {
      let stdout = '';
      let stderr = '';
      const ports: CliPorts = {
        clock,
        random,
        env: { HOME: cwd, OVERLAY_AUTH_CONFIG_DIR: configDir, ...env },
        cwd,
        platform: process.platform,
        stdin: Readable.from(input === '' ? [] : [input]),
        stdout: {
          write(text) {
            stdout += text;
          },
        },
        stderr: {
          write(text) {
            stderr += text;
            onStderr?.(stderr);
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
    },
    async [Symbol.asyncDispose]() {
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}
