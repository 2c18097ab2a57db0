import type { ApiSession } from '../../model/api-session.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { ClientProgram } from '../../model/client-info.ts';
import type { AuthPolicy } from '../../model/entities/auth-policy.ts';
import type { IdentityInTokens } from '../../model/entities/identity.ts';
import type { ApiSessionId, AuthenticatorId, AuthRequestKey, BrowserSessionId } from '../../model/ids.ts';
import type { NewProgram } from '../../model/last-login.ts';
import type { LoginProgress, Verified, Vouched } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';

/**
 * How long a single-use credential may wait for a shared database before it is used up. After that the method throws
 * StoreUnavailable and does nothing. A client without an answer asks another node; its first request would then arrive
 * as the second use, and end the session that the client has obtained meanwhile.
 */
export type Within = Millis;

/** A browser session opened when a login completes. The rest of it comes from that login. */
export interface NewBrowserSession {
  readonly id: BrowserSessionId;
  /** SHA-256 of the whole cookie value, base64url. */
  readonly tokenHash: string;
  /** The application that the login leads to. */
  readonly application: string;
  readonly ipAddress: string;
  readonly now: Millis;
  readonly expiresAt: Millis;
  /** The previous session of this browser. It ends in the same step. */
  readonly replaces: BrowserSessionId | null;
  /** How many one identity may have. The oldest are ended. */
  readonly most: number;
}

/** An authorization code as stored: its hash, never the code. */
export interface StoredCode {
  /** SHA-256 of the whole code, base64url. */
  readonly hash: string;
  readonly expiresAt: Millis;
  /** Keys of attempt counters (`AttemptStore`) to reset, since the login is complete with the code. */
  readonly forgetFailures: readonly string[];
  /** Opened in the same step: the person stays signed in in this browser. */
  readonly browserSession?: NewBrowserSession;
}

/** A login in progress. It exists from the first verified primary login on. */
export interface LoginRecord {
  readonly authRequest: AuthRequest;
  /** Raised by every primary login. A factor is recorded only for the generation against which it was verified. */
  readonly generation: number;
  readonly progress: LoginProgress;
  readonly hasCode: boolean;
  readonly expiresAt: Millis;
}

export interface RedeemCode {
  readonly key: AuthRequestKey;
  readonly codeHash: string;
  readonly clientId: string;
  /** Whether an administrator has registered the client, which must not have been deleted since. False unless given. */
  readonly isRegistered?: boolean;
  readonly redirectUri: string;
  /** S256 of the presented verifier. */
  readonly codeChallenge: string;
  readonly issuer: string;
  /** SHA-256 of the certificate on the connection, base64url; null when there is none. */
  readonly certThumbprint: string | null;
  /** The key that was proven (RFC 7638): that of the code, if it has one, and then of the session. */
  readonly keyThumbprint: string | null;
  readonly now: Millis;
  /** The session to open, with its first refresh token when `offline_access` was granted. */
  readonly session: {
    readonly id: ApiSessionId;
    readonly ipAddress: string;
    /** The program that redeems the code; null when that is the server of a web application. */
    readonly program: ClientProgram | null;
    /** Whether no browser redeems the code. */
    readonly isForProgram: boolean;
    readonly expiresAt: Millis;
    /** So long the application is told when the session ends, also after its tokens have expired; null: it is not. */
    readonly toldUntil: Millis | null;
    readonly refresh: NewRefreshFamily;
    /** As of `OpenLegacySession`; kept if a third-party authority issued the certificate of the login. */
    readonly certChain?: readonly string[] | null;
  };
  /** See `Within`. */
  readonly within?: Within;
  /** The answer of the first time was lost. */
  readonly isAskedAgain?: boolean;
}

/** Opened only when the scopes of the authorization request contain `offline_access`. */
export interface NewRefreshFamily {
  /** SHA-256 of the refresh token of generation 1, base64url. */
  readonly hash: string;
  readonly expiresAt: Millis;
  /** The family accepts no token from this time on, however often it was refreshed. */
  readonly familyExpiresAt: Millis;
}

