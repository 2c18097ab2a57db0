import type { Millis } from '../platform/clock.ts';
import type { BrowserSessionId } from './ids.ts';
import type { LoginProgress } from './login.ts';

/** How long people stay signed in at a bind point, in the browser they signed in with. */
export interface BrowserSessionRules {
  /** It ends after this long without a use. */
  readonly idle: Millis;
  /** It ends this long after the login, however often it is used. */
  readonly absolute: Millis;
}

/**
 * What somebody proved in a browser, kept so that another authorization there need not ask again. It is no credential
 * of an API: it is judged at each use, and all that it can give is an authorization code.
 */
export interface BrowserSession {
  readonly id: BrowserSessionId;
  /** Issuer of the bind point at which it was opened; it counts nowhere else. */
  readonly issuer: string;
  readonly progress: LoginProgress;
  /** The applications that this person has gone on to, as `applicationKey` of oidc/ names them. */
  readonly applications: readonly string[];
  readonly ipAddress: string;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis;
  /** The earlier of both ends, as they stood at the last use. */
  readonly expiresAt: Millis;
}
