import type { Identity } from './entities/identity.ts';
import type { ApiSessionId, IdentityId } from './ids.ts';
import { hasPower, isCovered, type Permission } from './permission.ts';
import type { Principal } from './principal.ts';

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