export type RedeemOutcome =
  | {
      readonly outcome: 'redeemed';
      readonly session: ApiSession;
      readonly identity: IdentityInTokens;
      /** The identity's policy at this moment. */
      readonly policy: Pick<AuthPolicy, 'primary' | 'secondary' | 'requireDpop'>;
      /** Of the identity, with the new one and those that have expired: there are no more that live. */
      readonly openSessions: number;
      /** With which the identity logs in for the first time; null: none, or its very first login. */
      readonly newProgram: NewProgram | null;
      readonly nonce: string | null;
      /** As in `LoginProgress`; null when none was requested. */
      readonly certificateKey: string | null;
    }
  /** `endedSession` is set when this was a second valid use, and the session opened by the first one was ended. */
  | {
      readonly outcome: 'refused';
      readonly reason: RedeemRefusal;
      readonly endedSession: ApiSessionId | null;
    };

/** The outcome of a primary login: see `recordPrimaryLogin`. */
export type PrimaryRecorded = 'recorded' | 'finished' | 'elsewhere' | 'changed';

/** For the audit trail. The client never learns which. */
export type RedeemRefusal =
  | 'unknown'
  | 'expired'
  | 'already-used'
  | 'wrong-binding'
  | 'wrong-certificate'
  | 'wrong-key'
  | 'too-many-attempts'
  | 'identity-unavailable';

export interface AuthRequestStore {
  /**
   * Records a verified primary login and replaces the whole record in one step: what was proven before, the browser,
   * what was requested. A TOTP enrollment begun on it is deleted. The request never ends earlier because of this.
   * A record that is bound to a browser is replaced from that browser only.
   * With `code`, the same step finishes the request. A request that already has a code is left unchanged.
   * Nothing is recorded unless the identity may log in, the authenticator still exists and what was verified is still
   * so: a change of it ends every login that was verified before, even one that is just being recorded.
   * @returns `finished` when the request already has a code, `elsewhere` when another browser continues with it,
   * `changed` when the proof is gone or has changed since, or the identity was disabled
   */
  recordPrimaryLogin(
    login: {
      authRequest: AuthRequest;
      progress: LoginProgress;
      code: StoredCode | null;
      expiresAt: Millis;
      now: Millis;
    } & Partial<Verified>,
  ): Promise<PrimaryRecorded>;

  /**
   * Records a factor passed after the primary login, with the code when nothing is outstanding any more. Only the
   * generation against which the factor was verified accepts it: after another primary login, or once there is a code,
   * nothing changes. Nothing changes either if another factor was recorded meanwhile, because this would undo it.
   * @param factor.known   the progress to which the factor was added
   * @param factor.vouched the claim of the token that proved it; null: none
   * @returns `outdated` when the progress has changed since, within the same primary login; `changed` when the claim no
   * longer counts
   */
  recordFactor(factor: {
    key: AuthRequestKey;
    generation: number;
    known: LoginProgress;
    progress: LoginProgress;
    vouched?: Vouched | null;
    code: StoredCode | null;
    expiresAt: Millis;
    now: Millis;
  }): Promise<'recorded' | 'superseded' | 'outdated' | 'changed'>;

  /**
   * Sets the new password that a login with the old one has to choose, if the login still has that generation and no
   * code. Ends every session of the identity and its other logins, and clears the requirement of a new password.
   * @returns false when the login is superseded or over, or the authenticator is gone
   */
  replacePassword(change: {
    key: AuthRequestKey;
    generation: number;
    authenticatorId: AuthenticatorId;
    passwordHash: string;
    now: Millis;
  }): Promise<boolean>;

  /** Keeps a login in progress open until `expiresAt`, if that is later than its present end. */
  extend(key: AuthRequestKey, expiresAt: Millis): Promise<void>;

  /** The record of a request whose primary login is done. Null when there is none or it has expired. */
  findLogin(key: AuthRequestKey, now: Millis): Promise<LoginRecord | null>;

  /**
   * Uses up an authorization code and opens its session: exactly one of any number of concurrent calls is `redeemed`.
   * The condition of the one statement that decides contains every binding. A second use with the right bindings ends
   * the session that the first one opened (RFC 6749 4.1.2). Wrong bindings do not use the code up, but after the fifth
   * it no longer works. The code of a certificate login is bound to that certificate. A disabled or deleted identity
   * gets nothing.
   */
  redeemCode(redeem: RedeemCode): Promise<RedeemOutcome>;
}
