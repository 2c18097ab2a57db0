import type { ApiSession } from '../../model/api-session.ts';
import type { AuthPolicy } from '../../model/auth-policy.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { IdentityInTokens } from '../../model/identity.ts';
import type { ApiSessionId, AuthenticatorId, AuthRequestKey } from '../../model/ids.ts';
import type { LoginProgress } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewBrowserSession } from './browser-sessions.ts';
import type { Within } from './store.ts';

/** An authorization code as it is stored: never the code itself. */
export interface StoredCode {
  /** SHA-256 of the whole code, base64url. */
  readonly hash: string;
  readonly expiresAt: Millis;
  /** Keys of counters of attempts (`AttemptStore`) to reset, since the login is complete with the code. */
  readonly forgetFailures: readonly string[];
  /** Opened by the same step: the person stays signed in in this browser. */
  readonly browserSession?: NewBrowserSession;
}

/** A login in progress: exists from the first verified primary login on. */
export interface LoginRecord {
  readonly authRequest: AuthRequest;
  /** Raised by every primary login; a factor is recorded only for the generation it was verified against. */
  readonly generation: number;
  readonly progress: LoginProgress;
  readonly hasCode: boolean;
  readonly expiresAt: Millis;
}

export interface RedeemCode {
  readonly key: AuthRequestKey;
  readonly codeHash: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** S256 of the verifier that was presented. */
  readonly codeChallenge: string;
  readonly issuer: string;
  /** SHA-256 of the certificate on the connection, base64url; null when there is none. */
  readonly certThumbprint: string | null;
  readonly now: Millis;
  /** The session to open, and its first refresh token when `offline_access` was granted. */
  readonly session: {
    readonly id: ApiSessionId;
    readonly ipAddress: string;
    readonly expiresAt: Millis;
    readonly refresh: NewRefreshFamily;
  };
  /** See `Within`. */
  readonly within?: Within;
}

/** Opened only when the scopes of the authorization request hold `offline_access`. */
export interface NewRefreshFamily {
  /** SHA-256 of the refresh token of generation 1, base64url. */
  readonly hash: string;
  readonly expiresAt: Millis;
  /** No token of the family is accepted at or after this point, however often it was refreshed. */
  readonly familyExpiresAt: Millis;
}

export type RedeemOutcome =
  | {
      readonly outcome: 'redeemed';
      readonly session: ApiSession;
      readonly identity: IdentityInTokens;
      /** That of the identity at this moment. */
      readonly policy: Pick<AuthPolicy, 'primary' | 'secondary'>;
      readonly nonce: string | null;
      /** As in `LoginProgress`; null when none was asked for. */
      readonly certificateKey: string | null;
    }
  /** `endedSession` is set when this was a second valid use and the session that the first one opened was ended. */
  | {
      readonly outcome: 'refused';
      readonly reason: RedeemRefusal;
      readonly endedSession: ApiSessionId | null;
    };

/** What became of a primary login: see `recordPrimaryLogin`. */
export type PrimaryRecorded = 'recorded' | 'finished' | 'elsewhere' | 'changed';

/** For the audit trail; the client is never told which. */
export type RedeemRefusal =
  | 'unknown'
  | 'expired'
  | 'already-used'
  | 'wrong-binding'
  | 'wrong-certificate'
  | 'too-many-attempts'
  | 'identity-unavailable';

export interface AuthRequestStore {
  /**
   * Records a verified primary login and replaces whatever the record holds, in one step: what was proven before, the
   * browser, what was asked for. A TOTP enrollment that was begun on it is forgotten. The request never ends earlier by it.
   * A record that is bound to a browser is replaced from that browser only.
   * With `code`, the request is finished by the same step. A request that already has a code is left as it is.
   * With `verifiedHash`, nothing is recorded unless the authenticator still has that password hash: a change of the
   * password ends every login that was verified before it, also one that is just being recorded.
   * `release` takes back attempts that were reserved for the credentials (`AttemptStore.release`), whatever the outcome.
   * @returns `finished` when the request already has a code, `elsewhere` when another browser continues with it,
   *   `changed` when the password is another one now
   */
  recordPrimaryLogin(login: {
    authRequest: AuthRequest;
    progress: LoginProgress;
    code: StoredCode | null;
    expiresAt: Millis;
    now: Millis;
    verifiedHash?: string | null;
    release?: readonly string[];
  }): Promise<PrimaryRecorded>;

  /**
   * Records a factor that was passed after the primary login, with the code when nothing is outstanding any more.
   * Takes effect only for the generation against which the factor was verified: after another primary login, or
   * once there is a code, it changes nothing. Nor does it when another factor was recorded meanwhile, which it would
   * undo.
   * @param factor.known the progress to which the factor was added
   * @returns `outdated` when the progress is another one by now, of the same primary login
   */
  recordFactor(factor: {
    key: AuthRequestKey;
    generation: number;
    known: LoginProgress;
    progress: LoginProgress;
    code: StoredCode | null;
    expiresAt: Millis;
    now: Millis;
  }): Promise<'recorded' | 'superseded' | 'outdated'>;

  /**
   * Sets the new password that a login with the old one has to choose, if the login is still of that generation and has
   * no code. Ends every session of the identity and its other logins, and nobody needs to ask for a new password.
   * @returns false when the login is superseded, over, or the authenticator is gone
   */
  replacePassword(change: {
    key: AuthRequestKey;
    generation: number;
    authenticatorId: AuthenticatorId;
    passwordHash: string;
    now: Millis;
  }): Promise<boolean>;

  /** Keeps a login in progress open until `expiresAt`, if that is later than now its end. */
  extend(key: AuthRequestKey, expiresAt: Millis): Promise<void>;

  /** The record of a request whose primary login is done; null when there is none or it has expired. */
  findLogin(key: AuthRequestKey, now: Millis): Promise<LoginRecord | null>;

  /**
   * Uses up an authorization code and opens its session: exactly one of any number of concurrent calls is
   * `redeemed`. Every binding is in the condition of the one statement that decides. A second use with the
   * right bindings ends the session that the first one opened (RFC 6749 4.1.2); wrong bindings do not use the
   * code up, but the fifth makes it worthless. The code of a login by certificate is bound to that certificate. A disabled or deleted identity refuses.
   */
  redeemCode(redeem: RedeemCode): Promise<RedeemOutcome>;
}
