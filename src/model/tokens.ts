import type { Seconds } from '../platform/clock.ts';
import type { ApiSessionId, CaId, IdentityId, SignerId } from './ids.ts';
import type { PassedMethod } from './login.ts';

/** The key that a token is bound to: a certificate (RFC 8705 3.1), a key (RFC 9449 6.1), or both. Wire names. */
export interface Confirmation {
  readonly 'x5t#S256'?: string;
  readonly jkt?: string;
}

/** How an access token is presented (RFC 6750, RFC 9449 5). */
export const accessTokenTypes = ['Bearer', 'DPoP'] as const;
export type AccessTokenType = (typeof accessTokenTypes)[number];

/** Signature algorithms of DPoP proofs: those that cost little to check. */
export const proofAlgorithms = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'] as const;

/** Claims of the access token (spec 2.5, RFC 9068). Wire names. */
export interface AccessTokenClaims {
  readonly iss: string;
  readonly sub: IdentityId;
  readonly aud: string | readonly string[];
  readonly exp: Seconds;
  readonly iat: Seconds;
  readonly nbf: Seconds;
  readonly jti: string;
  readonly client_id: string;
  /** Space-delimited. */
  readonly scope: string;
  readonly amr: readonly PassedMethod[];
  readonly acr: string;
  readonly auth_time: Seconds;
  readonly z_asid: ApiSessionId;
  readonly z_ia: boolean;
  readonly z_ct: readonly string[];
  readonly z_t: 'a';
  readonly z_ice: boolean;
  /** The third-party authority of the certificate that opened the session; the token is valid while that is trusted. */
  readonly z_caid?: CaId;
  /** The signer of the external JWT that opened the session; the token is valid while that is enabled. */
  readonly z_ejsid?: SignerId;
  readonly cnf?: Confirmation;
}

/** Claims of the ID token (OIDC Core 2, 3.1.3.6). Wire names. */
export interface IdTokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string;
  readonly exp: Seconds;
  readonly iat: Seconds;
  readonly auth_time: Seconds;
  readonly nonce?: string;
  readonly amr: readonly string[];
  readonly acr: string;
  readonly azp: string;
  /** Absent if no access token was issued with it. */
  readonly at_hash?: string;
  /** The API session, which RP-initiated logout ends. */
  readonly sid: string;
  /** For clients of the compatibility profile only. */
  readonly name?: string;
}

/** Token types of RFC 8693 3. */
export const tokenTypes = {
  accessToken: 'urn:ietf:params:oauth:token-type:access_token',
  refreshToken: 'urn:ietf:params:oauth:token-type:refresh_token',
  idToken: 'urn:ietf:params:oauth:token-type:id_token',
} as const;
export type TokenType = (typeof tokenTypes)[keyof typeof tokenTypes];

/**
 * Answer of a token exchange (RFC 8693 2.2.1). The issued token is the `access_token`, even if it is an ID token; with
 * one of those there is no `session_cert`. Wire names.
 */
export interface ExchangeResponse extends Omit<TokenResponse, 'token_type' | 'id_token'> {
  readonly issued_token_type: TokenType;
  /** `N_A`: the issued token is not an access token. */
  readonly token_type: AccessTokenType | 'N_A';
}

/** Answer of the token endpoint (spec 2.4, RFC 6749 5.1). Wire names. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: AccessTokenType;
  readonly expires_in: Seconds;
  readonly id_token: string;
  readonly scope: string;
  /** Only when `offline_access` was granted. */
  readonly refresh_token?: string;
  /** PEM, the certificate first; only if the client requested one with a certificate signing request. */
  readonly session_cert?: string;
}
