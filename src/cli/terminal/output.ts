import { escapeUnseen } from '../../platform/log/log-line.ts';
import { CliError } from './cli-error.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { CliPorts } from './ports.ts';

/** How one run of a command reports. */
export interface Report {
  readonly ports: CliPorts;
  /** `-j`: results are one JSON document on standard output, failures one on standard error. */
  readonly json: boolean;
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
  if (!report.json) report.ports.stderr.write(`${printable(asTypedHere(report.ports, text))}\n`);
}

/**
 * Prints a failure with its reference id and the next command, and returns the exit code of the process.
 * @param report `helpCommand` is the next command if the failure names none
 */
export function reportFailure(report: Report & { readonly helpCommand: string }, error: unknown): ExitCode {
  const failure = error instanceof CliError ? error : unexpected(report, error);
  const next = asTypedHere(report.ports, failure.next ?? report.helpCommand);
  const { stderr } = report.ports;
  if (report.json) {
    const { message, code, reference } = failure;
    const error = { code: code ?? 'failed', message, reference, next };
    stderr.write(`${escapeUnseen(JSON.stringify({ error }))}\n`);
    return failure.exitCode;
  }
  stderr.write(`error: ${printable(failure.message)}\n`);
  if (failure.reference !== undefined) stderr.write(`reference: ${printable(failure.reference)}\n`);
  stderr.write(`next: ${printable(next)}\n`);
  return failure.exitCode;
}

function unexpected(report: Report, error: unknown): CliError {
  const detail = error instanceof Error ? error.message : String(error);
  if (report.ports.env.OVERLAY_AUTH_DEBUG !== undefined && error instanceof Error) {
    report.ports.stderr.write(`${printable(error.stack ?? '')}\n`);
  }
  return new CliError(`Something unexpected happened: ${detail}`, {
    exitCode: exitCodes.failed,
    code: 'unexpected',
    next: 'set OVERLAY_AUTH_DEBUG=1 and run the command again to see where',
    cause: error,
  });
}

/** What to type for this program: bin/command-as-typed.mjs knows whether it is on the path, or where it is. */
export function programAsTyped({ env }: Pick<CliPorts, 'env'>): string {
  return env.OVERLAY_AUTH_COMMAND || 'overlay-auth';
}

/** Suggested commands, as they can be typed here. */
function asTypedHere(ports: CliPorts, text: string): string {
  return text.replace(/(?<![\w/-])overlay-auth (?=[a-z-])/g, `${programAsTyped(ports)} `);
}

/** Foreign text, with everything replaced that could control a terminal: control characters, bidirectional marks. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    /[\t\n]/.test(character) ? character : '\ufffd',
  );
}
