// Only here do errors become answers. This file says what each code means outside (status, OAuth's word, the word of
// the Edge APIs) and which code an unexpected failure gets; error-answers.ts renders.
import { AuthError } from '../../errors/auth-error.ts';
import { type ErrorCode, errorCodes } from '../../errors/codes.ts';
import { NoTurn } from '../../platform/fair-turns.ts';
import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import { HashPoolFull, HashPoolStopped } from '../../platform/secrets/hash-pool.ts';
import { NotAsSeen } from '../../store/contracts/gathered.ts';
import { AlreadyTaken, ReferenceGone, StoreUnavailable } from '../../store/contracts/store.ts';

/**
 * The error values in use, from RFC 6749 4.1.2.1 and 5.2, RFC 6750 3.1, RFC 7009 2.2.1, RFC 8628 3.5 and OIDC Core
 * 3.1.2.6.
 */
export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type'
  | 'access_denied'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'login_required'
  | 'interaction_required'
  | 'account_selection_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'temporarily_unavailable'
  | 'server_error';

export interface OutsideError {
  readonly status: number;
  readonly oauthError: OAuthError;
  /** `error.code` of the Edge envelope. */
  readonly edgeCode: string;
}

function row(status: number, oauthError: OAuthError, edgeCode: string): OutsideError {
  return { status, oauthError, edgeCode };
}

/** What every code means outside. A code without a row does not compile. */
export const errorTable: Readonly<Record<ErrorCode, OutsideError>> = {
  invalid_request: row(400, 'invalid_request', 'COULD_NOT_VALIDATE'),
  invalid_client: row(400, 'invalid_client', 'INVALID_CLIENT'),
  client_not_authenticated: row(401, 'invalid_client', 'INVALID_CLIENT'),
  client_not_allowed: row(403, 'access_denied', 'FORBIDDEN'),
  invalid_target: row(400, 'invalid_target', 'COULD_NOT_VALIDATE'),
  redirect_uri_not_registered: row(400, 'invalid_request', 'COULD_NOT_VALIDATE'),
  invalid_grant: row(400, 'invalid_grant', 'INVALID_GRANT'),
  invalid_scope: row(400, 'invalid_scope', 'COULD_NOT_VALIDATE'),
  unauthorized_client: row(400, 'unauthorized_client', 'INVALID_CLIENT'),
  unsupported_grant_type: row(400, 'unsupported_grant_type', 'COULD_NOT_VALIDATE'),
  unsupported_response_type: row(400, 'unsupported_response_type', 'COULD_NOT_VALIDATE'),
  unsupported_token_type: row(400, 'unsupported_token_type', 'COULD_NOT_VALIDATE'),
  authorization_pending: row(400, 'authorization_pending', 'COULD_NOT_VALIDATE'),
  slow_down: row(400, 'slow_down', 'COULD_NOT_VALIDATE'),
  access_denied: row(400, 'access_denied', 'INVALID_AUTH'),
  expired_token: row(400, 'expired_token', 'COULD_NOT_VALIDATE'),
  login_required: row(400, 'login_required', 'INVALID_AUTH'),
  interaction_required: row(400, 'interaction_required', 'INVALID_AUTH'),
  account_selection_required: row(400, 'account_selection_required', 'INVALID_AUTH'),
  request_not_supported: row(400, 'request_not_supported', 'COULD_NOT_VALIDATE'),
  request_uri_not_supported: row(400, 'request_uri_not_supported', 'COULD_NOT_VALIDATE'),
  registration_not_supported: row(400, 'registration_not_supported', 'COULD_NOT_VALIDATE'),
  insufficient_scope: row(403, 'insufficient_scope', 'FORBIDDEN'),

  invalid_auth: row(401, 'access_denied', 'INVALID_AUTH'),
  invalid_totp_code: row(400, 'access_denied', 'INVALID_TOTP_CODE'),
  password_change_required: row(403, 'access_denied', 'PASSWORD_CHANGE_REQUIRED'),
  mfa_exists: row(409, 'invalid_request', 'MFA_EXISTS'),
  auth_request_unknown: row(400, 'invalid_request', 'INVALID_AUTH_REQUEST'),
  unauthorized: row(401, 'invalid_token', 'UNAUTHORIZED'),
  forbidden: row(403, 'access_denied', 'FORBIDDEN'),

  invalid_enrollment_token: row(400, 'invalid_grant', 'INVALID_ENROLLMENT_TOKEN'),
  enrollment_expired: row(400, 'invalid_grant', 'ENROLLMENT_EXPIRED'),
  enrollment_not_allowed: row(409, 'access_denied', 'INVALID_ENROLLMENT_NOT_ALLOWED'),
  enrollment_certificate_refused: row(400, 'access_denied', 'INVALID_CERT_PEM'),
  already_enrolled: row(409, 'invalid_request', 'CONFLICT'),

  could_not_parse_body: row(400, 'invalid_request', 'COULD_NOT_PARSE_BODY'),
  could_not_validate: row(400, 'invalid_request', 'COULD_NOT_VALIDATE'),
  invalid_filter: row(400, 'invalid_request', 'INVALID_FILTER'),
  invalid_field: row(400, 'invalid_request', 'INVALID_FIELD'),
  not_found: row(404, 'invalid_request', 'NOT_FOUND'),
  conflict: row(409, 'invalid_request', 'CONFLICT'),
  precondition_failed: row(412, 'invalid_request', 'PRECONDITION_FAILED'),
  cannot_delete_referenced: row(409, 'invalid_request', 'CAN_NOT_DELETE_REFERENCED_ENTITY'),
  cannot_be_deleted: row(400, 'invalid_request', 'ENTITY_CAN_NOT_BE_DELETED'),
  password_not_acceptable: row(400, 'invalid_request', 'INVALID_FIELD'),
  csr_not_acceptable: row(400, 'invalid_request', 'COULD_NOT_PROCESS_CSR'),

  method_not_allowed: row(405, 'invalid_request', 'METHOD_NOT_ALLOWED'),
  not_acceptable: row(406, 'invalid_request', 'NOT_ACCEPTABLE'),
  unsupported_media_type: row(415, 'invalid_request', 'UNSUPPORTED_MEDIA_TYPE'),
  payload_too_large: row(413, 'invalid_request', 'REQUEST_ENTITY_TOO_LARGE'),
  uri_too_long: row(414, 'invalid_request', 'URI_TOO_LONG'),
  header_too_large: row(431, 'invalid_request', 'HEADER_TOO_LARGE'),
  misdirected_request: row(421, 'invalid_request', 'MISDIRECTED_REQUEST'),

  rate_limited: row(429, 'temporarily_unavailable', 'RATE_LIMITED'),
  busy: row(503, 'temporarily_unavailable', 'SERVER_BUSY'),
  unavailable: row(503, 'temporarily_unavailable', 'UNAVAILABLE'),
  server_error: row(500, 'server_error', 'UNHANDLED'),
};

