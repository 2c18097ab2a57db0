import { type Refusal, refusalIn } from '../../../../packages/client/src/errors.ts';
import { CliError, type CliErrorOptions } from '../../terminal/cli-error.ts';
import { exitCodeOfStatus } from '../../terminal/exit-codes.ts';
import type { HttpsAnswer } from './https-client.ts';

function definedIn(headers: HttpsAnswer['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/**
 * The error to show for a failed answer, in the envelope of the Edge APIs or as an error of OAuth; the exit code follows
 * from its status.
 */
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
  const { status, code, field, reason, requestId: reference } = refusal;
  const { what, ...rest } = options;
  // Many messages already name the field and the reason.
  const isNamed = reason === undefined || refusal.message.toLowerCase().includes(reason.toLowerCase());
  const message = field === undefined || isNamed ? refusal.message : `${refusal.message}: ${field} ${reason}`;
  return new CliError(sentence(what === undefined ? message : `${what}: ${message}`), {
    exitCode: exitCodeOfStatus(status),
    code: code || undefined,
    reference,
    field,
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
