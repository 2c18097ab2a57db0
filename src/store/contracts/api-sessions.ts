import type { ApiSession, SessionEndReason } from '../../model/api-session.ts';
import type { Identity, IdentityInTokens } from '../../model/entities/identity.ts';
import type { ApiSessionId, IdentityId } from '../../model/ids.ts';
import type { NewProgram } from '../../model/last-login.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { LoginProgress, PassedMethod, Verified } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { Within } from './auth-requests.ts';

export interface RotateRefreshToken {
  readonly sessionId: ApiSessionId;
  /** SHA-256 of the whole presented token, base64url. */
  readonly presentedHash: string;
  /** Generation number in the presented token, which the caller has authenticated. */
  readonly presentedGeneration: number;
  readonly clientId: string;
  /** The session has it from then on. The caller has decided that it may. */
  readonly issuer: string;
  /** SHA-256, base64url, of the DER leaf on the connection. Must equal the session's, if the session has one. */
  readonly certThumbprint: string | null;
  /** The key that was proven (RFC 7638). Must equal the session's, if the session has one. */
  readonly keyThumbprint: string | null;
  readonly nextHash: string;
  /** One more than `presentedGeneration`; the same where the token stays unchanged, as `nextHash` then does. */
  readonly nextGeneration: number;
  /** Sliding end of the successor; capped by the family's absolute end. */
  readonly nextExpiresAt: Millis;
  /** The session lives at least until then, because its new access token does. Never shortens it. */
  readonly sessionExpiresAt: Millis;
  readonly ipAddress: string;
  readonly now: Millis;
  /**
   * A duplicate of the direct predecessor within this time, from the same sender, is refused without ending the family.
   */
  readonly duplicateWindow: Millis;
  /**
   * How long after a rotation a repeated request returns the same successor, if `nextHash` is still the live one. 0 or
   * absent: never.
   */
  readonly retryGrace?: Millis;
  /** See `Within`. */
  readonly within?: Within;
}

export type RotateOutcome =
  | {
      readonly outcome: 'rotated';
      /** The members that changed. The rest of a session never changes. */
      readonly session: Pick<ApiSession, 'ipAddress' | 'lastActivityAt' | 'expiresAt'>;
      readonly identity: IdentityInTokens;
    }
  /** A retry within the grace: `nextHash` is the live token already, and nothing was changed. */
  | { readonly outcome: 'repeated'; readonly identity: IdentityInTokens }
  /** The token is one of ours that was used before: the session and its whole family have been ended. */
  | { readonly outcome: 'reused' }
  | {
      readonly outcome: 'refused';
      readonly reason:
        | 'unknown'
        | 'expired'
        | 'ended'
        | 'duplicate'
        | 'wrong-binding'
        | 'identity-unavailable';
    };

/** Continues a session that has no refresh token. */
export interface RenewSession
  extends Pick<
    RotateRefreshToken,
    'sessionId' | 'clientId' | 'issuer' | 'certThumbprint' | 'keyThumbprint' | 'ipAddress' | 'now'
  > {
  /** The session lives at least until then; null: unchanged. */
  readonly expiresAt: Millis | null;
}

/** Fields for the owner of a session that its access token does not contain. */
export type OwnSession = Pick<
  ApiSession,
  | 'authenticatorId'
  | 'caId'
  | 'keyThumbprint'
  | 'passed'
  | 'authTime'
  | 'ipAddress'
  | 'loginIpAddress'
  | 'program'
  | 'operatingSystem'
  | 'createdAt'
  | 'lastActivityAt'
  | 'expiresAt'
>;

/** The fields of a session that ended before its tokens expired, for the deny set. */
export interface EndedSession {
  readonly id: ApiSessionId;
  readonly expiresAt: Millis;
}

/** A legacy session to open. The rest of the row follows from it. */
export interface OpenLegacySession extends Partial<Verified> {
  readonly id: ApiSessionId;
  /** SHA-256 of the session token, base64url. */
  readonly tokenHash: string;
  readonly progress: LoginProgress;
  readonly issuer: string;
  readonly configTypes: readonly string[];
  readonly ipAddress: string;
  readonly expiresAt: Millis;
  readonly now: Millis;
  /** The certificates that led to an authority (DER as base64, the leaf first) when the primary method was `cert`. */
  readonly certChain?: readonly string[];
  /** Whether nothing is outstanding, unless an authenticator app is enrolled. */
  readonly isComplete: boolean;
}

/** Facts about a complete login that opened a session. */
export interface OpenedWith {
  /** With which the identity logs in for the first time; null: none, its very first login, or it is not complete. */
  readonly newProgram: NewProgram | null;
}

