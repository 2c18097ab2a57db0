// The one home of every failure that has a meaning outside. Texts for people are in pages/texts, by the kind of page.

/**
 * The error values in use, from RFC 6749 4.1.2.1 and 5.2, RFC 6750 3.1, RFC 7009 2.2.1, RFC 8628 3.5, RFC 9449 12.2
 * and OIDC Core 3.1.2.6.
 */
export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'invalid_target'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
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

/**
 * A code and its meaning outside: status, word of OAuth, word of the Edge APIs (`error.code` of the envelope), and the
 * page that a person gets, if it is not that of a malformed request. The text is for the person or program outside and
 * names no internals.
 */
function code({ raw: [description = ''] }: TemplateStringsArray) {
  return <const Page extends string = 'malformed'>(
    at: `${number} ${OAuthError} ${Uppercase<string>}`,
    page = 'malformed' as Page,
  ) => {
    const [status, oauthError, edgeCode] = at.split(' ') as [string, OAuthError, string];
    return { description, status: Number(status), oauthError, edgeCode, page };
  };
}

/** The closed list of failures. An unlisted code does not compile. */
export const errorCodes = {
  // OAuth 2.0 and OpenID Connect (RFC 6749 4.1.2.1 and 5.2, RFC 6750 3.1, RFC 7009, OIDC Core 3.1.2.6)
  invalid_request: code`the request is malformed or lacks a required parameter`(
    '400 invalid_request COULD_NOT_VALIDATE',
  ),
  invalid_client: code`the client is not known`('400 invalid_client INVALID_CLIENT', 'invalid_client'),
  client_not_authenticated: code`the client could not be authenticated`('401 invalid_client INVALID_CLIENT'),
  client_not_allowed: code`the user may not use this application`(
    '403 access_denied FORBIDDEN',
    'client_not_allowed',
  ),
  invalid_target: code`the requested resource does not belong to the client`(
    '400 invalid_target COULD_NOT_VALIDATE',
  ),
  redirect_uri_not_registered: code`the redirect_uri is not registered for this address`(
    '400 invalid_request COULD_NOT_VALIDATE',
    'redirect_uri_not_registered',
  ),
  invalid_grant: code`the grant is invalid, expired, already used, or was issued to another client`(
    '400 invalid_grant INVALID_GRANT',
  ),
  invalid_scope: code`the requested scope is invalid or exceeds the scope that was granted`(
    '400 invalid_scope COULD_NOT_VALIDATE',
  ),
  unauthorized_client: code`the client may not use this grant`('400 unauthorized_client INVALID_CLIENT'),
  unsupported_grant_type: code`the grant type is not supported`(
    '400 unsupported_grant_type COULD_NOT_VALIDATE',
  ),
  unsupported_response_type: code`the response type is not supported`(
    '400 unsupported_response_type COULD_NOT_VALIDATE',
  ),
  unsupported_token_type: code`the token type is not supported`(
    '400 unsupported_token_type COULD_NOT_VALIDATE',
  ),
  // RFC 9449 5, 8
  invalid_dpop_proof: code`the DPoP proof is not valid`('400 invalid_dpop_proof COULD_NOT_VALIDATE'),
  use_dpop_nonce: code`sign the DPoP proof again with the nonce in DPoP-Nonce`(
    '400 use_dpop_nonce COULD_NOT_VALIDATE',
  ),
  // RFC 8628 3.5
  authorization_pending: code`the person has not finished the login yet; ask again`(
    '400 authorization_pending COULD_NOT_VALIDATE',
  ),
  slow_down: code`ask less often: wait five seconds longer than before`('400 slow_down COULD_NOT_VALIDATE'),
  access_denied: code`the person refused the login`('400 access_denied INVALID_AUTH'),
  expired_token: code`the device code has expired; start again`('400 expired_token COULD_NOT_VALIDATE'),
  login_required: code`the user has to log in`('400 login_required INVALID_AUTH'),
  interaction_required: code`the user has to interact`('400 interaction_required INVALID_AUTH'),
  account_selection_required: code`the user has to choose an account`(
    '400 account_selection_required INVALID_AUTH',
  ),
  request_not_supported: code`request objects are not supported`(
    '400 request_not_supported COULD_NOT_VALIDATE',
  ),
  request_uri_not_supported: code`request objects by reference are not supported`(
    '400 request_uri_not_supported COULD_NOT_VALIDATE',
  ),
  registration_not_supported: code`client registration is not supported`(
    '400 registration_not_supported COULD_NOT_VALIDATE',
  ),
  insufficient_scope: code`the token lacks the scope that this resource requires`(
    '403 insufficient_scope FORBIDDEN',
    'forbidden',
  ),

  // Authentication on the login endpoints and the Edge APIs
  invalid_auth: code`The authentication request failed`('401 access_denied INVALID_AUTH', 'invalid_auth'),
  invalid_totp_code: code`The code was invalid`('400 access_denied INVALID_TOTP_CODE', 'invalid_totp_code'),
  invalid_backing_token_type: code`The session is not one of an access token`(
    '400 invalid_request INVALID_BACKING_TOKEN_TYPE',
  ),
  invalid_passkey: code`The passkey was not accepted`('400 access_denied INVALID_PASSKEY', 'invalid_passkey'),
  passkey_required:
    code`The policy asks for a passkey (auth query PASSKEY at /oidc/login/passkey), which this client or mechanism cannot answer; log in with a browser`(
      '403 access_denied PASSKEY_REQUIRED',
      'passkey_required',
    ),
  password_change_required:
    code`The password must be replaced first; log in with a browser, such as on the account page`(
      '403 access_denied PASSWORD_CHANGE_REQUIRED',
      'password_change_required',
    ),
  mfa_exists: code`A TOTP enrollment already exists or has been started`(
    '409 invalid_request MFA_EXISTS',
    'changed',
  ),
  auth_request_unknown: code`The authentication request is unknown, expired or finished; start again`(
    '400 invalid_request INVALID_AUTH_REQUEST',
    'auth_request_unknown',
  ),
  unauthorized:
    code`The request could not be completed. The session is not authorized or the credentials are invalid`(
      '401 invalid_token UNAUTHORIZED',
      'forbidden',
    ),
  forbidden: code`The authenticated identity lacks the permission for this operation`(
    '403 access_denied FORBIDDEN',
    'forbidden',
  ),

  // Enrollment
  invalid_enrollment_token:
    code`The enrollment token is not valid: it was used, replaced or deleted, or never existed. Ask for a new one`(
      '400 invalid_grant INVALID_ENROLLMENT_TOKEN',
      'forbidden',
    ),
  enrollment_expired: code`The enrollment token has expired. Ask for a new one`(
    '400 invalid_grant ENROLLMENT_EXPIRED',
    'forbidden',
  ),
  enrollment_not_allowed: code`Enrollment in this way is not allowed`(
    '409 access_denied INVALID_ENROLLMENT_NOT_ALLOWED',
    'forbidden',
  ),
  enrollment_certificate_refused: code`The client certificate of the connection cannot be enrolled`(
    '400 access_denied INVALID_CERT_PEM',
    'forbidden',
  ),
  already_enrolled: code`The identity is already enrolled`('409 invalid_request CONFLICT', 'changed'),

  // Input
  could_not_parse_body: code`The body of the request could not be parsed`(
    '400 invalid_request COULD_NOT_PARSE_BODY',
  ),
  could_not_validate: code`The supplied request contains an invalid document or parameter`(
    '400 invalid_request COULD_NOT_VALIDATE',
  ),
  invalid_filter: code`The filter could not be parsed`('400 invalid_request INVALID_FILTER'),
  invalid_field: code`The field contains an invalid value`('400 invalid_request INVALID_FIELD'),
  not_found: code`The resource requested was not found or is no longer available`(
    '404 invalid_request NOT_FOUND',
    'notFound',
  ),
  conflict: code`The entity conflicts with an existing one`('409 invalid_request CONFLICT', 'changed'),
  precondition_failed: code`It was changed meanwhile; read it again, then repeat the change`(
    '412 invalid_request PRECONDITION_FAILED',
    'changed',
  ),
  cannot_delete_referenced: code`Other entities refer to this entity, so it cannot be deleted`(
    '409 invalid_request CAN_NOT_DELETE_REFERENCED_ENTITY',
    'changed',
  ),
  cannot_be_deleted: code`The entity cannot be deleted`(
    '400 invalid_request ENTITY_CAN_NOT_BE_DELETED',
    'changed',
  ),
  password_not_acceptable: code`The password does not meet the rules`('400 invalid_request INVALID_FIELD'),
  csr_not_acceptable: code`The certificate signing request cannot be processed`(
    '400 invalid_request COULD_NOT_PROCESS_CSR',
  ),

  // HTTP
  method_not_allowed: code`The method is not allowed on this resource`(
    '405 invalid_request METHOD_NOT_ALLOWED',
  ),
  not_acceptable: code`None of the media types that the client accepts can be produced`(
    '406 invalid_request NOT_ACCEPTABLE',
  ),
  unsupported_media_type: code`The media type of the body is not supported here`(
    '415 invalid_request UNSUPPORTED_MEDIA_TYPE',
  ),
  payload_too_large: code`The body is larger than this endpoint accepts`(
    '413 invalid_request REQUEST_ENTITY_TOO_LARGE',
  ),
  uri_too_long: code`The address of the request is too long`('414 invalid_request URI_TOO_LONG'),
  header_too_large:
    code`The headers of the request are too large; in a browser, delete the cookies of this site`(
      '431 invalid_request HEADER_TOO_LARGE',
    ),
  misdirected_request: code`This server does not serve the requested host`(
    '421 invalid_request MISDIRECTED_REQUEST',
    'notFound',
  ),

  // Load and failure
  rate_limited: code`Too many attempts; try again later`(
    '429 temporarily_unavailable RATE_LIMITED',
    'rate_limited',
  ),
  busy: code`The server is busy; try again later`('503 temporarily_unavailable SERVER_BUSY', 'outage'),
  unavailable: code`The service is temporarily unavailable`(
    '503 temporarily_unavailable UNAVAILABLE',
    'outage',
  ),
  server_error: code`An unexpected error occurred`('500 server_error UNHANDLED', 'defect'),
};

export type ErrorCode = keyof typeof errorCodes;
/** The kinds of pages that tell a person of a failure: some have one for many codes. */
export type ErrorPageKind = (typeof errorCodes)[ErrorCode]['page'];
