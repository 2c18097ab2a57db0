// Only here do errors become answers. This file says which code an unexpected failure gets; errors/codes.ts what each
// code means outside, and error-answers.ts renders.
import { AuthError } from '../../errors/auth-error.ts';
import { type ErrorCode, errorCodes } from '../../errors/codes.ts';
import { NoTurn } from '../../platform/fair-turns.ts';
import { MalformedInput } from '../../platform/formats/strict-input.ts';
import { HashPoolFull, HashPoolStopped, HashUnwanted } from '../../platform/secrets/hash-pool.ts';
import { NotAsSeen } from '../../store/contracts/gathered.ts';
import {
  AlreadyTaken,
  OutcomeUnknown,
  ReferenceGone,
  StoreUnavailable,
} from '../../store/contracts/store.ts';

/** How many seconds a client should wait if the failure itself does not say. */
const retryAfterSeconds: Partial<Record<ErrorCode, number>> = { rate_limited: 30, busy: 1, unavailable: 5 };

/**
 * For what may have been done. A refresh token that was used up may be sent again for a short time only: its successor
 * for the grace of its client, and without one the session lives on for two seconds (`duplicateWindow`).
 */
const soonAgain = 1;

/** The `Retry-After` of a failure in whole seconds, if it has one. */
export function retryAfterOf(failure: AuthError): number | undefined {
  const { code, retryAfterSeconds: own } = failure;
  const seconds = own === undefined ? retryAfterSeconds[code] : own;
  return seconds === undefined || seconds === null ? undefined : Math.max(1, Math.ceil(seconds));
}

/**
 * The failure for any thrown value. Anything unexpected becomes `server_error`, which reveals nothing about its
 * cause.
 * @param contentType of the request
 * @param bodyTypes   the media types of the bodies that the endpoint reads
 */
export function asAuthError(
  thrown: unknown,
  contentType?: string,
  bodyTypes: readonly string[] = [],
): AuthError {
  if (thrown instanceof AuthError) return thrown;
  if (thrown instanceof MalformedInput)
    return new AuthError('invalid_request', {
      description: `${errorCodes.invalid_request.description}: ${thrown.reason}`,
      cause: thrown,
    });
  // The detail tells the log which disk is full, or who does not answer.
  if (thrown instanceof StoreUnavailable)
    return new AuthError('unavailable', {
      cause: thrown,
      detail: thrown.message,
      ...(thrown instanceof OutcomeUnknown ? { retryAfterSeconds: soonAgain } : {}),
    });
  if (thrown instanceof NoTurn)
    return new AuthError('busy', { cause: thrown, retryAfterSeconds: thrown.retryAfterSeconds });
  if (thrown instanceof HashPoolFull)
    return new AuthError('busy', { cause: thrown, retryAfterSeconds: thrown.retryAfterSeconds });
  // The client has gone, and nothing has failed.
  if (thrown instanceof HashUnwanted)
    return new AuthError('invalid_request', { cause: thrown, detail: thrown.message });
  if (thrown instanceof HashPoolStopped) return new AuthError('unavailable', { cause: thrown });
  if (thrown instanceof AlreadyTaken)
    return new AuthError('conflict', {
      cause: thrown,
      fields: [{ field: thrown.field, reason: 'is already taken' }],
    });
  if (thrown instanceof NotAsSeen && thrown.why === 'changed')
    return new AuthError('precondition_failed', { cause: thrown });
  if (thrown instanceof ReferenceGone)
    return new AuthError('conflict', {
      cause: thrown,
      description: 'An entity that this refers to was deleted meanwhile',
    });
  const fastifyCode = frameworkCodes[codeOf(thrown)];
  if (fastifyCode === 'unsupported_media_type') return unsupportedBody(contentType, bodyTypes, thrown);
  if (fastifyCode !== undefined) return new AuthError(fastifyCode, { cause: thrown });
  return new AuthError('server_error', { cause: thrown });
}

/** For a source that has no answer left of those that it may have without a proof. */
export function tooMuchLoad(): AuthError {
  return new AuthError('rate_limited', { detail: 'too many requests without a proof', retryAfterSeconds: 1 });
}

/** Errors that the HTTP framework and its parser throw because of the request. */
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_ERR_NOT_FOUND: 'not_found',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
};

/** @param bodyTypes those that the endpoint reads; it may read none @param cause of the framework, if it refuses */
export function unsupportedBody(
  contentType: string | undefined,
  bodyTypes: readonly string[],
  cause?: unknown,
): AuthError {
  const { description } = errorCodes.unsupported_media_type;
  const advice = `: send ${bodyTypes.join(' or ')}, in UTF-8 and not compressed`;
  return new AuthError('unsupported_media_type', {
    description: bodyTypes.length === 0 ? description : description + advice,
    detail: contentType ?? 'none',
    cause,
  });
}

function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error) || !('code' in thrown)) return '';
  return typeof thrown.code === 'string' && Object.hasOwn(frameworkCodes, thrown.code) ? thrown.code : '';
}
