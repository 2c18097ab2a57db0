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
 * The proofs that a person gave in a browser, kept so that the next authorization there need not ask again. It is not a
 * credential for any API: every use is judged again, and only yields an authorization code.
 */
export interface BrowserSession {
  readonly id: BrowserSessionId;
  /** Issuer of the bind point at which it was opened; it is valid nowhere else. */
  readonly issuer: string;
  readonly progress: LoginProgress;
  /** The applications that this person has continued to, as named by `applicationKey` of oidc/. */
  readonly applications: readonly string[];
  readonly ipAddress: string;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis;
  /** The earlier of both ends, as of the last use. */
  readonly expiresAt: Millis;
}
