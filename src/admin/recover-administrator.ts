// Restores the access of an administrator who cannot log in. For a command on the host, which can read its files.

import { AuthError } from '../errors/auth-error.ts';
import { askedOfLogin, outstandingFactors } from '../login/outstanding-factors.ts';
import { passwordOf } from '../login/password/password.ts';
import { forgetFailures } from '../login/throttle.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import type { Identity } from '../model/entities/identity.ts';
import { type AuthenticatorId, type AuthPolicyId, asId, type IdentityId } from '../model/ids.ts';
import type { Factor, PassedMethod, ProvenFactors } from '../model/login.ts';
import { typedName, userName, usernameKey } from '../model/names.ts';
import type { Store } from '../store/contracts/store.ts';
import {
  type AdministratorNeeds,
  asConflict,
  hashNewPassword,
  policyOf,
  recordByHost,
} from './administrators.ts';
import { usualRules } from './auth-policies.ts';
import { withdrawSetupLinks } from './setup.ts';

/**
 * Finds an administrator by user name or by the name of the identity. If these name two people, the administrator wins.
 * A person who is not an administrator is found only if no administrator has the name.
 */
export async function findAdministrator(
  needs: { store: Pick<Store, 'authenticators' | 'identities'> },
  typed: string,
): Promise<Identity | null> {
  const name = typedName(typed);
  const key = usernameKey(name);
  const login = key === undefined ? null : await needs.store.authenticators.findPasswordLogin(key);
  if (login?.identity.isAdmin === true) return login.identity;
  const namesake = await needs.store.identities.findByName(name);
  return namesake?.isAdmin === true ? namesake : (login?.identity ?? namesake);
}

/**
 * Gives an administrator a new password, enables the identity, resets failed attempts, ends its sessions, and withdraws
 * the set-up links: a person who needs a recovery may have lost one.
 * @param identity   as `findAdministrator` found it, and an administrator
 * @param removeTotp also removes the authenticator app and its recovery codes
 * @param ownPolicy  also gives it a new auth policy with the usual rules, for when its own asks for what cannot be had
 * @returns `further`: what the next login asks for besides the password; `policy`: the new one
 * @throws AuthError password_not_acceptable, or conflict: the identity's policy allows no passwords
 */
export async function recoverAdministrator(
  needs: AdministratorNeeds & {
    store: Pick<Store, 'identities' | 'authenticators' | 'apiSessions' | 'attempts' | 'totp' | 'setupLinks'>;
    audit: AuditTrail;
  },
  identity: Identity,
  { password, removeTotp, ownPolicy }: { password: string; removeTotp: boolean; ownPolicy: boolean },
): Promise<{
  readonly further: readonly Factor[];
  readonly username: string;
  readonly policy: AuthPolicy | null;
}> {
  const { store, clock } = needs;
  const policy = ownPolicy ? recoveryPolicy(needs) : await policyOf(needs, identity.authPolicyId);
  const existing = await passwordOf(needs.store.authenticators, identity.id);
  const username = existing?.username ?? identity.name;
  const passwordHash = await hashNewPassword(needs, password, {
    policy,
    ownNames: [username, identity.name],
  });
  const authenticatorId = await setPassword(needs, identity.id, { existing, username, passwordHash });
  if (removeTotp) await store.totp.remove(identity.id, clock.now(), null);
  await forgetFailures(store, identity.id, authenticatorId);
  const enabled = { disabledAt: null, disabledUntil: null };
  if (ownPolicy) {
    await store.authPolicies.create(policy, clock.now());
    recordByHost(needs, { action: 'create', entity: 'auth-policy', entityId: policy.id, fields: ['name'] });
  }
  const change = ownPolicy ? { ...enabled, authPolicyId: policy.id } : enabled;
  await store.identities.update(identity.id, change, clock.now());
  await store.apiSessions.endAllOf(identity.id, 'administrator', clock.now());
  await withdrawSetupLinks(needs);
  const more = [...(removeTotp ? ['mfa'] : []), ...(ownPolicy ? ['authPolicyId'] : [])];
  const fields = ['password', 'disabledAt', 'sessions', ...more];
  recordByHost(needs, { action: 'update', entityId: identity.id, fields });
  const account = await store.identities.findAccount(identity.id);
  const further = account && outstandingFactors(account.policy, askedOfLogin(account, clock.now()), proven);
  return { further: further ?? [], username, policy: ownPolicy ? policy : null };
}

function recoveryPolicy({ clock, random }: AdministratorNeeds): AuthPolicy {
  const now = clock.now();
  const name = typedName(`recovery ${new Date(now).toISOString()}`);
  return { ...usualRules, id: asId<AuthPolicyId>(random.id()), name, createdAt: now, updatedAt: now };
}

// Sound because a password counts as a proof whatever signers there are.
const proven = ['password'] as readonly PassedMethod[] as ProvenFactors;

/** Sets the password and ends all earlier sessions in one step. Creates the authenticator if there is none. */
async function setPassword(
  { store, clock, random }: AdministratorNeeds & { store: Pick<Store, 'authenticators'> },
  identityId: IdentityId,
  {
    existing,
    username,
    passwordHash,
  }: { existing: { id: AuthenticatorId } | null; username: string; passwordHash: string },
): Promise<AuthenticatorId> {
  if (existing !== null) {
    await store.authenticators.updatePassword(existing.id, { passwordHash }, { now: clock.now() });
    return existing.id;
  }
  const named = userName(username);
  if (named === undefined)
    throw new AuthError('invalid_field', { description: 'The name of the identity cannot be a user name' });
  const id = asId<AuthenticatorId>(random.id());
  const authenticator = { id, identityId, ...named, passwordHash, tags: {} };
  await store.authenticators.createPassword(authenticator, clock.now()).catch(asConflict);
  return id;
}
