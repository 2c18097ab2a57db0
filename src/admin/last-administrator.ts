import { AuthError } from '../errors/auth-error.ts';
import type { Identity } from '../model/identity.ts';
import type { IdentityId } from '../model/ids.ts';
import type { IdentityStore } from '../store/contracts/identities.ts';

// Somebody must remain who can undo a change. The store decides that in the step that makes the change; an
// administrator who could not log in anyway is nobody's last one.

/** The refusal of a change after which no administrator could log in. */
export function lastAdministrator({ name }: Pick<Identity, 'name'>): AuthError {
  return new AuthError('conflict', {
    description: `${name} is the last administrator who can log in; make another one first`,
  });
}

/** Why the store did not change or delete an identity: it is not there, or it is the last administrator. */
export async function whyNotChanged(
  needs: { readonly store: { readonly identities: IdentityStore } },
  id: IdentityId,
): Promise<AuthError> {
  const identity = await needs.store.identities.find(id);
  return identity === null ? new AuthError('not_found') : lastAdministrator(identity);
}
