// The managed entities with the usual columns, and where each is stored.

import { authPolicyEntity } from '../../model/entities/auth-policy.ts';
import { authenticatorEntity } from '../../model/entities/authenticator.ts';
import { caEntity } from '../../model/entities/ca.ts';
import { configTypeEntity } from '../../model/entities/config-type.ts';
import type { Entity, EntityKind } from '../../model/entities/entity.ts';
import { eventSubscriptionEntity } from '../../model/entities/event-subscription.ts';
import { externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import { identityEntity } from '../../model/entities/identity.ts';
import { oidcClientEntity } from '../../model/entities/oidc-client.ts';
import type { VersionedEntity } from '../contracts/versions.ts';

/** Entities all of whose columns are those of their fields. */
export const describedEntities: readonly Entity[] = [
  authPolicyEntity,
  identityEntity,
  externalJwtSignerEntity,
  caEntity,
  configTypeEntity,
  eventSubscriptionEntity,
  oidcClientEntity,
];

const tables = new Map(
  [...describedEntities, authenticatorEntity].flatMap(({ kind, collection, table }) => [
    [kind, table],
    [collection, table],
  ]),
);

/** @param entity by its kind, or by the name of its collection */
export function tableOf(entity: EntityKind | VersionedEntity): string {
  const table = tables.get(entity);
  if (table === undefined) throw new Error(`no table of ${entity}`);
  return table;
}
