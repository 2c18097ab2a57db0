// Creates and recovers administrators from the host itself: by a set-up link, or by a command of the host's operator,
// who can read its files. Administrators who are logged in use the management API instead.

import { AuthError } from '../errors/auth-error.ts';
import { hashNewPassword as hashAcceptable } from '../login/password/new-password.ts';
import { checkNewPassword } from '../login/password/password-rules.ts';
import type { PasswordHasher } from '../login/services.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import {
  type AuthenticatorId,
  type AuthPolicyId,
  asId,
  defaultAuthPolicyId,
  type IdentityId,
} from '../model/ids.ts';
import { type UserName, userName } from '../model/names.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { NewIdentity } from '../store/contracts/identities.ts';
import { AlreadyTaken, type Store } from '../store/contracts/store.ts';
import type { AdminChange } from './admin-call.ts';
import { usualRules } from './auth-policies.ts';

export interface AdministratorNeeds {
  readonly store: Pick<Store, 'authPolicies'>;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Checks name and password by the rules of the default policy and hashes the password; stores nothing.
 * The user name also becomes the name of the identity.
 * @throws AuthError as completeSetup of setup.ts
 */
export async function prepareAdministrator(
  needs: AdministratorNeeds,
  wanted: { username: string; password: string },
) {
  const named = administratorName(wanted.username);
  const { username } = named;
  const policy = await policyOf(needs, defaultAuthPolicyId);
  const identity: NewIdentity = {
    id: asId<IdentityId>(needs.random.id()),
    name: username,
    type: 'User',
    isAdmin: true,
  };
  return {
    identity,
    password: {
      id: asId<AuthenticatorId>(needs.random.id()),
      ...named,
      passwordHash: await hashNewPassword(needs, wanted.password, { policy, ownNames: [username] }),
    },
  };
}

/**
 * Checks name and password by the rules of a new database, before there is one.
 * @throws AuthError invalid_field, password_not_acceptable
 */
export function checkFirstAdministrator(wanted: { username: string; password: string }): void {
  const { username } = administratorName(wanted.username);
  checkNewPassword(wanted.password, usualRules.primary.updb, [username]);
}

/** @throws AuthError invalid_field */
function administratorName(typed: string): UserName {
  const named = userName(typed.trim());
  if (named !== undefined) return named;
  throw new AuthError('invalid_field', {
    description: 'This cannot be a user name: it has 1 to 100 visible characters',
    fields: [{ field: 'username', reason: 'has 1 to 100 visible characters' }],
  });
}

/**
 * Creates an administrator with a password.
 * @throws AuthError as prepareAdministrator, and `conflict` when the name is taken
 */
export async function createAdministrator(
  needs: AdministratorNeeds & { store: Pick<Store, 'identities'>; audit: AuditTrail },
  wanted: { username: string; password: string },
): Promise<NewIdentity> {
  const { identity, password } = await prepareAdministrator(needs, wanted);
  await needs.store.identities.create(identity, password, needs.clock.now()).catch(asConflict);
  const fields = ['name', 'isAdmin', 'password'];
  recordByHost(needs, { action: 'create', entityId: identity.id, fields });
  return identity;
}

/** A change by a command on the host, of an identity unless it says otherwise. */
export function recordByHost(
  { audit }: { audit: AuditTrail },
  {
    action,
    entity = 'identity',
    ...change
  }: Pick<AdminChange, 'action'> & {
    entity?: AdminChange['of'][0];
    entityId: string;
    fields: readonly string[];
  },
): void {
  audit.record({ event: 'admin.changed', action, entity, byIdentityId: null, ...change }, null);
}

/** Throws a taken name as the `conflict` that clients see; any other error unchanged. */
export function asConflict(error: unknown): never {
  if (!(error instanceof AlreadyTaken)) throw error;
  throw new AuthError('conflict', {
    description: 'This name is taken already; choose another one',
    fields: [{ field: error.field, reason: 'is already taken' }],
    cause: error,
  });
}

/** @throws Error when there is none: every identity has one */
export async function policyOf(
  { store }: Pick<AdministratorNeeds, 'store'>,
  id: AuthPolicyId,
): Promise<AuthPolicy> {
  const policy = await store.authPolicies.find(id);
  if (policy === null) throw new Error(`there is no auth policy ${id}`);
  return policy;
}

/** @throws AuthError password_not_acceptable, or conflict: the policy allows no passwords */
export async function hashNewPassword(
  needs: AdministratorNeeds,
  password: string,
  { policy, ownNames }: { policy: AuthPolicy; ownNames: readonly string[] },
): Promise<string> {
  const { updb } = policy.primary;
  if (!updb.allowed)
    throw new AuthError('conflict', {
      description: `The auth policy "${policy.name}" allows no login with a password; \`admin recover NAME --own-policy\` gives an administrator one that does`,
    });
  return hashAcceptable(needs, password, { policy: updb, ownNames, source: 'host' });
}
