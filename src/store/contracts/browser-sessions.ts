import type { AuthRequest } from '../../model/auth-request.ts';
import type { BrowserSession } from '../../model/browser-session.ts';
import type { BrowserSessionId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { LoginProgress } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { StoredCode } from './auth-requests.ts';

/** Finishes an authorization request with the proofs of a browser session. */
export interface ContinueBrowserSession {
  readonly id: BrowserSessionId;
  readonly tokenHash: string;
  readonly application: string;
  readonly authRequest: AuthRequest;
  readonly progress: LoginProgress;
  readonly code: StoredCode;
  readonly now: Millis;
  /** The new end of the session. */
  readonly expiresAt: Millis;
}

export type NamedBrowserSession = BrowserSession & { readonly identityName: string };

export interface BrowserSessionStore {
  /** The session with this cookie; null when there is none, or it has expired. */
  findByToken(id: BrowserSessionId, tokenHash: string, now: Millis): Promise<BrowserSession | null>;

  /**
   * Records the authorization request with its code, and the use of the session, in one step.
   * @returns `gone` when the session has ended by now, `finished` when the request already has a code; nothing was
   * recorded then
   */
  continueWith(use: ContinueBrowserSession): Promise<'recorded' | 'gone' | 'finished'>;

  /** The sessions that have not expired. */
  list(query: ListQuery, now: Millis): Promise<Page<NamedBrowserSession>>;
  /** Null when there is none, or it has expired. */
  find(id: BrowserSessionId, now: Millis): Promise<NamedBrowserSession | null>;

  /** Ends one, and has the applications told that logged in with it. False when there was none. */
  end(id: BrowserSessionId, now: Millis): Promise<boolean>;
}
