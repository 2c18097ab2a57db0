// Configuration types: the names that clients ask for at login, and the ids that tokens carry for them (z_ct).

import { AuthError, existing } from '../errors/auth-error.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import type { ConfigType } from '../model/config-type.ts';
import type { Tags } from '../model/identity.ts';
import { asId, type ConfigTypeId } from '../model/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { ConfigTypePatch } from '../store/contracts/config-types.ts';
import type { StoreForCallers } from '../store/contracts/store.ts';
import { acceptableName, acceptableTags, takenRefused } from './acceptable-values.ts';
import { type AdminCall, actingFor, namesOf, recordChange, type Some } from './admin-call.ts';

export interface ConfigTypeNeeds {
  readonly store: StoreForCallers<'configTypes'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditTrail;
}

export interface ConfigTypeFields {
  readonly name: string;
  readonly tags: Tags;
}

/**
 * @param wantedId the id by which other parts of the overlay know it; undefined: a new one
 * @throws AuthError could_not_validate   names the field: not acceptable, or taken
 */
export async function createConfigType(
  needs: ConfigTypeNeeds,
  by: AdminCall,
  { wantedId, fields }: { readonly wantedId: string | undefined; readonly fields: ConfigTypeFields },
): Promise<ConfigTypeId> {
  const id = asId<ConfigTypeId>(wantedId ?? needs.random.id());
  const configType = { id, name: acceptableName('name', fields.name), tags: acceptableTags(fields.tags) };
  const step = actingFor(needs, by).configTypes.create(configType, needs.clock.now());
  await takenRefused({ id, name: fields.name }, step);
  recordChange(needs, by, { action: 'create', entity: 'config-type', entityId: id, fields: namesOf(fields) });
  return id;
}

/** @throws AuthError not_found */
export async function getConfigType(needs: Pick<ConfigTypeNeeds, 'store'>, id: string): Promise<ConfigType> {
  return existing(await needs.store.configTypes.find(asId(id)));
}

/** Changes the given fields. @throws AuthError not_found, could_not_validate (as when creating) */
export async function updateConfigType(
  needs: ConfigTypeNeeds,
  by: AdminCall,
  { id, fields: { name, tags } }: { readonly id: string; readonly fields: Some<ConfigTypeFields> },
): Promise<void> {
  const patch: ConfigTypePatch = {
    ...(name === undefined ? {} : { name: acceptableName('name', name) }),
    ...(tags === undefined ? {} : { tags: acceptableTags(tags) }),
  };
  const step = actingFor(needs, by).configTypes.update(asId(id), patch, needs.clock.now());
  if (!(await takenRefused({ name }, step))) throw new AuthError('not_found');
  recordChange(needs, by, {
    action: 'update',
    entity: 'config-type',
    entityId: id,
    fields: namesOf({ name, tags }),
  });
}

/** Tokens and sessions that have its id keep it. @throws AuthError not_found */
export async function deleteConfigType(needs: ConfigTypeNeeds, by: AdminCall, id: string): Promise<void> {
  if (!(await actingFor(needs, by).configTypes.delete(asId(id)))) throw new AuthError('not_found');
  recordChange(needs, by, { action: 'delete', entity: 'config-type', entityId: id, fields: [] });
}
