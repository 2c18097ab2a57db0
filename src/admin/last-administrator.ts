import { AuthError } from '../errors/auth-error.ts';
import type { Identity } from '../model/identity.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdentityStore } from '../store/contracts/identities.ts';

/**
 * To be asked before an administrator is deleted, demoted, disabled or loses what it logs in with. Somebody must
 * remain who can undo it. An administrator who could not log in anyway is nobody's last one.
 * @throws AuthError conflict
 */
export async function keepAnAdministrator(
  needs: { readonly store: { readonly identities: IdentityStore }; readonly clock: Clock },
  identity: Identity,
): Promise<void> {
  if (!identity.isAdmin) return;
  const { identities } = needs.store;
  const now = needs.clock.now();
  if ((await identities.countUsableAdmins(now, identity.id)) > 0) return;
  if ((await identities.countUsableAdmins(now)) === 0) return;
  throw new AuthError('conflict', {
    description: `${identity.name} is the last administrator who can log in; make another one first`,
  });
}
