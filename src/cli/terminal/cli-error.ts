import { type ExitCode, exitCodes } from './exit-codes.ts';

export interface CliErrorOptions {
  readonly exitCode?: ExitCode | undefined;
  /** The command to type next, or a short sentence if no command helps. */
  readonly next?: string | undefined;
  /** The reference id under which the server recorded the refusal. */
  readonly reference?: string | undefined;
  /** For programs: a stable word in the output of `--output-json`. */
  readonly code?: string | undefined;
  /** The field or parameter that the server refused. */
  readonly field?: string | undefined;
  readonly cause?: unknown;
}

/** A failure that tells the person at the terminal in one sentence what happened, and what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly next: string | undefined;
  readonly reference: string | undefined;
  readonly code: string | undefined;
  readonly field: string | undefined;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? exitCodes.failed;
    this.next = options.next;
    this.reference = options.reference;
    this.code = options.code;
    this.field = options.field;
  }

  /** The same failure, for a person who needs other words for it and another next step. */
  inOtherWords(message: string, next: string): CliError {
    const { exitCode, code, reference } = this;
    return new CliError(message, { exitCode, code, reference, next, cause: this });
  }
}

/** A command line that is not valid as typed. */
export function usageError(message: string, next: string): CliError {
  return new CliError(message, { exitCode: exitCodes.usage, next, code: 'usage' });
}
