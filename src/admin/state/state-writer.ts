// Passes one entity of a document through the rules of its kind.

import { defaultOf } from '../../model/entities/entity.ts';
import { stateFields } from '../../model/entities/state-fields.ts';
import type { StateKind } from '../../model/entities/state-kinds.ts';
import { asId } from '../../model/ids.ts';
import type { Store } from '../../store/contracts/store.ts';
import { refusedField } from '../acceptable-values.ts';
import type { AdminCall } from '../admin-call.ts';
import { type Disabling, disablingPatch } from '../disabling.ts';
import {
  createIdentity,
  deleteIdentity,
  type IdentityFields,
  recordDisabling,
  updateIdentity,
} from '../identities.ts';
import type { AdminServices } from '../services.ts';
import { changedMembers } from './difference.ts';
import type { StoredEntity } from './read-state.ts';
import { fieldsOf, type References } from './references.ts';
import { entityOf, type MemberChange, type NamedState, type Rules, rulesOf } from './state.ts';

export interface WriterScope {
  readonly needs: AdminServices;
  readonly by: AdminCall;
  /** Collects the changes, and reads the stored entities. */
  readonly store: Store;
  readonly references: References;
}

/** @param store collects the changes */
export function writerScope(
  given: AdminServices,
  by: AdminCall,
  { store, references }: { store: Store; references: References },
): WriterScope {
  const find: Store['authPolicies']['find'] = async (id) => {
    const found = await store.authPolicies.find(id);
    // For an entity that is still to be created, callers ask only whether it exists.
    return found ?? (references.isKnown(id) ? ({ id } as NonNullable<typeof found>) : null);
  };
  const needs = {
    ...given,
    store: { ...store, authPolicies: { ...store.authPolicies, find } },
    signerExists: async (id: string) => references.isKnown(id) || (await given.signerExists(id)),
  };
  return { needs, by, store, references };
}

/** The fields of an entity that are given as members of the document. */
type Given = Parameters<Rules['create']>[2] & IdentityFields & { readonly name: string };

export async function createEntity(scope: WriterScope, kind: StateKind, state: NamedState): Promise<void> {
  const { needs, by, references } = scope;
  const { fields: table } = entityOf(kind);
  const fields = fieldsOf(references, table, { members: state }) as Given;
  if (kind === 'identity') return await createDisabledOrNot(scope, state, fields);
  for (const { name, field } of stateFields(table)) {
    if (fields[name as 'name'] === undefined && !field.isOptional && defaultOf(field) === undefined)
      throw refusedField(name, 'is required for a new one');
  }
  const id = () => references.plannedId(kind, state.name);
  const planned: AdminServices = { ...needs, random: { ...needs.random, id } };
  await rulesOf[kind].create(planned, by, { ...fields, id: state.id });
}

async function createDisabledOrNot(scope: WriterScope, state: NamedState, given: Given): Promise<void> {
  const { needs, by, store } = scope;
  const { disabled: _disabled, disabledUntil: _until, ...fields } = given as Given & Disabling;
  const id = await createIdentity(needs, by, { fields });
  const now = needs.clock.now();
  const enabled = { disabledAt: null, disabledUntil: null };
  const disabling = disablingPatch(enabled, disablingOf(state), { now });
  if (disabling === null) return;
  await store.identities.update(asId(id), disabling, now);
  recordDisabling(needs, by, { before: { ...enabled, id }, ...disabling });
}

export async function changeEntity(
  { needs, by, references }: WriterScope,
  kind: StateKind,
  {
    stored: { id },
    given,
  }: { stored: StoredEntity; given: { state: NamedState; changes: readonly MemberChange[] } },
): Promise<void> {
  const members: Partial<NamedState> = changedMembers(given.state, given.changes);
  if (members.id !== undefined) throw refusedField('id', 'cannot be changed', members.id);
  const fields = fieldsOf(references, entityOf(kind).fields, { members });
  if (kind !== 'identity') return await rulesOf[kind].update(needs, by, { id, fields: fields as Given });
  const isDisabling = 'disabled' in members || 'disabledUntil' in members;
  await updateIdentity(needs, by, {
    id,
    fields: { ...fields, ...(isDisabling && disablingOf(given.state)) },
  });
}

/** Makes a signer that will be deleted release the policy that it enrolls with. */
export async function releaseSigner({ needs, store }: WriterScope, id: string): Promise<void> {
  await store.externalJwtSigners.update(asId(id), { enrollAuthPolicyId: null }, needs.clock.now());
}

export async function removeEntity({ needs, by }: WriterScope, kind: StateKind, id: string): Promise<void> {
  await (kind === 'identity' ? deleteIdentity(needs, by, id) : rulesOf[kind].remove(needs, by, id));
}

/** Both members of a document about disabling: the change of one alone does not tell the intention. */
function disablingOf(state: NamedState): Disabling {
  // Sound because the schema of the document has checked both.
  const { disabled, disabledUntil } = state as Disabling;
  return { disabled, disabledUntil };
}
