import { setTimeout } from 'node:timers/promises';
import { type Clock, type Millis, systemClock } from '../../platform/clock.ts';
import { fileErrorReason } from '../../platform/file-error-reason.ts';
import { type Random, systemRandom } from '../../platform/random.ts';

/** A stream that commands read secrets and answers from. */
type CliInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** A stream that commands write to. */
interface CliOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything that a command touches outside itself, so that tests can pass their own. */
export interface CliPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** Resolves after that time. */
  readonly pause: (time: Millis) => Promise<void>;
  /** Results only. */
  readonly stdout: CliOutput;
  /** Everything for the person: prompts, progress, errors. */
  readonly stderr: CliOutput;
  readonly stdin: CliInput;
}

/** The folder of the controller on this host: that of OVERLAY_AUTH_HOME, or the one that quickstart makes here. */
export function homeFolder({ env }: Pick<CliPorts, 'env'>): string {
  return env.OVERLAY_AUTH_HOME || '.overlay';
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
      endOnFailedWrite(process.stdout);
      return forLocale(process.stdout, process.env);
    },
    get stderr() {
      endOnFailedWrite(process.stderr);
      return process.stderr;
    },
    get stdin() {
      return process.stdin;
    },
  };
}

/** The exit status that a shell reports for a program that a closed pipe ended (128 + SIGPIPE). */
const brokenPipeStatus = 141;
/** `exitCodes.failed` of output.ts, which imports this file. */
const failedStatus = 1;
const guarded = new WeakSet<NodeJS.WriteStream>();

/**
 * Ends the command: when the reader has gone, as in `… | head`, like any program at the end of a pipe; when the output
 * cannot be written, such as to a full disk, with the reason.
 */
function endOnFailedWrite(output: NodeJS.WriteStream): void {
  if (guarded.has(output)) return;
  guarded.add(output);
  output.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(brokenPipeStatus);
    if (output === process.stdout)
      process.stderr.write(
        `error: The output cannot be written: ${fileErrorReason(error)}.\nnext: write it to another place\n`,
      );
    process.exit(failedStatus);
  });
}

/** The non-ASCII characters that we write, except for QR codes and other people's text. */
const plain: Readonly<Record<string, string>> = {
  '\u2713': '+',
  '\u2717': 'x',
  '\u2013': '-',
  '\u2026': '...',
  '\u00b7': '-',
};

/**
 * The output itself or, for a terminal whose locale has another encoding than UTF-8, with ASCII marks. Files, pipes and
 * terminals without a known locale get UTF-8.
 * @see POSIX.1-2024, section 8.2: the order of the variables
 */
export function forLocale(output: CliOutput, env: Readonly<Record<string, string | undefined>>): CliOutput {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  if (output.isTTY !== true || locale === '' || /utf-?8/i.test(locale)) return output;
  return {
    isTTY: true,
    ...(output.columns === undefined ? {} : { columns: output.columns }),
    write: (text) =>
      output.write(text.replace(/[\u2713\u2717\u2013\u2026\u00b7]/g, (mark) => plain[mark] ?? mark)),
  };
}
