import { fileErrorReason, isFileError } from '../../platform/file-error-reason.ts';
import { shellWord } from '../../platform/formats/shell-word.ts';
import { escapeUnseen, withoutUrlPasswords } from '../../platform/log/log-line.ts';
import type { CliPorts } from './ports.ts';

/** How one run of a command reports. */
export interface Report {
  readonly ports: CliPorts;
  /** `-j`: results are one JSON document on standard output, failures one on standard error. */
  readonly json: boolean;
  /** Its typed name: `keys list`. Also its name in the audit trail of the host. */
  readonly command: string;
  /** The login that `--server` names. */
  readonly server?: string | undefined;
  /** The configuration that `--config` or the argument CONFIG names. */
  readonly config?: string | undefined;
}

/**
 * Prints a result: `value` as JSON under `-j`, otherwise the text that `asText` makes of it. Much of it is other
 * people's text, so nothing in it reaches the terminal that could control it.
 */
export function printResult(report: Report, value: unknown, asText: () => string): void {
  const text = report.json ? escapeUnseen(JSON.stringify(value, null, 2)) : printable(asText());
  if (text !== '') report.ports.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Tells the person something on standard error; nothing under `-j`, which reports only results and failures. */
export function notice(report: Report, text: string): void {
  if (!report.json) report.ports.stderr.write(`${told(asTypedHere(report, text))}\n`);
}

/**
 * Prints a failure with its reference id and the next command, and returns the exit code of the process.
 * @param report `helpCommand` is the next command if the failure names none
 */
export function reportFailure(
  report: Omit<Report, 'command'> & { readonly helpCommand: string },
  error: unknown,
): ExitCode {
  const failure = error instanceof CliError ? error : unexpected(report, error);
  const next = withoutUrlPasswords(asTypedHere(report, failure.next ?? report.helpCommand));
  const message = withoutUrlPasswords(failure.message);
  const { stderr } = report.ports;
  if (report.json) {
    const { code, reference } = failure;
    const error = { code: code ?? 'failed', message, reference, next };
    stderr.write(`${escapeUnseen(JSON.stringify({ error }))}\n`);
    return failure.exitCode;
  }
  stderr.write(`error: ${printable(message)}\n`);
  if (failure.reference !== undefined) stderr.write(`reference: ${printable(failure.reference)}\n`);
  stderr.write(`next: ${printable(next)}\n`);
  return failure.exitCode;
}

function unexpected(report: Pick<Report, 'ports'>, error: unknown): CliError {
  const detail = error instanceof Error ? error.message : String(error);
  if (report.ports.env.OVERLAY_AUTH_DEBUG !== undefined && error instanceof Error)
    report.ports.stderr.write(`${told(error.stack ?? '')}\n`);
  if (isFileError(error)) return fileFailure(error);
  return new CliError(`Something unexpected happened: ${detail}`, {
    exitCode: exitCodes.failed,
    code: 'unexpected',
    next: 'set OVERLAY_AUTH_DEBUG=1 and run the command again to see where',
    cause: error,
  });
}

const afterFileFailure: Readonly<Record<string, string>> = {
  ENOSPC: 'free space on the disk, then run the command again',
  EDQUOT: 'delete files of this user, then run the command again',
  EFBIG: 'raise the limit (ulimit -f), then run the command again',
};

function fileFailure(error: Error & { readonly code: string; readonly path?: string }): CliError {
  return new CliError(`${error.path ?? 'A file'} cannot be used: ${fileErrorReason(error)}.`, {
    code: 'file',
    next: afterFileFailure[error.code] ?? 'check the path and the permissions',
    cause: error,
  });
}

/** The program as typed: bin/command-as-typed.mjs knows whether it is on the path, or where it is. */
export function programAsTyped({ env }: Pick<CliPorts, 'env'>): string {
  return env.OVERLAY_AUTH_COMMAND || 'overlay-auth';
}

/** A suggested command, up to the first word that is neither a command nor a plain name. */
const suggested = (condition: string) =>
  new RegExp(
    String.raw`(?<![\w/-])overlay-auth (?![a-z -]*--help)${condition}[a-z][\w-]*(?: [a-z][\w-]*(?=[.,;:\`)]?(?:\s|$)))*`,
    'g',
  );
const ofLogin = suggested('(?!login|enroll)');
const ofController = suggested('(?=(?:admin|config reload|keys|pki(?! trust FILE)|ops) )(?!.* --config )');

/** Suggested commands, as they can be typed here: for the server or controller of the command that suggests them. */
export function asTypedHere(
  { ports, server, config }: Pick<Report, 'ports' | 'server' | 'config'>,
  text: string,
): string {
  const plus = (option: string, value: string | undefined) => (command: string) =>
    value === undefined ? command : `${command} ${option} ${shellWord(value)}`;
  const there = text
    .replace(ofLogin, plus('--server', server))
    .replace(ofController, plus('--config', config));
  return there.replace(/(?<![\w/-])overlay-auth (?=[a-z-])/g, `${programAsTyped(ports)} `);
}

function told(text: string): string {
  return printable(withoutUrlPasswords(text));
}

/** Foreign text, with everything replaced that could control a terminal: control characters, bidirectional marks. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    /[\t\n]/.test(character) ? character : '\ufffd',
  );
}

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

/** A command line that is not valid as typed. @param next by default the help of the command */
export function usageError(message: string, next?: string): CliError {
  return new CliError(message, { exitCode: exitCodes.usage, next, code: 'usage' });
}

/** Exit statuses for scripts (design 2.1). */
export const exitCodes = {
  fine: 0,
  failed: 1,
  usage: 2,
  notAuthenticated: 3,
  deniedByPolicy: 4,
  unreachable: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code for a failed answer of a server, by its HTTP status. */
export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401) return exitCodes.notAuthenticated;
  if (status === 403) return exitCodes.deniedByPolicy;
  // 502 to 504: a proxy, or the service itself, says that it is unavailable.
  if (status >= 502 && status <= 504) return exitCodes.unreachable;
  return exitCodes.failed;
}

/**
 * Runs `work`, which may show how far it is: in one line of a terminal, which is empty again at its end; never in a pipe
 * or under `-j`.
 */
export async function showingProgress<T>(
  { ports: { stderr }, json }: Report,
  work: (show: (text: string) => void) => Promise<T>,
): Promise<T> {
  let isShown = false;
  const show = (text: string) => {
    if (json || stderr.isTTY !== true) return;
    isShown = true;
    stderr.write(`\r${text}\u001b[K`);
  };
  try {
    return await work(show);
  } finally {
    if (isShown) show('');
  }
}
