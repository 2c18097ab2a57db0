import type { Millis } from '../platform/clock.ts';
import type { AuthPolicy } from './auth-policy.ts';
import type { Identity } from './identity.ts';

/** An identity with everything that decides about its logins and calls, at one moment. */
export interface Account {
  readonly identity: Identity;
  readonly policy: AuthPolicy;
  readonly isTotpEnrolled: boolean;
  /** When its password was set; null when it has none. */
  readonly passwordSetAt: Millis | null;
}
