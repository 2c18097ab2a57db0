import type { Millis } from '../platform/clock.ts';
import type { PasswordPolicy } from './auth-policy.ts';
import type { ClientInfo, LoginPlace } from './client-info.ts';
import type { AuthenticatorId, BrowserSessionId, CaId, IdentityId, SignerId } from './ids.ts';

/** The primary methods, by the words of the `method` parameter (spec 4.2). */
export const primaryMethods = ['password', 'cert', 'ext-jwt'] as const;
export type PrimaryMethod = (typeof primaryMethods)[number];

/** What a client hands in to prove who it is. One member for each primary method. */
export type Credentials =
  | { readonly method: 'password'; readonly username: string; readonly password: string }
  /** DER of what the TLS connection proved and brought, the leaf first; null when it brought no certificate. */
  | { readonly method: 'cert'; readonly chain: readonly Buffer[] | null }
  /** Bearer tokens in the order of their header lines; not all of them need be meant as primary. */
  | { readonly method: 'ext-jwt'; readonly tokens: readonly string[] };

/** A proof that was accepted; the value of `amr` in tokens. `ejs:` carries the id of the external JWT signer. */
export type PassedMethod = PrimaryMethod | 'totp' | `ejs:${string}`;

/**
 * How far a login has come. A primary login replaces it as a whole: a factor that was passed
 * for one identity must never count for another one that logs in on the same request.
 */
export interface LoginProgress {
  readonly identityId: IdentityId;
  /** Null when the identity was found by a claim and not by its own authenticator. */
  readonly authenticatorId: AuthenticatorId | null;
  /** The signer of the primary proof when that was an external JWT. */
  readonly signerId: SignerId | null;
  /** The third-party authority that the certificate of the primary proof led to; null: the overlay's own, or none. */
  readonly caId: CaId | null;
  readonly passed: readonly PassedMethod[];
  readonly authTime: Millis;
  /** SHA-256 of the DER leaf, base64url, when the primary method was `cert`; tokens are bound to it (RFC 8705). */
  readonly certThumbprint: string | null;
  /** Hashes of the external JWT that was the primary proof (login/external-jwt/proof-hashes.ts): it never is the secondary one. */
  readonly primaryProof?: readonly string[];
  /** SPKI, DER as base64, of the key for which the client wants a certificate of its session; proven to be its own. */
  readonly certificateKey?: string;
  /** What the client said about itself; kept when the login is complete. */
  readonly clientInfo?: ClientInfo;
  /** Missing when a node of the release before took the primary proof. */
  readonly place?: LoginPlace;
  /** The browser session that this login opened or continued; it ends when the API session is logged out. */
  readonly browserSessionId?: BrowserSessionId;
}

/** A secondary factor that a policy asks for. */
export type Factor =
  | { readonly type: 'totp'; readonly isEnrolled: boolean }
  | { readonly type: 'ext-jwt'; readonly signerId: SignerId }
  /** A new password in place of the one that opened the login; `rules` are those that it must keep. */
  | { readonly type: 'password-change'; readonly rules: PasswordPolicy };

/** One outstanding question to the client (spec 2.3). */
export interface AuthQuery {
  readonly typeId: string;
  readonly format?: string;
  readonly httpMethod?: string;
  readonly httpUrl?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly provider: string;
  /** For TOTP: whether there is something to ask for, or it has to be enrolled first. */
  readonly isTotpEnrolled?: boolean;
  /** For an external JWT: the signer, and what a client needs to get a token of it. */
  readonly id?: string;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly scopes?: readonly string[];
}
