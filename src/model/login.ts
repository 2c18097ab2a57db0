import type { Millis } from '../platform/clock.ts';
import type { Assertion, PasskeySite } from '../platform/webauthn.ts';
import type { ClientInfo, LoginPlace } from './client-info.ts';
import type { PasswordPolicy } from './entities/auth-policy.ts';
import type { AuthenticatorId, BrowserSessionId, CaId, IdentityId, SignerId } from './ids.ts';

/** The primary methods, as in the `method` parameter (spec 4.2). */
export const primaryMethods = ['password', 'cert', 'ext-jwt', 'passkey'] as const;
export type PrimaryMethod = (typeof primaryMethods)[number];
/** Methods of the legacy mechanism, which has no step for a question that has to be asked first. */
export const legacyMethods = ['password', 'cert', 'ext-jwt'] as const satisfies readonly PrimaryMethod[];

/** Which step of a login an attempt was; `enroll` comes before the first login. */
export const attemptSteps = [
  ...primaryMethods,
  'totp',
  'secondary-ext-jwt',
  'secondary-passkey',
  'enroll',
] as const;
export type AttemptStep = (typeof attemptSteps)[number];

/** The credentials of a login, with one member for each primary method. */
export type Credentials =
  | { readonly method: 'password'; readonly username: string; readonly password: string }
  /** DER of the TLS connection's certificates, the proven leaf first; null when it sent no certificate. */
  | { readonly method: 'cert'; readonly chain: readonly Buffer[] | null }
  /** Bearer tokens in the order of their header lines; not all of them need be meant as the primary proof. */
  | {
      readonly method: 'ext-jwt';
      readonly tokens: readonly string[];
      /** The signer at whose provider the person signed in, which alone may vouch for them; any unless given. */
      readonly signerId?: SignerId;
    }
  | {
      readonly method: 'passkey';
      readonly answer: Assertion;
      /** Where, and in which login, the question was asked. */
      readonly asked: AskedIn;
    };

/** The place that a question for a passkey is bound to: the answer works there only. */
export interface AskedIn {
  /** Null where no passkey works, because the host is an address or not below the configured domain. */
  readonly site: PasskeySite | null;
  /** Key of the login or session. */
  readonly flow: string;
  /** The binding of the browser; null: none. */
  readonly browser: string | null;
}

/**
 * An accepted proof; the value of `amr` in tokens. `ejs:` is followed by the id of the external JWT signer, `passkey:` by
 * that of the passkey that was the second proof. `uv`: the passkey that opened the login knew its owner, and the policy
 * said that this is a second proof. `user` (RFC 8176): the passkey of the login proved that a person was there, not which one.
 */
export type PassedMethod = PrimaryMethod | 'totp' | `ejs:${string}` | `passkey:${string}` | 'uv' | 'user';

declare const counted: unique symbol;
/**
 * The passed methods that count as factors now, the primary one first: each is proven independently of the others. Made
 * by `provenFactors` of login/, so that no decision depends on factors that were merely passed.
 */
export type ProvenFactors = readonly PassedMethod[] & { readonly [counted]: true };

/** The proofs of a login, which the session that it opens keeps. */
export interface ProvenLogin {
  readonly identityId: IdentityId;
  /** Null when the identity was found by a claim and not by its own authenticator. */
  readonly authenticatorId: AuthenticatorId | null;
  /** The signer of the primary proof when that was an external JWT. */
  readonly signerId: SignerId | null;
  /** The third-party authority at the end of the certificate's path; null: the overlay's own, or no certificate. */
  readonly caId: CaId | null;
  readonly passed: readonly PassedMethod[];
  readonly authTime: Millis;
  /** SHA-256 of the DER leaf, base64url, when the primary method was `cert`; tokens are bound to it (RFC 8705). */
  readonly certThumbprint: string | null;
}

/**
 * How far a login has come. A primary login replaces it as a whole: a factor passed for one identity must never count
 * for another one that logs in on the same request.
 */
export interface LoginProgress extends ProvenLogin {
  /** SPKI, DER as base64, of the key for which the client wants a session certificate; its possession is proven. */
  readonly certificateKey?: string;
  /** The client's description of itself; stored when the login is complete. */
  readonly clientInfo?: ClientInfo;
  /** Missing when a node of the previous release took the primary proof. */
  readonly place?: LoginPlace;
  /** The person used a recovery code and wants to set up the authenticator app anew before the login goes on. */
  readonly offersNewApp?: boolean;
  /** The browser session that this login opened or continued; it ends when the API session is logged out. */
  readonly browserSessionId?: BrowserSessionId;
}

/** The record of a signer or an authority, as it was when a token or certificate of it was accepted. */
export interface Voucher {
  readonly kind: 'signer' | 'ca';
  readonly id: SignerId | CaId;
  readonly updatedAt: Millis;
}

/** The claim of a token or certificate by which a party names an identity. */
export interface Vouched {
  readonly voucher: Voucher;
  /** The external id of the identity, by which a claim found it; null: found otherwise. */
  readonly externalId: string | null;
}

/** The facts that a primary login depends on besides its authenticator. */
export interface Verified {
  /** The password hash of the authenticator; null: no password. */
  readonly verifiedHash: string | null;
  /** By signers and third-party authorities. */
  readonly vouched: readonly Vouched[];
}

/** A secondary factor that a policy requires. */
export type Factor =
  | { readonly type: 'totp'; readonly isEnrolled: boolean }
  | { readonly type: 'ext-jwt'; readonly signerId: SignerId }
  | { readonly type: 'passkey'; readonly isEnrolled: boolean }
  | ({ readonly type: 'password-change' } & NewPassword);

/** A new password to replace the one that opened the login. */
export interface NewPassword {
  readonly rules: PasswordPolicy;
  /** Of the password. */
  readonly username: string;
}

/** One outstanding question to the client (spec 2.3). */
export interface AuthQuery {
  readonly typeId: string;
  readonly format?: string;
  readonly httpMethod?: string;
  readonly httpUrl?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly provider: string;
  /** For TOTP: whether a code can be asked for, or an app must be enrolled first. */
  readonly isTotpEnrolled?: boolean;
  /** For a passkey: whether one can be asked for, or has to be added first. */
  readonly isPasskeyEnrolled?: boolean;
  /** For an external JWT: the signer, and what a client needs to get one of its tokens. */
  readonly id?: string;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly scopes?: readonly string[];
}
