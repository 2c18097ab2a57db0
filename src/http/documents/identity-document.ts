import { z } from 'zod';
import { isDisabled } from '../../model/account.ts';
import { type Identity, identityTypes } from '../../model/identity.ts';
import type { AuthPolicyId } from '../../model/ids.ts';
import { permissions } from '../../model/permission.ts';
import { type Clock, isoTimeOrNull, type Millis } from '../../platform/clock.ts';
import type { AuthPolicyStore } from '../../store/contracts/auth-policies.ts';
import type { TotpStore } from '../../store/contracts/totp.ts';
import { entityHead, entityMembers, entityRef, entityRefSchema, selfLink, timeSchema } from './wire.ts';

export interface IdentityDocumentNeeds {
  readonly store: { readonly authPolicies: AuthPolicyStore; readonly totp: TotpStore };
  readonly clock: Clock;
}

export const identitySchema = z
  .strictObject({
    ...entityMembers,
    name: z.string(),
    typeId: z.enum(identityTypes),
    type: entityRefSchema,
    isAdmin: z.boolean(),
    permissions: z.array(z.enum(permissions)),
    isDefaultAdmin: z.boolean(),
    externalId: z.string().nullable(),
    authPolicyId: z.string(),
    authPolicy: entityRefSchema,
    passwordMustChange: z.boolean(),
    roleAttributes: z.array(z.string()),
    disabled: z.boolean(),
    disabledAt: timeSchema.nullable(),
    disabledUntil: timeSchema.nullable(),
    isMfaEnabled: z.boolean(),
  })
  .meta({ id: 'Identity' });

/** Identities as both Edge APIs show them. */
export async function identityDocuments(
  needs: IdentityDocumentNeeds,
  identities: readonly Identity[],
): Promise<object[]> {
  const names = new Map<AuthPolicyId, string>();
  for (const id of new Set(identities.map((identity) => identity.authPolicyId))) {
    names.set(id, (await needs.store.authPolicies.find(id))?.name ?? '');
  }
  const enrolled = await needs.store.totp.enrolledAmong(identities.map(({ id }) => id));
  const now = needs.clock.now();
  return identities.map((identity) => ({
    ...identityDocument(identity, names.get(identity.authPolicyId) ?? '', now),
    isMfaEnabled: enrolled.has(identity.id),
  }));
}

function identityDocument(identity: Identity, authPolicyName: string, now: Millis): object {
  const { id, type, authPolicyId } = identity;
  const disabled = isDisabled(identity, now);
  return {
    ...entityHead('identities', identity, {
      authenticators: { href: `./identities/${id}/authenticators` },
      'api-sessions': { href: `./identities/${id}/api-sessions` },
      'auth-policies': selfLink('auth-policies', authPolicyId),
    }),
    name: identity.name,
    typeId: type,
    type: entityRef('identity-types', type, type),
    isAdmin: identity.isAdmin,
    permissions: identity.permissions,
    isDefaultAdmin: false,
    externalId: identity.externalId,
    authPolicyId,
    authPolicy: entityRef('auth-policies', authPolicyId, authPolicyName),
    passwordMustChange: identity.passwordMustChange,
    roleAttributes: identity.roleAttributes,
    disabled,
    // A time in the past no longer says anything about the identity.
    disabledAt: isoTimeOrNull(disabled ? identity.disabledAt : null),
    disabledUntil: isoTimeOrNull(disabled ? identity.disabledUntil : null),
  };
}
