import type { ApiSession, SessionEndReason } from '../../model/api-session.ts';
import type { Identity, IdentityInTokens } from '../../model/identity.ts';
import type { ApiSessionId, IdentityId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { LoginProgress, PassedMethod } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { Within } from './store.ts';

export interface RotateRefreshToken {
  readonly sessionId: ApiSessionId;
  /** SHA-256 of the whole token that was presented, base64url. */
  readonly presentedHash: string;
  /** Generation number inside the presented token, whose authenticity the caller has verified. */
  readonly presentedGeneration: number;
  readonly clientId: string;
  readonly issuer: string;
  /** SHA-256, base64url, of the DER leaf on the connection; must equal the session's when the session has one. */
  readonly certThumbprint: string | null;
  readonly nextHash: string;
  /** Sliding end of the successor; capped by the family's absolute end. */
  readonly nextExpiresAt: Millis;
  /** The session lives at least until then, since its new access token does; never shorter than before. */
  readonly sessionExpiresAt: Millis;
  readonly ipAddress: string;
  readonly now: Millis;
  /** A duplicate of the direct predecessor within this time, from the same sender, is refused without ending the family. */
  readonly duplicateWindow: Millis;
  /**
   * How long after a rotation a repeated request gives the same successor, if `nextHash` is still the live one;
   * 0, or left out: never.
   */
  readonly retryGrace?: Millis;
  /** See `Within`. */
  readonly within?: Within;
}

export type RotateOutcome =
  | {
      readonly outcome: 'rotated';
      /** The members that changed; the rest of a session never changes. */
      readonly session: Pick<ApiSession, 'ipAddress' | 'lastActivityAt' | 'expiresAt'>;
      readonly identity: IdentityInTokens;
    }
  /** A retry within the grace: the live token is `nextHash` already, and nothing was changed. */
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
export interface RenewSession {
  readonly sessionId: ApiSessionId;
  readonly clientId: string;
  readonly issuer: string;
  /** As in `RotateRefreshToken`. */
  readonly certThumbprint: string | null;
  /** The session lives at least until then; null: as long as before. */
  readonly expiresAt: Millis | null;
  readonly ipAddress: string;
  readonly now: Millis;
}

/** What the deny set needs to know of a session that ended before its tokens expired. */
export interface EndedSession {
  readonly id: ApiSessionId;
  readonly expiresAt: Millis;
}

/** A legacy session to open; everything else of the row follows from it. */
export interface OpenLegacySession {
  readonly id: ApiSessionId;
  /** SHA-256 of the session token, base64url. */
  readonly tokenHash: string;
  readonly progress: LoginProgress;
  readonly issuer: string;
  readonly configTypes: readonly string[];
  readonly ipAddress: string;
  readonly expiresAt: Millis;
  readonly now: Millis;
  /** The password hash that was verified; the authenticator must still have it. */
  readonly verifiedHash?: string | null;
  /** The certificates that led to an authority (DER as base64, the leaf first) when the primary method was `cert`. */
  readonly certChain?: readonly string[];
}

/** When a legacy session was last used, and until when that keeps it alive. */
export interface SessionActivity {
  readonly id: ApiSessionId;
  readonly lastActivityAt: Millis;
  readonly expiresAt: Millis;
}

export interface ApiSessionStore {
  find(id: ApiSessionId): Promise<ApiSession | null>;

  /**
   * Opens a legacy session. Null when the identity is gone or disabled, or the authenticator of the login is gone or
   * has another password by now: the step that opens the session checks once more what was true when the credentials were checked.
   */
  openLegacy(session: OpenLegacySession): Promise<ApiSession | null>;

  /** The legacy session with this token, also one that has ended or expired. */
  findByTokenHash(tokenHash: string): Promise<ApiSession | null>;

  /** The `certChain` with which a legacy session was opened; null when there is none. */
  findCertChain(id: ApiSessionId): Promise<readonly string[] | null>;

  /**
   * Ends the oldest live sessions of an identity until `most` are left; of those that are opened at the same time some
   * may be left over until the next call.
   * @returns which
   */
  endOldestOf(identityId: IdentityId, most: number, now: Millis): Promise<readonly ApiSessionId[]>;

  /** Adds a factor to what a legacy session has proven. False when it has ended. */
  addPassed(id: ApiSessionId, factor: PassedMethod): Promise<boolean>;

  /**
   * Keeps when legacy sessions were last used. Sessions that have ended, that are of the other mechanism or that
   * the store knows to have been used later are left as they are.
   */
  recordActivity(activity: readonly SessionActivity[]): Promise<void>;

  /** Sessions that have neither ended nor expired. */
  list(query: ListQuery, now: Millis): Promise<Page<ApiSession & { readonly identityName: string }>>;

  /**
   * Replaces the live refresh token of a session by its successor; the old one is dead in the same step.
   * Exactly one of any number of concurrent calls with the same token is `rotated`. A token of an earlier
   * generation ends the family (RFC 9700 4.14.2), save for the duplicate described at `duplicateWindow`.
   */
  rotateRefreshToken(rotate: RotateRefreshToken): Promise<RotateOutcome>;

  /**
   * Lets an OIDC session live longer that has neither ended nor expired, is of this client, issuer and certificate,
   * and whose identity can be used; null, and nothing has changed, for any other.
   */
  renew(renew: RenewSession): Promise<{ readonly session: ApiSession; readonly identity: Identity } | null>;

  /**
   * The session whose live refresh token has this hash, and when that token ends; null when there is none, or it
   * or the session has ended.
   */
  findByRefreshToken(
    id: ApiSessionId,
    hash: string,
    now: Millis,
  ): Promise<{ readonly session: ApiSession; readonly refreshExpiresAt: Millis } | null>;

  /** Ends one session: its tokens are refused from the next call on. False when it was not alive. */
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
   * Every session that has ended after `endedAfter` and may still have unexpired tokens: the deny set at start-up, a part
   * at a time. What ends meanwhile may be missing; the change feed has it.
   * @param endedAfter tokens of sessions that ended before have expired, whatever the row says
   * @param together   how many a part has at most
   */
  listEnded(now: Millis, endedAfter: Millis, together?: number): AsyncIterable<readonly EndedSession[]>;
}
