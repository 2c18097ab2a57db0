// Auth policies: which primary methods an identity may use, which factors it needs in addition, and the password rules.

import { AuthError, existing } from '../errors/auth-error.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import {
  type AuthPolicy,
  type AuthPolicyPatch,
  type AuthPolicyRules,
  patchedRules,
} from '../model/auth-policy.ts';
import { type AuthPolicyId, asId, defaultAuthPolicyId, type SignerId } from '../model/ids.ts';
import { usualPolicy } from '../model/usual-policy.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { StoreForCallers } from '../store/contracts/store.ts';
import { acceptableName, acceptableTags, refusedField, takenRefused } from './acceptable-values.ts';
import { type AdminCall, actingFor, recordChange } from './admin-call.ts';
import { administratorKept } from './last-administrator.ts';

export interface AuthPolicyNeeds {
  readonly store: StoreForCallers<'authPolicies'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditTrail;
  /** Whether there is an external JWT signer with this id. */
  signerExists(id: string): Promise<boolean>;
}

/**
 * A policy as it was sent, complete or in part. `requireExtJwtSigner` is another name for `requireExtJwt`. If a client
 * reads a document, changes one of the two and sends it back, the changed one counts.
 */
export type SentAuthPolicy = Omit<AuthPolicyPatch, 'secondary'> & {
  readonly secondary?:
    | (NonNullable<AuthPolicyPatch['secondary']> & {
        readonly requireExtJwtSigner?: SignerId | null | undefined;
      })
    | undefined;
};

/** @throws AuthError could_not_validate   names the field: not acceptable, taken, or no such signer */
export async function createAuthPolicy(
  needs: AuthPolicyNeeds,
  by: AdminCall,
  sent: SentAuthPolicy & { readonly name: string },
): Promise<AuthPolicyId> {
  const id = asId<AuthPolicyId>(needs.random.id());
  const rules = await rulesSent(needs, sent, null);
  await takenRefused({ ...sent }, actingFor(needs, by).authPolicies.create(id, rules, needs.clock.now()));
  recordChange(needs, by, {
    action: 'create',
    entity: 'auth-policy',
    entityId: id,
    fields: memberNames(sent),
  });
  return id;
}

/** @throws AuthError not_found */
export async function getAuthPolicy(
  needs: { readonly store: Pick<AuthPolicyNeeds['store'], 'authPolicies'> },
  id: string,
): Promise<AuthPolicy> {
  return existing(await needs.store.authPolicies.find(asId(id)));
}

/**
 * Replaces a whole policy; what is left out gets the value of a new policy. Applies from the next call of every
 * identity with the policy, open sessions included.
 * @throws AuthError not_found
 * @throws AuthError could_not_validate   as when creating
 * @throws AuthError conflict             no administrator could log in
 */
export function replaceAuthPolicy(
  needs: AuthPolicyNeeds,
  by: AdminCall,
  { id, sent }: { readonly id: string; readonly sent: SentAuthPolicy & { readonly name: string } },
): Promise<void> {
  return change(needs, by, {
    id,
    sent,
    step: (policyId, patch) =>
      actingFor(needs, by).authPolicies.replace(policyId, patchedRules(usualRules, patch), needs.clock.now()),
  });
}

/** Changes only the given members, at any depth. @throws AuthError as replaceAuthPolicy */
export function updateAuthPolicy(
  needs: AuthPolicyNeeds,
  by: AdminCall,
  { id, sent }: { readonly id: string; readonly sent: SentAuthPolicy },
): Promise<void> {
  return change(needs, by, {
    id,
    sent,
    step: (policyId, patch) => actingFor(needs, by).authPolicies.update(policyId, patch, needs.clock.now()),
  });
}

/**
 * @throws AuthError not_found
 * @throws AuthError cannot_be_deleted          the policy of new identities
 * @throws AuthError cannot_delete_referenced   identities have it, or a signer enrolls with it
 */
