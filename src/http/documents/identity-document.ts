import { z } from 'zod';
import { type Account, isDisabled, takesPasskeys } from '../../model/account.ts';
import { type Identity, identityEntity } from '../../model/entities/identity.ts';
import type { AuthPolicyId } from '../../model/ids.ts';
import type { Millis } from '../../platform/clock.ts';
import type { EdgeServices } from '../request/services.ts';
import { documentSchema, entityDocument } from './entity-schemas.ts';
import { entityRef, entityRefSchema, selfLink } from './wire.ts';

/** Members that do not follow from fields. */
const more = { type: entityRefSchema, authPolicy: entityRefSchema, isDefaultAdmin: z.boolean() };
export const identitySchema = documentSchema(identityEntity, more);
/** For the identity itself, which is read from memory: a login tells the account there nothing. */
export const ownIdentitySchema = identitySchema
  .omit({ lastLoginAt: true })
  .extend({ mayAddPasskey: z.boolean() })
  .meta({ id: 'Identity' });

/** Identities as administrators see them. */
export async function identityDocuments(needs: EdgeServices, people: readonly Identity[]): Promise<object[]> {
  const names = new Map<AuthPolicyId, string>();
  for (const id of new Set(people.map((identity) => identity.authPolicyId)))
    names.set(id, (await needs.store.authPolicies.find(id))?.name ?? '');
  const ids = people.map(({ id }) => id);
  const enrolled = await needs.store.totp.enrolledAmong(ids);
  const passkeys = new Set((await needs.store.passkeys.listOf(ids)).map(({ identityId }) => identityId));
  const now = needs.clock.now();
  return people.map((identity) => ({
    ...identityDocument(identity, names.get(identity.authPolicyId) ?? '', now),
    isMfaEnabled: enrolled.has(identity.id),
    hasPasskey: passkeys.has(identity.id),
  }));
}

/** The identity of a caller, as both Edge APIs show it. */
export function accountDocument(
  { identity, policy, isTotpEnrolled, hasPasskey }: Account,
  now: Millis,
): object {
  const shown = { ...identity, lastLoginAt: undefined };
  return {
    ...identityDocument(shown, policy.name, now),
    isMfaEnabled: isTotpEnrolled,
    hasPasskey,
    mayAddPasskey: takesPasskeys(policy),
  };
}

function identityDocument(identity: Omit<Identity, 'lastLoginAt'>, policyName: string, now: Millis): object {
  const { id, type, authPolicyId } = identity;
  const disabled = isDisabled(identity, now);
  // A time in the past no longer says anything about the identity.
  const shown = disabled ? identity : { ...identity, disabledAt: null, disabledUntil: null };
  return {
    ...entityDocument(identityEntity, shown, {
      authenticators: { href: `./identities/${id}/authenticators` },
      'api-sessions': { href: `./identities/${id}/api-sessions` },
      'auth-policies': selfLink('auth-policies', authPolicyId),
    }),
    type: entityRef('identity-types', type, type),
    authPolicy: entityRef('auth-policies', authPolicyId, policyName),
    isDefaultAdmin: false,
    disabled,
  };
}
