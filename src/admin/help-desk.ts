import { AuthError } from '../errors/auth-error.ts';
import type { Identity } from '../model/identity.ts';
import type { AdminCall } from './admin-call.ts';

/**
 * Whether the caller may help this identity to log in again. Somebody with only that permission must not touch people
 * who may do more: without its second factor, their account is one password away.
 * @throws AuthError forbidden
 */
export function requireMayHelp(by: AdminCall, identity: Pick<Identity, 'isAdmin' | 'permissions'>): void {
  if (by.isAdmin || (!identity.isAdmin && identity.permissions.length === 0)) return;
  throw new AuthError('forbidden', {
    description: 'Only an administrator may do this to somebody who administers or has a permission',
  });
}
