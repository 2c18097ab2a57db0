import type { Millis } from '../platform/clock.ts';
import type { Account } from './account.ts';
import type { ApiSession } from './api-session.ts';
import type { RequestOrigin } from './audit-event.ts';
import type { Identity } from './entities/identity.ts';
import type { ApiSessionId, IdentityId, SignerId } from './ids.ts';
import type { Factor, ProvenFactors } from './login.ts';
import { hasPower, isCovered, type Permission } from './permission.ts';

/** The authenticated caller, and the factors that are still outstanding. */
export interface Principal
  extends Pick<
    ApiSession,
    'identityId' | 'mechanism' | 'issuer' | 'clientId' | 'scopes' | 'configTypes' | 'authTime'
  > {
  /** As it was when the caller was let in. */
  readonly account: Account;
  readonly isAdmin: boolean;
  readonly permissions: readonly Permission[];
  readonly apiSessionId: ApiSessionId;
  /** Whether the token works for userinfo only, and not for the Edge APIs. */
  readonly isOfApplication?: boolean;
  /** Whether the call has proven the key to which the token is bound (DPoP). */
  readonly provesKey?: boolean;
  readonly passed: ProvenFactors;
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

/** The right to act on more than one's own account. */
export type Right = 'administrator' | Permission;

/** The caller who changes something, and the conditions that must hold at that moment. */
export interface Actor {
  readonly identityId: IdentityId;
  readonly sessionId: ApiSessionId;
  /** The right that let them in; null: their session, for changes of their own account. */
  readonly right: Right | null;
}

/** A caller who changes their own account. */
export function ownerOf({ identityId, apiSessionId }: Principal): Actor {
  return { identityId, sessionId: apiSessionId, right: null };
}

/** The right by which an identity may do what administrators and a permission may; null: none. */
export function rightOf(
  { isAdmin, permissions }: Pick<Identity, 'isAdmin' | 'permissions'>,
  permission: Permission | undefined,
): Right | null {
  if (isAdmin) return 'administrator';
  return permission !== undefined && isCovered(permission, permissions) ? permission : null;
}

/** Whether an identity still has a right. A permission does not replace the right of an administrator. */
export function hasRight(
  { isAdmin, permissions }: Pick<Identity, 'isAdmin' | 'permissions'>,
  right: Right,
): boolean {
  return right === 'administrator' ? isAdmin : isAdmin || isCovered(right, permissions);
}

/**
 * Whether one identity may help another to log in again. Helpers with only that permission must not touch people who
 * may do more: without its second factor, such an account is one password away.
 */
export function mayHelp(
  helper: Pick<Identity, 'isAdmin'>,
  helped: Pick<Identity, 'isAdmin' | 'permissions'>,
): boolean {
  return helper.isAdmin || !hasPower(helped);
}