/** When a legacy session was last used, and until when it therefore lives. */
export interface SessionActivity {
  readonly id: ApiSessionId;
  readonly lastActivityAt: Millis;
  readonly expiresAt: Millis;
}

/**
 * Which sessions of an identity end first. Those with a single proof of the legacy mechanism lack a factor where another
 * session has several.
 * - `oldest`: the oldest
 * - `single-proof`: those with a single proof of the legacy mechanism, then the oldest
 * - `only-single-proof`: those, the oldest first; no others count
 */
export type EndingOrder = 'oldest' | 'single-proof' | 'only-single-proof';

export interface ApiSessionStore {
  find(id: ApiSessionId): Promise<ApiSession | null>;

  /** Those that exist, in any order. */
  listByIds(ids: readonly ApiSessionId[]): Promise<readonly ApiSession[]>;

  /** Reads fewer columns than `find`. Null when the session has ended or expired. */
  findOwn(id: ApiSessionId, now: Millis): Promise<OwnSession | null>;

  /**
   * Opens a legacy session. Null when the identity is gone or disabled, the authenticator of the login is gone, or what
   * was verified has changed: the step that opens the session repeats the checks made with the credentials.
   */
  openLegacy(session: OpenLegacySession): Promise<(ApiSession & OpenedWith) | null>;

  /** The legacy session with this token, even if it has ended or expired. */
  findByTokenHash(tokenHash: string): Promise<ApiSession | null>;

  /** The `certChain` with which a session was opened; null when there is none. */
  findCertChain(id: ApiSessionId): Promise<readonly string[] | null>;

  /**
   * Ends live sessions of an identity until `most` are left. If others are opened at the same time, the next call ends
   * the surplus.
   * @returns which sessions
   */
  endOldestOf(
    identityId: IdentityId,
    most: number,
    end: { readonly now: Millis; readonly order: EndingOrder },
  ): Promise<readonly ApiSessionId[]>;

  /**
   * Adds a factor to a legacy session. Null when the session has ended.
   * @param completedAt now, if nothing is outstanding any more; null: something is, or nothing was
   */
  addPassed(id: ApiSessionId, factor: PassedMethod, completedAt: Millis | null): Promise<OpenedWith | null>;

  /**
   * Records when legacy sessions were last used. Skips sessions that have ended, that belong to the other mechanism, or
   * for which a later use is recorded.
   */
  recordActivity(activity: readonly SessionActivity[]): Promise<void>;

  /** Sessions that have neither ended nor expired. */
  list(query: ListQuery, now: Millis): Promise<Page<ApiSession & { readonly identityName: string }>>;

  /**
   * Replaces the live refresh token of a session by its successor; the same step invalidates the old one. Exactly one
   * of any number of concurrent calls with the same token is `rotated`. A token of an earlier generation ends the
   * family (RFC 9700 4.14.2), except for the duplicate described at `duplicateWindow`.
   */
  rotateRefreshToken(rotate: RotateRefreshToken): Promise<RotateOutcome>;

  /**
   * Extends an OIDC session that has neither ended nor expired, belongs to this client and certificate, and whose
   * identity may log in. Null for any other session, which stays unchanged.
   */
  renew(renew: RenewSession): Promise<{ readonly session: ApiSession; readonly identity: Identity } | null>;

  /**
   * The session whose live refresh token has this hash, and when that token expires. Null when there is none, or when
   * the token has expired or the session has ended.
   */
  findByRefreshToken(
    id: ApiSessionId,
    hash: string,
    now: Millis,
  ): Promise<{ readonly session: ApiSession; readonly refreshExpiresAt: Millis } | null>;

  /**
   * Ends one session: its tokens are refused from the next call on, and its application is told if it wants to be, by
   * every method that ends sessions. False when it was not alive.
   */
  end(id: ApiSessionId, reason: SessionEndReason, now: Millis): Promise<boolean>;

  /**
   * Ends every live session of an identity, and its logins in progress.
   * @returns how many sessions
   */
  endAllOf(identityId: IdentityId, reason: SessionEndReason, now: Millis): Promise<number>;

  /** The same, but this session continues. */
  endOthers(
    session: Pick<ApiSession, 'id' | 'identityId'>,
    reason: SessionEndReason,
    now: Millis,
  ): Promise<number>;

  /**
   * Every session that ended after `endedAfter` and may still have unexpired tokens: the deny set at start, in parts.
   * Sessions that end meanwhile may be missing; the change feed has them.
   * @param endedAfter tokens of sessions that ended earlier have expired, even if the row says otherwise
   * @param together   the most sessions in one part
   */
  listEnded(now: Millis, endedAfter: Millis, together?: number): AsyncIterable<readonly EndedSession[]>;
}
