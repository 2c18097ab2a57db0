import { CliError, type CliErrorOptions } from './cli-error.ts';
import type { HttpsAnswer } from './client/https-client.ts';
import { asObject, textField } from './client/json-shape.ts';
import { exitCodeOfStatus } from './exit-codes.ts';

/** What an answer says about its failure, in any of the forms that the service speaks. */
export interface AnswerFailure {
  readonly status: number;
  /** `INVALID_AUTH`, `invalid_grant`, …; empty when the answer names none. */
  readonly code: string;
  readonly message: string;
  readonly reference: string | undefined;
  /** What the server refused, where it names it. */
  readonly field?: string;
}

/** Reads the Edge envelope `{error:{code,message,requestId,cause?}}` and OAuth's `{error,error_description}`. */
export function failureOf(answer: HttpsAnswer): AnswerFailure {
  const body = asObject(answer.body);
  const header = answer.headers['x-request-id'];
  const headerReference = typeof header === 'string' ? header : undefined;
  const oauthError = textField(body, 'error');
  if (oauthError !== undefined) {
    const message = textField(body, 'error_description') ?? oauthError;
    return { status: answer.status, code: oauthError, message, reference: headerReference };
  }
  const error = asObject(body.error);
  const cause = asObject(error.cause);
  const field = textField(cause, 'field');
  const said = textField(error, 'message') ?? `the server answered with status ${answer.status}`;
  const why = textField(cause, 'reason') ?? textField(cause, 'message');
  // Many messages name the field and the reason themselves.
  const about =
    why === undefined || said.toLowerCase().includes(why.toLowerCase())
      ? ''
      : [field, why].filter((part) => part !== undefined).join(' ');
  return {
    status: answer.status,
    code: textField(error, 'code') ?? '',
    message: about === '' ? said : `${said}: ${about}`,
    reference: textField(error, 'requestId') ?? headerReference,
    ...(field === undefined ? {} : { field }),
  };
}

/** The error to show for a failed answer; the exit code follows from its status. */
export function answerError(
  answer: HttpsAnswer,
  options: CliErrorOptions & { what?: string } = {},
): CliError {
  const failure = failureOf(answer);
  const { what, ...rest } = options;
  return new CliError(sentence(what === undefined ? failure.message : `${what}: ${failure.message}`), {
    exitCode: exitCodeOfStatus(failure.status),
    ...(failure.code === '' ? {} : { code: failure.code }),
    ...(failure.reference === undefined ? {} : { reference: failure.reference }),
    ...(failure.field === undefined ? {} : { field: failure.field }),
    ...nextStep(answer),
    ...rest,
  });
}

function nextStep(answer: HttpsAnswer): { next?: string } {
  const wait = answer.headers['retry-after'];
  if (wait !== undefined) return { next: `run the command again in ${wait} seconds` };
  switch (answer.status) {
    case 403:
      return { next: 'overlay-auth whoami   (shows who you are; an administrator has to do this)' };
    case 421:
      return { next: 'use an address that the server announces as its issuer' };
    default:
      return answer.status >= 500
        ? { next: 'run the command again; if it fails again, look into the log of the server' }
        : {};
  }
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
