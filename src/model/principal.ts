import type { Millis } from '../platform/clock.ts';
import type { ApiSessionId, IdentityId } from './ids.ts';
import type { Factor, PassedMethod } from './login.ts';

/** Who is calling, and what that caller still has to prove. */
export interface Principal {
  readonly identityId: IdentityId;
  readonly identityName: string;
  readonly isAdmin: boolean;
  readonly apiSessionId: ApiSessionId;
  readonly mechanism: 'oidc' | 'legacy';
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly configTypes: readonly string[];
  readonly passed: readonly PassedMethod[];
  readonly authTime: Millis;
  readonly issuedAt: Millis;
  readonly expiresAt: Millis;
  /** Empty when fully authenticated. */
  readonly outstanding: readonly Factor[];
}
