/**
 * The closed list of failures. The description is for the person or program outside and names no internals.
 * http/request/errors.ts maps each code to a status and to the words of each protocol; an unlisted code does not compile.
 */
export const errorCodes = {
  // OAuth 2.0 and OpenID Connect (RFC 6749 4.1.2.1 and 5.2, RFC 6750 3.1, RFC 7009, OIDC Core 3.1.2.6)
  invalid_request: 'the request is malformed or lacks a required parameter',
  invalid_client: 'the client is not known',
  client_not_authenticated: 'the client could not be authenticated',
  client_not_allowed: 'the user may not use this application',
  invalid_target: 'the requested resource does not belong to the client',
  redirect_uri_not_registered: 'the redirect_uri is not registered for this address',
  invalid_grant: 'the grant is invalid, expired, already used, or was issued to another client',
  invalid_scope: 'the requested scope is invalid or exceeds the scope that was granted',
  unauthorized_client: 'the client may not use this grant',
  unsupported_grant_type: 'the grant type is not supported',
  unsupported_response_type: 'the response type is not supported',
  unsupported_token_type: 'the token type is not supported',
  // RFC 8628 3.5
  authorization_pending: 'the person has not finished the login yet; ask again',
  slow_down: 'ask less often: wait five seconds longer than before',
  access_denied: 'the person refused the login',
  expired_token: 'the device code has expired; start again',
  login_required: 'the user has to log in',
  interaction_required: 'the user has to interact',
  account_selection_required: 'the user has to choose an account',
  request_not_supported: 'request objects are not supported',
  request_uri_not_supported: 'request objects by reference are not supported',
  registration_not_supported: 'client registration is not supported',
  insufficient_scope: 'the token lacks the scope that this resource requires',

  // Authentication on the login endpoints and the Edge APIs
  invalid_auth: 'The authentication request failed',
  invalid_totp_code: 'The code was invalid',
  password_change_required:
    'The password must be replaced first; log in with a browser, such as on the account page',
  mfa_exists: 'A TOTP enrollment already exists or has been started',
  auth_request_unknown: 'The authentication request is unknown, expired or finished; start again',
  unauthorized:
    'The request could not be completed. The session is not authorized or the credentials are invalid',
  forbidden: 'The authenticated identity lacks the permission for this operation',

  // Enrollment
  invalid_enrollment_token:
    'The enrollment token is not valid: it was used, replaced or deleted, or never existed. Ask for a new one',
  enrollment_expired: 'The enrollment token has expired. Ask for a new one',
  enrollment_not_allowed: 'Enrollment in this way is not allowed',
  enrollment_certificate_refused: 'The client certificate of the connection cannot be enrolled',
  already_enrolled: 'The identity is already enrolled',

  // Input
  could_not_parse_body: 'The body of the request could not be parsed',
  could_not_validate: 'The supplied request contains an invalid document or parameter',
  invalid_filter: 'The filter could not be parsed',
  invalid_field: 'The field contains an invalid value',
  not_found: 'The resource requested was not found or is no longer available',
  conflict: 'The entity conflicts with an existing one',
  precondition_failed: 'It was changed meanwhile; read it again, then repeat the change',
  cannot_delete_referenced: 'Other entities refer to this entity, so it cannot be deleted',
  cannot_be_deleted: 'The entity cannot be deleted',
  password_not_acceptable: 'The password does not meet the rules',
  csr_not_acceptable: 'The certificate signing request cannot be processed',

  // HTTP
  method_not_allowed: 'The method is not allowed on this resource',
  not_acceptable: 'None of the media types that the client accepts can be produced',
  unsupported_media_type: 'The media type of the body is not supported here',
  payload_too_large: 'The body is larger than this endpoint accepts',
  uri_too_long: 'The address of the request is too long',
  header_too_large: 'The headers of the request are too large',
  misdirected_request: 'This server does not serve the requested host',

  // Load and failure
  rate_limited: 'Too many attempts; try again later',
  busy: 'The server is busy; try again later',
  unavailable: 'The service is temporarily unavailable',
  server_error: 'An unexpected error occurred',
} as const;

export type ErrorCode = keyof typeof errorCodes;
