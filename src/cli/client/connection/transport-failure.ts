import { CliError } from '../../terminal/cli-error.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';

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
 * The sentence for a request without an answer: exit 5 when nobody was reached, exit 1 when somebody was reached but is
 * not whom we want to talk to.
 */
export function transportFailure(origin: string, cause: unknown): CliError {
  const code = codeOf(cause);
  if (isUnknownIssuer(code)) {
    return new CliError(`The certificate of ${origin} was issued by an authority that is not known here.`, {
      code: 'server_untrusted',
      next: `overlay-auth login ${origin} --ca FILE`,
      cause,
    });
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new CliError(`The certificate of the server is not for the name in ${origin}.`, {
      code: 'server_name_mismatch',
      next: 'use the address that the server announces as its issuer',
      cause,
    });
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const state = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet';
    return new CliError(`The certificate of ${origin} ${state}.`, {
      code: 'server_certificate_time',
      next: 'check the clock of this computer; if it is right, the operator has to renew the certificate',
      cause,
    });
  }
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL_') === true) {
    return new CliError(`${origin} was reached, but no secure connection came about (${code}).`, {
      code: 'tls_failed',
      next: 'check that the port is the HTTPS port of the server',
      cause,
    });
  }
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
