// Help for a person who cannot log in: end locks, remove a lost authenticator app.

import { AuthError, existing } from '../errors/auth-error.ts';
import { passwordOf } from '../login/password/password.ts';
import { forgetFailures, lockedUntil, passwordKey, totpLimit } from '../login/throttle.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import type { Passkey } from '../model/passkey.ts';
import type { Millis } from '../platform/clock.ts';
import { type AdminCall, helping, recordChange, withoutAdministrator } from './admin-call.ts';
import type { AdminServices } from './services.ts';

/** Until when too many failures lock each factor; null: not locked. */
export interface Locks {
  readonly password: Millis | null;
  readonly totp: Millis | null;
}

/** Resets the failures and locks of password and TOTP. @throws AuthError not_found, forbidden (see `helping`) */
export async function unlockIdentity(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  const identity = existing(await needs.store.identities.find(asId(id)));
  const helped = helping(needs, by, identity);
  const password = await passwordOf(needs.store.authenticators, identity.id);
  await forgetFailures(helped, identity.id, password?.id ?? null);
  recordChange(needs, by, { action: 'unlock', of: ['identity', id] });
}

/** Removes the authenticator app and its recovery codes; ends nothing. @throws AuthError not_found (also: none), forbidden */
export async function removeTotp(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  const identity = existing(await needs.store.identities.find(asId(id)));
  existing(await helping(needs, by, identity).totp.remove(identity.id, needs.clock.now(), null));
  const byIdentityId = by.actor.identityId;
  needs.audit.record({ event: 'totp.removed', identityId: identity.id, byIdentityId }, by.origin);
  recordChange(needs, by, { action: 'update', of: ['identity', id], fields: ['mfa'] });
}

/** The passkeys of an identity. @throws AuthError not_found */
export async function passkeysOf(needs: AdminServices, id: string): Promise<readonly Passkey[]> {
  const identity = existing(await needs.store.identities.find(asId(id)));
  return needs.store.passkeys.listOf([identity.id]);
}

/**
 * Removes a passkey, and ends the sessions that it opened.
 * @throws AuthError not_found, forbidden
 * @throws AuthError conflict   the last administrator could no longer log in
 */
export async function removePasskey(
  needs: AdminServices,
  by: AdminCall,
  { id, passkeyId }: { readonly id: string; readonly passkeyId: string },
): Promise<void> {
  const identity = existing(await needs.store.identities.find(asId(id)));
  const when = { now: needs.clock.now(), mayBeLast: true };
  const step = helping(needs, by, identity).passkeys.delete(identity.id, passkeyId, when);
  if ((await step.catch(withoutAdministrator)) !== 'deleted') throw new AuthError('not_found');
  const byIdentityId = by.actor.identityId;
  const removed = { identityId: identity.id, passkeyId, byIdentityId };
  needs.audit.record({ event: 'passkey.removed', ...removed }, by.origin);
  recordChange(needs, by, { action: 'update', of: ['identity', id], fields: ['passkeys'] });
}

export async function locksOf(needs: AdminServices, id: IdentityId): Promise<Locks> {
  const { attempts, authenticators } = needs.store;
  const password = await passwordOf(authenticators, id);
  const ofPassword = password && (await attempts.lockedUntil(passwordKey(password.id), needs.clock.now()));
  return {
    password: ofPassword,
    totp: await lockedUntil(needs, totpLimit(id)),
  };
}
