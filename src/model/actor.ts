import type { Identity } from './identity.ts';
import type { ApiSessionId, IdentityId } from './ids.ts';
import { isCovered, type Permission } from './permission.ts';
import type { Principal } from './principal.ts';

/** What lets somebody act on more than their own account. */
export type Right = 'administrator' | Permission;

/** In whose name something is changed, and what has to be true of them at that moment. */
export interface Actor {
  readonly identityId: IdentityId;
  readonly sessionId: ApiSessionId;
  /** What they were let in by; null: their session, for what is their own. */
  readonly right: Right | null;
}

/** A caller who changes what is their own. */
export function ownerOf({ identityId, apiSessionId }: Principal): Actor {
  return { identityId, sessionId: apiSessionId, right: null };
}

/** The right by which somebody may do what is open to administrators and to a permission; null: none does. */
export function rightOf(
  { isAdmin, permissions }: Pick<Identity, 'isAdmin' | 'permissions'>,
  permission: Permission | undefined,
): Right | null {
  if (isAdmin) return 'administrator';
  return permission !== undefined && isCovered(permission, permissions) ? permission : null;
}

/** Whether somebody has a right still. Who was let in as an administrator may have done what no permission allows. */
export function hasRight(
  { isAdmin, permissions }: Pick<Identity, 'isAdmin' | 'permissions'>,
  right: Right,
): boolean {
  return right === 'administrator' ? isAdmin : isAdmin || isCovered(right, permissions);
}