export async function deleteAuthPolicy(needs: AuthPolicyNeeds, by: AdminCall, id: string): Promise<void> {
  if (id === defaultAuthPolicyId) {
    throw new AuthError('cannot_be_deleted', {
      description: 'New identities have this policy unless another one is named; it can be changed only',
    });
  }
  const outcome = await actingFor(needs, by).authPolicies.delete(asId(id), needs.clock.now());
  if (outcome === 'unknown') throw new AuthError('not_found');
  if (outcome === 'referenced') {
    throw new AuthError('cannot_delete_referenced', {
      description:
        'Identities have this policy, or an external JWT signer enrolls with it; name another one there first',
    });
  }
  recordChange(needs, by, { action: 'delete', entity: 'auth-policy', entityId: id, fields: [] });
}

async function change(
  needs: AuthPolicyNeeds,
  by: AdminCall,
  {
    id,
    sent,
    step,
  }: {
    readonly id: string;
    readonly sent: SentAuthPolicy;
    readonly step: (id: AuthPolicyId, patch: AuthPolicyPatch) => Promise<boolean>;
  },
): Promise<void> {
  const current = await getAuthPolicy(needs, id);
  const patch = await acceptable(needs, sent, current.secondary.requireExtJwt);
  const isThere = await takenRefused({ ...sent }, administratorKept(step(current.id, patch)));
  if (!isThere) throw new AuthError('not_found');
  recordChange(needs, by, {
    action: 'update',
    entity: 'auth-policy',
    entityId: id,
    fields: memberNames(sent),
  });
}

/** The values of members that are not sent: those of the policy `default` when it was new. */
export const usualRules: AuthPolicyRules = { name: '', ...usualPolicy, tags: {} };

/**
 * The rules of a policy that is sent as a whole.
 * @param current the policy that these rules replace; null for a new one
 * @throws AuthError could_not_validate   as when creating
 */
export async function rulesSent(
  needs: Pick<AuthPolicyNeeds, 'signerExists'>,
  sent: SentAuthPolicy & { readonly name: string },
  current: Pick<AuthPolicy, 'secondary'> | null,
): Promise<AuthPolicyRules> {
  return patchedRules(usualRules, await acceptable(needs, sent, current?.secondary.requireExtJwt ?? null));
}

/** @param requiredNow the signer that the policy required before the change */
async function acceptable(
  needs: Pick<AuthPolicyNeeds, 'signerExists'>,
  sent: SentAuthPolicy,
  requiredNow: SignerId | null,
): Promise<AuthPolicyPatch> {
  const { name, primary, secondary, tags } = sent;
  for (const signer of primary?.extJwt?.allowedSigners ?? []) {
    await requireSigner(needs, 'primary.extJwt.allowedSigners', signer);
  }
  const requireExtJwt = secondary === undefined ? undefined : requiredSigner(secondary, requiredNow);
  if (requireExtJwt !== undefined && requireExtJwt !== null) {
    const isOtherName = secondary?.requireExtJwt !== requireExtJwt;
    const field = isOtherName ? 'secondary.requireExtJwtSigner' : 'secondary.requireExtJwt';
    await requireSigner(needs, field, requireExtJwt);
  }
  return {
    name: name === undefined ? undefined : acceptableName('name', name),
    primary,
    secondary: { requireTotp: secondary?.requireTotp, requireExtJwt },
    tags: tags === undefined ? undefined : acceptableTags(tags),
  };
}

function requiredSigner(
  { requireExtJwt, requireExtJwtSigner }: NonNullable<SentAuthPolicy['secondary']>,
  requiredNow: SignerId | null,
): SignerId | null | undefined {
  if (requireExtJwt === undefined || requireExtJwt === requireExtJwtSigner) return requireExtJwtSigner;
  if (requireExtJwtSigner === undefined || requireExtJwtSigner === requiredNow) return requireExtJwt;
  if (requireExtJwt === requiredNow) return requireExtJwtSigner;
  throw refusedField('secondary.requireExtJwtSigner', 'is another name of requireExtJwt and says otherwise');
}

async function requireSigner(
  needs: Pick<AuthPolicyNeeds, 'signerExists'>,
  field: string,
  id: string,
): Promise<void> {
  if (!(await needs.signerExists(id))) throw refusedField(field, 'names no external JWT signer', id);
}

/** `name`, `primary.updb.maxAttempts` and so on. */
function memberNames(sent: object, prefix = ''): string[] {
  return Object.entries(sent).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const isGroup = ['primary', 'secondary', 'cert', 'extJwt', 'updb'].includes(name);
    return isGroup ? memberNames(value as object, `${prefix}${name}.`) : [`${prefix}${name}`];
  });
}
