// What an administrator does for somebody who cannot log in: end locks, remove a lost authenticator app.

import { AuthError, existing } from '../errors/auth-error.ts';
import { passwordOf } from '../login/password/password.ts';
import { forgetFailures, passwordKey, totpKey } from '../login/throttle.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import type { StoreForCallers } from '../store/contracts/store.ts';
import { type AdminCall, actingFor, recordChange } from './admin-call.ts';
import { requireMayHelp } from './help-desk.ts';

export interface FactorNeeds {
  readonly store: StoreForCallers<'identities' | 'authenticators' | 'attempts' | 'totp'>;
  readonly clock: Clock;
  readonly audit: AuditTrail;
}

/** Until when too many failures lock each factor; null: not locked. */
export interface Locks {
  readonly password: Millis | null;
  readonly totp: Millis | null;
}

/** Resets the failures and locks of password and TOTP. @throws AuthError not_found, forbidden (see help-desk.ts) */
export async function unlockIdentity(needs: FactorNeeds, by: AdminCall, id: string): Promise<void> {
  const identityId = await identityToHelp(needs, by, id);
  const password = await passwordOf(needs.store.authenticators, identityId);
  await forgetFailures(actingFor(needs, by), identityId, password?.id ?? null);
  recordChange(needs, by, { action: 'unlock', entity: 'identity', entityId: id, fields: [] });
}

/** Removes the authenticator app and its recovery codes; ends nothing. @throws AuthError not_found (also: none), forbidden */
export async function removeTotp(needs: FactorNeeds, by: AdminCall, id: string): Promise<void> {
  const identityId = await identityToHelp(needs, by, id);
  if (!(await actingFor(needs, by).totp.remove(identityId, needs.clock.now())))
    throw new AuthError('not_found');
  needs.audit.record({ event: 'totp.removed', identityId }, by.origin);
  recordChange(needs, by, { action: 'update', entity: 'identity', entityId: id, fields: ['mfa'] });
}

export async function locksOf(needs: Pick<FactorNeeds, 'store' | 'clock'>, id: IdentityId): Promise<Locks> {
  const now = needs.clock.now();
  const { attempts } = needs.store;
  const password = await passwordOf(needs.store.authenticators, id);
  return {
    password: password === null ? null : await attempts.lockedUntil(passwordKey(password.id), now),
    totp: await attempts.lockedUntil(totpKey(id), now),
  };
}

async function identityToHelp(
  { store }: Pick<FactorNeeds, 'store'>,
  by: AdminCall,
  id: string,
): Promise<IdentityId> {
  const identity = existing(await store.identities.find(asId(id)));
  requireMayHelp(by, identity);
  return identity.id;
}
