import { AuthError } from '../errors/auth-error.ts';
import { mayHelp } from '../model/actor.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/contracts/store.ts';
import { type AdminCall, actingFor } from './admin-call.ts';

/**
 * Whether the caller may help this identity to log in again.
 * @throws AuthError forbidden
 */
export function requireMayHelp(by: AdminCall, identity: Pick<Identity, 'isAdmin' | 'permissions'>): void {
  if (mayHelp(by, identity)) return;
  throw new AuthError('forbidden', {
    description: 'Only an administrator may do this to an administrator or to an identity with a permission',
  });
}

/**
 * The store for the caller's actions on this identity, as `actingFor`. The identity may get more rights while the call
 * is under way: each change checks that again.
 * @throws AuthError forbidden
 */
export function helping(
  needs: { readonly store: Pick<Store, 'onBehalfOf'>; readonly clock: Clock },
  by: AdminCall,
  identity: Pick<Identity, 'id' | 'isAdmin' | 'permissions'>,
): Store {
  requireMayHelp(by, identity);
  return actingFor(needs, by, identity.id);
}
