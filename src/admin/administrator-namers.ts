// Which signers and authorities can say that a token or certificate is an administrator's. External ids are one
// namespace for all of them, so the operator of one of these has the keys to this service.

import { mayYield } from '../login/certificate/ca-claim.ts';
import { allowsMethod, allowsSigner, isDisabled } from '../model/account.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import { isTrustedForLogin } from '../model/entities/ca.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { AuthPolicyId } from '../model/ids.ts';
import { budgetOf, type ListReader } from '../model/list-query.ts';
import type { AdminServices } from './services.ts';

export interface AdministratorNamer {
  readonly kind: 'external-jwt-signers' | 'cas';
  readonly id: string;
  readonly name: string;
  /** The claim or rule by which it names them. */
  readonly by: 'id' | 'externalId';
  /** Some of those that it can name, by name; never empty. */
  readonly administrators: readonly Pick<Identity, 'id' | 'name'>[];
}

type Needs = Pick<AdminServices, 'store' | 'clock'>;

interface Administrator {
  readonly identity: Identity;
  readonly policy: Pick<AuthPolicy, 'primary'>;
}

/** How many administrators are shown for each. */
const mostShown = 5;
const pageSize = 100;

/**
 * The enabled signers and trusted authorities whose rule can find an enabled administrator, whose policy accepts that as
 * the first proof. Other factors of the policy are not considered.
 * @param reader who asks
 */
export async function administratorNamers(
  needs: Needs,
  reader: ListReader,
): Promise<readonly AdministratorNamer[]> {
  const { store } = needs;
  const candidates = [
    ...(await store.externalJwtSigners.listAll())
      .filter(({ enabled }) => enabled)
      .map(({ id, name, useExternalId }) => ({
        kind: 'external-jwt-signers' as const,
        id,
        name,
        by: useExternalId ? ('externalId' as const) : ('id' as const),
        canName: ({ identity, policy }: Administrator) =>
          (!useExternalId || identity.externalId !== null) &&
          allowsMethod(policy, 'ext-jwt') &&
          allowsSigner(policy, id),
        administrators: [] as Identity[],
      })),
    ...(await store.cas.listAll()).filter(isTrustedForLogin).map(({ id, name, externalIdClaim }) => ({
      kind: 'cas' as const,
      id,
      name,
      by: 'externalId' as const,
      canName: ({ identity: { externalId }, policy }: Administrator) =>
        externalId !== null &&
        externalIdClaim !== null &&
        allowsMethod(policy, 'cert') &&
        mayYield(externalIdClaim, externalId),
      administrators: [] as Identity[],
    })),
  ];
  for await (const administrator of enabledAdministrators(needs, reader)) {
    const open = candidates.filter(({ administrators }) => administrators.length < mostShown);
    if (open.length === 0) break;
    for (const { canName, administrators } of open)
      if (canName(administrator)) administrators.push(administrator.identity);
  }
  return candidates.filter(({ administrators }) => administrators.length > 0);
}

async function* enabledAdministrators(
  { store, clock }: Needs,
  reader: ListReader,
): AsyncGenerator<Administrator> {
  const policies = new Map<AuthPolicyId, Pick<AuthPolicy, 'primary'> | null>();
  const filter = { op: '=', field: 'isAdmin', value: true } as const;
  const budget = budgetOf(reader);
  const sort = [{ field: 'name', descending: false }];
  for (let offset = 0; ; offset += pageSize) {
    const { items } = await store.identities.list({ filter, sort, limit: pageSize, offset, budget });
    for (const identity of items) {
      const { authPolicyId: id } = identity;
      const policy = policies.get(id) ?? (await store.authPolicies.find(id));
      policies.set(id, policy);
      if (policy !== null && !isDisabled(identity, clock.now())) yield { identity, policy };
    }
    if (items.length < pageSize) return;
  }
}