/** How many seconds a client should wait if the failure itself does not say. */
const retryAfterSeconds: Partial<Record<ErrorCode, number>> = { rate_limited: 30, busy: 1, unavailable: 5 };

/** The `Retry-After` of a failure in whole seconds, if it has one. */
export function retryAfterOf(failure: AuthError): number | undefined {
  const seconds = failure.retryAfterSeconds ?? retryAfterSeconds[failure.code];
  return seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds));
}

/**
 * The failure for whatever was thrown. Anything unexpected becomes `server_error`, which reveals nothing about its
 * cause.
 */
export function asAuthError(thrown: unknown): AuthError {
  if (thrown instanceof AuthError) return thrown;
  if (thrown instanceof MalformedInput) {
    return new AuthError('invalid_request', {
      description: `${errorCodes.invalid_request}: ${thrown.reason}`,
      cause: thrown,
    });
  }
  if (thrown instanceof StoreUnavailable) return new AuthError('unavailable', { cause: thrown });
  if (thrown instanceof NoTurn) {
    return new AuthError('busy', { cause: thrown, retryAfterSeconds: thrown.retryAfterSeconds });
  }
  if (thrown instanceof HashPoolFull) return new AuthError('busy', { cause: thrown });
  if (thrown instanceof HashPoolStopped) return new AuthError('unavailable', { cause: thrown });
  if (thrown instanceof AlreadyTaken) {
    return new AuthError('conflict', {
      cause: thrown,
      fields: [{ field: thrown.field, reason: 'is already taken' }],
    });
  }
  if (thrown instanceof NotAsSeen && thrown.why === 'changed') {
    return new AuthError('precondition_failed', { cause: thrown });
  }
  if (thrown instanceof ReferenceGone) {
    return new AuthError('conflict', {
      cause: thrown,
      description: 'An entity that this refers to was deleted meanwhile',
    });
  }
  const fastifyCode = frameworkCodes[codeOf(thrown)];
  if (fastifyCode !== undefined) return new AuthError(fastifyCode, { cause: thrown });
  return new AuthError('server_error', { cause: thrown });
}

/** Errors that the HTTP framework and its parser throw because of the request. */
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_ERR_NOT_FOUND: 'not_found',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'unsupported_media_type',
};

function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error) || !('code' in thrown)) return '';
  return typeof thrown.code === 'string' && Object.hasOwn(frameworkCodes, thrown.code) ? thrown.code : '';
}
