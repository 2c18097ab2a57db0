import { type Refusal, refusalIn } from '../../../../packages/client/src/errors.ts';
import { CliError, type CliErrorOptions } from '../../terminal/cli-error.ts';
import { exitCodeOfStatus } from '../../terminal/exit-codes.ts';
import type { HttpsAnswer } from './https-client.ts';

/** What an answer says about its failure, in any of the service's formats. */
export interface AnswerFailure {
  readonly status: number;
  /** `INVALID_AUTH`, `invalid_grant`, …; empty when the answer names none. */
  readonly code: string;
  readonly message: string;
  readonly reference: string | undefined;
  /** What the server refused, if it names it. */
  readonly field?: string;
}

/** Reads a failed answer, in the envelope of the Edge APIs or as an error of OAuth. */
export function failureOf({ status, headers, body }: HttpsAnswer): AnswerFailure {
  return failureIn(refusalIn({ status, headers: new Headers(definedIn(headers)) }, body));
}

function definedIn(headers: HttpsAnswer['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function failureIn({ status, code, message: said, field, reason: why, requestId }: Refusal): AnswerFailure {
  // Many messages already name the field and the reason.
  const about =
    field === undefined || why === undefined || said.toLowerCase().includes(why.toLowerCase())
      ? ''
      : `${field} ${why}`;
  return {
    status,
    code,
    message: about === '' ? said : `${said}: ${about}`,
    reference: requestId,
    ...(field === undefined ? {} : { field }),
  };
}

/** The error to show for a failed answer; the exit code follows from its status. */
export function answerError(
  { status, headers, body }: HttpsAnswer,
  options: CliErrorOptions & { readonly what?: string } = {},
): CliError {
  return refusalError(refusalIn({ status, headers: new Headers(definedIn(headers)) }, body), options);
}

/** The same for a refusal that the client library has read. */
export function refusalError(
  refusal: Refusal,
  options: CliErrorOptions & { readonly what?: string } = {},
): CliError {
  const failure = failureIn(refusal);
  const { what, ...rest } = options;
  return new CliError(sentence(what === undefined ? failure.message : `${what}: ${failure.message}`), {
    exitCode: exitCodeOfStatus(failure.status),
    ...(failure.code === '' ? {} : { code: failure.code }),
    ...(failure.reference === undefined ? {} : { reference: failure.reference }),
    ...(failure.field === undefined ? {} : { field: failure.field }),
    ...nextStep(refusal),
    ...rest,
  });
}

function nextStep({ status, retryAfterSeconds: wait }: Refusal): { next?: string } {
  if (wait !== undefined) return { next: `run the command again in ${wait} seconds` };
  switch (status) {
    case 403:
      return { next: 'overlay-auth whoami   (shows who you are; an administrator has to do this)' };
    case 421:
      return { next: 'use an address that the server announces as its issuer' };
    default:
      return status >= 500
        ? { next: 'run the command again; if it fails again, look into the log of the server' }
        : {};
  }
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
