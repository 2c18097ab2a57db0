import { AuthError } from '../errors/auth-error.ts';
import type { Identity } from '../model/identity.ts';
import type { AdminCall } from './admin-call.ts';

/**
 * Whether the caller may let this identity in again. Whoever may do no more than that must not reach those who may
 * more: without its second factor, an account of theirs is one password away.
 * @throws AuthError forbidden
 */
export function requireMayHelp(by: AdminCall, identity: Pick<Identity, 'isAdmin' | 'permissions'>): void {
  if (by.isAdmin || (!identity.isAdmin && identity.permissions.length === 0)) return;
  throw new AuthError('forbidden', {
    description: 'Only an administrator may do this to somebody who administers or has a permission',
  });
}
