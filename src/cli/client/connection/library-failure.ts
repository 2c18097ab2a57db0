// Turns errors of the client library (packages/client) into sentences of the command line.

import { ProtocolError, Refusal, Unreachable } from '../../../../packages/client/src/errors.ts';
import { CliError, type CliErrorOptions } from '../../terminal/cli-error.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { refusalError } from './answer-failure.ts';
import { transportFailure } from './transport-failure.ts';

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
