import { ProtocolError, Refusal, refusalIn, Unreachable } from '../../../../packages/client/src/errors.ts';
import { CliError, type CliErrorOptions, exitCodeOfStatus, exitCodes } from '../../terminal/output.ts';

export interface HttpsAnswer {
  readonly status: number;
  /** By lower-case name. Repeated headers are joined. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined when it is not JSON. */
  readonly body: unknown;
}

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
function refusalError(refusal: Refusal, given: CliErrorOptions & { readonly what?: string } = {}): CliError {
  const { status, code, field, reason, requestId: reference } = refusal;
  const { what, ...rest } = given;
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

function nextStep({ status, code, retryAfterSeconds: wait }: Refusal): { next?: string } {
  if (wait !== undefined) return { next: `run the command again in ${wait} seconds` };
  // The server names a time, except for a change that was made all the same. A balancer has no code.
  if (code === 'UNAVAILABLE')
    return { next: 'look whether the change was made before you repeat it; the log of the server says more' };
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

// Turns errors of the client library (packages/client) into sentences of the command line.

/**
 * The library's error in the words of the command line. Other errors are returned unchanged.
 * @param more what was attempted, and what to do next, if the error does not say better
 */
export function failure(error: unknown, more: CliErrorOptions & { readonly what?: string } = {}): unknown {
  if (error instanceof Unreachable) return transportFailure(error.origin, error.cause);
  if (error instanceof Refusal) {
    const isOver = error.status === 302 || error.code === 'invalid_grant';
    return refusalError(error, { ...(isOver ? { exitCode: exitCodes.notAuthenticated } : {}), ...more });
  }
  if (!(error instanceof ProtocolError)) return error;
  const { what: _, ...options } = more;
  return new CliError(`${error.message.replace(/\.$/, '')}.`, {
    ...(error.code === 'id_token_invalid'
      ? { next: 'check that the clock of this computer is right, then log in again' }
      : {}),
    ...options,
    code: error.code,
    cause: error,
  });
}

/** OpenSSL's verdicts for "issued by an authority that this computer does not know". */
const unknownIssuer = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Whether the only problem with the certificate is that its issuer is unknown here. */
export function isUnknownIssuer(code: string | undefined): boolean {
  return code !== undefined && unknownIssuer.has(code);
}

/**
 * The sentence for a request without an answer: exit 5 when no server was reached, exit 1 when a server was reached but
 * is not the one that we want to talk to.
 */
export function transportFailure(origin: string, cause: unknown): CliError {
  const code = codeOf(cause);
  if (isUnknownIssuer(code))
    return new CliError(`The certificate of ${origin} was issued by an authority that is not known here.`, {
      code: 'server_untrusted',
      next: `overlay-auth login ${origin} --ca FILE`,
      cause,
    });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return new CliError(`The certificate of the server is not for the name in ${origin}.`, {
      code: 'server_name_mismatch',
      next: 'use the address that the server announces as its issuer',
      cause,
    });
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const state = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet';
    return new CliError(`The certificate of ${origin} ${state}.`, {
      code: 'server_certificate_time',
      next: 'check the clock of this computer; if it is right, the operator has to renew the certificate',
      cause,
    });
  }
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL_') === true)
    return new CliError(`${origin} was reached, but no secure connection came about (${code}).`, {
      code: 'tls_failed',
      next: 'check that the port is the HTTPS port of the server',
      cause,
    });
  return new CliError(`${origin} cannot be reached: ${reason(code, cause)}.`, {
    exitCode: exitCodes.unreachable,
    code: 'unreachable',
    next: 'check the address, and that the server runs there',
    cause,
  });
}

function codeOf(cause: unknown): string | undefined {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code === 'string') return code;
  // Several addresses were tried. Report the first failure.
  return cause instanceof AggregateError ? codeOf(cause.errors[0]) : undefined;
}

function reason(code: string | undefined, cause: unknown): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing listens there';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the name is not known';
    case 'ETIMEDOUT':
      return 'there was no answer in time';
    case 'ECONNRESET':
      return 'the connection was closed';
    default:
      return cause instanceof Error && cause.message !== '' ? cause.message : (code ?? 'unknown reason');
  }
}
