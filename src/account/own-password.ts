// account/ is about a caller's own account; other permissions do not matter. This file: their authenticators, and
// a new user name or password. Their TOTP is in enrollment/.

import { acceptableUsername, takenRefused } from '../admin/acceptable-values.ts';
import { getAuthenticator } from '../admin/authenticators.ts';
import { AuthError, existing } from '../errors/auth-error.ts';
import { proveCurrentPassword, wrongCurrentPassword } from '../login/password/current-password.ts';
import { hashNewPassword } from '../login/password/new-password.ts';
import { type PasswordRules, passwordRules, samePassword } from '../login/password/password-rules.ts';
import type { LoginServices } from '../login/services.ts';
import { asId } from '../model/ids.ts';
import { type OwnCall, ownerOf, type Principal } from '../model/principal.ts';
import type { ListedAuthenticator } from '../store/contracts/authenticators.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';

export interface OwnPasswordChange {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly currentPassword: string;
}

/** @throws AuthError not_found   also for an authenticator of another identity */
export async function getOwnAuthenticator(
  needs: Pick<LoginServices, 'store'>,
  { identityId }: Principal,
  id: string,
): Promise<ListedAuthenticator> {
  const authenticator = await getAuthenticator(needs, id);
  if (authenticator.identityId !== identityId) throw new AuthError('not_found');
  return authenticator;
}

/** The rules for the caller's new password. */
export async function ownPasswordRules(
  needs: Pick<LoginServices, 'store'>,
  { identityId }: Principal,
): Promise<PasswordRules> {
  const account = existing(await needs.store.identities.findAccount(identityId));
  return passwordRules(account.policy.primary.updb);
}

/**
 * Changes user name, password or both. Requires the current password even though the caller is logged in. A new
 * password ends all other sessions of the identity.
 * @throws AuthError not_found                 no authenticator of the caller
 * @throws AuthError conflict                  a certificate
 * @throws AuthError invalid_field             the current password is wrong, or the password is locked or not allowed
 * @throws AuthError password_not_acceptable   with every reason
 * @throws AuthError could_not_validate        user name not acceptable or taken
 * @throws AuthError rate_limited, busy
 */
export async function changeOwnPassword(
  needs: LoginServices,
  call: OwnCall,
  { id, change }: { readonly id: string; readonly change: OwnPasswordChange },
): Promise<void> {
  const { caller, origin } = call;
  const authenticator = await getOwnAuthenticator(needs, caller, id);
  if (authenticator.method !== 'updb')
    throw new AuthError('conflict', { description: 'This authenticator is a certificate, not a password' });
  const verifiedHash = await proveCurrentPassword(needs, call, change.currentPassword);
  const account = existing(await needs.store.identities.findAccount(caller.identityId));
  const { identity, policy } = account;

  const { username, password } = change;
  const named = username === undefined ? null : acceptableUsername(username);
  if (password !== undefined && password === change.currentPassword) throw samePassword();
  const hashed =
    password === undefined
      ? {}
      : {
          passwordHash: await hashNewPassword(needs, password, {
            policy: policy.primary.updb,
            ownNames: [username ?? authenticator.username, identity.name],
            source: identity.id,
          }),
        };
  const now = needs.clock.now();
  const step = needs.store
    .onBehalfOf(ownerOf(caller), now)
    .authenticators.updatePassword(
      asId(id),
      { ...named, ...hashed },
      { now, exceptSession: caller.apiSessionId, verifiedHash },
    )
    .catch(withoutHolder);
  if (!(await takenRefused({ username }, step))) throw wrongCurrentPassword();
  const { identityId } = caller;
  if (username !== undefined && username !== authenticator.username)
    needs.audit.record({ event: 'account.changed', change: 'username', identityId }, origin);
  if (password !== undefined)
    needs.audit.record({ event: 'account.changed', change: 'password', identityId }, origin);
}

/** The owner of an account learns that a name is taken, but not whose it is. */
function withoutHolder(error: unknown): never {
  throw error instanceof AlreadyTaken ? new AlreadyTaken(error.field) : error;
}
