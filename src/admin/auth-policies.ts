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
import { defaultAuthPolicyId, type SignerId } from '../model/ids.ts';
import { typedName } from '../model/names.ts';
import { usualPolicy } from '../model/usual-policy.ts';
import { refusedField } from './acceptable-values.ts';
import { acceptableBy, completed, managed } from './entity-rules.ts';
import type { AdminServices } from './services.ts';

const rules = {
  entity: authPolicyEntity,
  fields: { primary: acceptablePrimary },
  follows: ({ secondary }: AuthPolicyPatch, before: AuthPolicy | null) =>
    secondary === undefined ? {} : { secondary: acceptableSecondary(secondary, before) },
};

export const authPolicies = managed<typeof authPolicyEntity>({
  ...rules,
  storeOf: ({ authPolicies: stored }) => stored,
  // Identities that stay may have a pruned policy for their role attributes.
  released: ['assignTo'],
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
export const usualRules: AuthPolicyRules = { name: typedName(''), ...usualPolicy, tags: {} };

/**
 * The rules of a policy that is sent as a whole.
 * @param before the policy that these rules replace; null for a new one
 * @throws AuthError could_not_validate   as when creating
 */
export async function rulesSent(
  needs: AdminServices,
  sent: New<typeof authPolicyEntity>,
  before: AuthPolicy | null,
): Promise<AuthPolicyRules> {
  const { fields } = authPolicyEntity;
  const whole = completed(fields, sent, before === null ? undefined : 'kept');
  return patched(fields, before ?? usualRules, await acceptable(whole, before, needs));
}

const acceptable = acceptableBy<typeof authPolicyEntity>(rules);

type Primary = NonNullable<AuthPolicyPatch['primary']>;
type Secondary = NonNullable<AuthPolicyPatch['secondary']>;

function acceptablePrimary(primary: Primary, needs: AdminServices): Primary {
  const { allowedSigners: signers } = primary.extJwt ?? {};
  const { allowedAuthenticators: models } = primary.passkey ?? {};
  return {
    ...primary,
    ...(signers && { extJwt: { ...primary.extJwt, allowedSigners: [...new Set(signers)] } }),
    ...(models && {
      passkey: { ...primary.passkey, allowedAuthenticators: acceptableModels(needs, models) },
    }),
  };
}

/** Refuses what no passkey could meet. */
function acceptableModels(
  { authenticatorRoots }: AdminServices,
  models: readonly string[],
): readonly string[] {
  const field = 'primary.passkey.allowedAuthenticators';
  for (const model of models)
    if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(model) || /^[0-]+$/.test(model))
      throw refusedField(field, 'has AAGUIDs, such as 2fc0579f-8113-47ea-b116-bb5a8db9202a', model);
  if (models.length > 0 && authenticatorRoots.length === 0)
    throw refusedField(
      field,
      'needs the authorities of makers in the configuration: edge.passkeys.trustedRoots',
    );
  return [...new Set(models.map((model) => model.toLowerCase()))];
}

function acceptableSecondary(sent: Secondary, before: AuthPolicy | null): Secondary {
  const requireExtJwt = requiredSigner(sent, before?.secondary.requireExtJwt ?? null);
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
