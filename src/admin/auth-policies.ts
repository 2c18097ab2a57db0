// Auth policies: which primary methods an identity may use, which factors it needs in addition, and the password rules.
// A change applies from the next call of every identity with the policy, open sessions included.

import { AuthError } from '../errors/auth-error.ts';
import {
  type AuthPolicy,
  type AuthPolicyPatch,
  type AuthPolicyRules,
  authPolicyEntity,
} from '../model/entities/auth-policy.ts';
import { type New, patched } from '../model/entities/entity.ts';
import { type AuthPolicyId, defaultAuthPolicyId, type SignerId } from '../model/ids.ts';
import { usualPolicy } from '../model/usual-policy.ts';
import {
  acceptableName,
  acceptableRoleAttributes,
  acceptableTags,
  refusedField,
} from './acceptable-values.ts';
import { managed } from './entity-rules.ts';
import type { AdminServices } from './services.ts';

export const authPolicies = managed<typeof authPolicyEntity>({
  entity: authPolicyEntity,
  storeOf: ({ authPolicies: stored }) => stored,
  follows: acceptableGroups,
  refuseRemoval(id) {
    if (id !== defaultAuthPolicyId) return;
    throw new AuthError('cannot_be_deleted', {
      description:
        'New identities have this policy unless another policy is named; it can be changed, but not deleted',
    });
  },
  whenReferenced: {
    description:
      'Identities have this policy, or an external JWT signer gives it to newcomers; name another policy there first, and empty its assignTo',
  },
});

/** The rules of the policy `default` when it was new. */
export const usualRules: AuthPolicyRules = { name: '', ...usualPolicy, tags: {} };

/**
 * The rules of a policy that is sent as a whole.
 * @param before the policy that these rules replace; null for a new one
 * @throws AuthError could_not_validate   as when creating
 */
export async function rulesSent(
  needs: SignerCheck,
  sent: New<typeof authPolicyEntity>,
  before: AuthPolicy | null,
): Promise<AuthPolicyRules> {
  const single = {
    name: acceptableName('name', sent.name),
    assignTo: acceptableRoleAttributes(sent.assignTo ?? [], 'assignTo'),
    tags: acceptableTags(sent.tags ?? {}),
  };
  const rules = { ...single, ...(await acceptableGroups(sent, before, needs)) };
  return patched(authPolicyEntity.fields, usualRules, rules);
}

/** @throws AuthError could_not_validate   there is no such policy */
export async function existingPolicy(
  { store }: Pick<AdminServices, 'store'>,
  field: string,
  id: AuthPolicyId | null,
): Promise<AuthPolicyId | null> {
  if (id !== null && (await store.authPolicies.find(id)) === null)
    throw refusedField(field, 'names no auth policy', id);
  return id;
}

async function acceptableGroups(
  { primary, secondary }: AuthPolicyPatch,
  before: AuthPolicy | null,
  needs: SignerCheck,
): Promise<Pick<AuthPolicyPatch, 'primary' | 'secondary'>> {
  return {
    ...(primary && { primary: await acceptablePrimary(needs, primary) }),
    ...(secondary && { secondary: await acceptableSecondary(needs, secondary, before) }),
  };
}

type SignerCheck = Pick<AdminServices, 'signerExists' | 'authenticatorRoots'>;
type Primary = NonNullable<AuthPolicyPatch['primary']>;
type Secondary = NonNullable<AuthPolicyPatch['secondary']>;

async function acceptablePrimary(needs: SignerCheck, primary: Primary): Promise<Primary> {
  const { allowedSigners = [] } = primary.extJwt ?? {};
  for (const signer of allowedSigners) await requireSigner(needs, 'primary.extJwt.allowedSigners', signer);
  const { allowedAuthenticators: models } = primary.passkey ?? {};
  return {
    ...primary,
    ...(primary.extJwt?.allowedSigners && {
      extJwt: { ...primary.extJwt, allowedSigners: [...new Set(allowedSigners)] },
    }),
    ...(models && {
      passkey: { ...primary.passkey, allowedAuthenticators: acceptableModels(needs, models) },
    }),
  };
}

/** Refuses what no passkey could meet. */
function acceptableModels({ authenticatorRoots }: SignerCheck, models: readonly string[]): readonly string[] {
  const field = 'primary.passkey.allowedAuthenticators';
  for (const model of models) {
    if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(model) || /^[0-]+$/.test(model))
      throw refusedField(field, 'has AAGUIDs, such as 2fc0579f-8113-47ea-b116-bb5a8db9202a', model);
  }
  if (models.length > 0 && authenticatorRoots.length === 0)
    throw refusedField(
      field,
      'needs the authorities of makers in the configuration: edge.passkeys.trustedRoots',
    );
  return [...new Set(models.map((model) => model.toLowerCase()))];
}

async function acceptableSecondary(
  needs: SignerCheck,
  sent: Secondary,
  before: AuthPolicy | null,
): Promise<Secondary> {
  const requireExtJwt = requiredSigner(sent, before?.secondary.requireExtJwt ?? null);
  if (requireExtJwt !== undefined && requireExtJwt !== null) {
    const isOtherName = sent.requireExtJwt !== requireExtJwt;
    const field = isOtherName ? 'secondary.requireExtJwtSigner' : 'secondary.requireExtJwt';
    await requireSigner(needs, field, requireExtJwt);
  }
  const { requireTotp, requirePasskey } = sent;
  return { requireTotp, requireExtJwt, requirePasskey };
}

/**
 * The signer by either of its two names. If a client reads a document, changes one of the two and sends it back, the
 * changed one counts.
 * @param requiredNow the signer that the policy required before the change
 */
function requiredSigner(
  { requireExtJwt, requireExtJwtSigner }: Secondary,
  requiredNow: SignerId | null,
): SignerId | null | undefined {
  if (requireExtJwt === undefined || requireExtJwt === requireExtJwtSigner) return requireExtJwtSigner;
  if (requireExtJwtSigner === undefined || requireExtJwtSigner === requiredNow) return requireExtJwt;
  if (requireExtJwt === requiredNow) return requireExtJwtSigner;
  throw refusedField('secondary.requireExtJwtSigner', 'is another name of requireExtJwt and says otherwise');
}

async function requireSigner(needs: SignerCheck, field: string, id: string): Promise<void> {
  if (!(await needs.signerExists(id))) throw refusedField(field, 'names no external JWT signer', id);
}
