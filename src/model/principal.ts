import type { Millis } from '../platform/clock.ts';
import type { Account } from './account.ts';
import type { RequestOrigin } from './audit-event.ts';
import type { ApiSessionId, IdentityId, SignerId } from './ids.ts';
import type { Factor, ProvenFactors } from './login.ts';
import type { Permission } from './permission.ts';

/** The authenticated caller, and the factors that are still outstanding. */
export interface Principal {
  readonly identityId: IdentityId;
  /** As it was when the caller was let in. */
  readonly account: Account;
  readonly isAdmin: boolean;
  readonly permissions: readonly Permission[];
  readonly apiSessionId: ApiSessionId;
  readonly mechanism: 'oidc' | 'legacy';
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Whether the token works for userinfo only, and not for the Edge APIs. */
  readonly isOfApplication?: boolean;
  /** Whether the call has proven the key to which the token is bound (DPoP). */
  readonly provesKey?: boolean;
  readonly configTypes: readonly string[];
  readonly passed: ProvenFactors;
  readonly authTime: Millis;
  readonly issuedAt: Millis;
  readonly expiresAt: Millis;
  /** Empty when fully authenticated. */
  readonly outstanding: readonly Factor[];
  /**
   * If an external JWT is outstanding that must come with every call: its signer, and the fault of this call's token.
   */
  readonly lackingJwt?: LackingJwt;
}

/** A request of a logged-in person about their own account. */
export interface OwnCall {
  readonly caller: Principal;
  readonly origin: RequestOrigin;
}

export interface LackingJwt {
  readonly signerId: SignerId;
  /** The `iss` of the signer's tokens; null when the signer was deleted. */
  readonly issuer: string | null;
  readonly error: 'missing' | 'invalid' | 'expired';
  /** For the log. */
  readonly detail: string;
}
