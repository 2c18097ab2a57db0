// Turns the names of policies and signers in a document into the ids that the rules of single entities take.

import type { Field, Fields } from '../../model/entities/entity.ts';
import { stateFields } from '../../model/entities/state-fields.ts';
import type { StateKind } from '../../model/entities/state-kinds.ts';
import { type AuthPolicyId, asId, type SignerId, type StoredName } from '../../model/ids.ts';
import type { Random } from '../../platform/random.ts';
import { refusedField, typedName } from '../acceptable-values.ts';
import type { StoredEntity, StoredState } from './read-state.ts';
import type { NamedState } from './state.ts';

/** An entity of the document with its stored counterpart. */
export interface Matched {
  readonly kind: StateKind;
  readonly given: NamedState;
  readonly stored: StoredEntity | undefined;
}

/** Ids by name, of stored entities and of those that will be created: policies and signers refer to one another. */
export interface References {
  /** The id that a new policy or signer will have. */
  plannedId(kind: StateKind, name: StoredName): string;
  /** Whether there is, or will be, a policy or signer with this id. */
  isKnown(id: string): boolean;
  /** @throws AuthError could_not_validate */
  policyId(field: string, name: string): AuthPolicyId;
  /** @throws AuthError could_not_validate */
  signerId(field: string, name: string): SignerId;
}

export function referencesOf(
  random: Random,
  matched: readonly Matched[],
  current: Pick<StoredState, 'policyIds' | 'signerIds'>,
): References {
  const policies = new Map(current.policyIds);
  const signers = new Map(current.signerIds);
  for (const { kind, given, stored } of matched) {
    if (stored !== undefined) continue;
    if (kind === 'auth-policy') policies.set(given.name, random.id());
    if (kind === 'ext-jwt-signer') signers.set(given.name, random.id());
  }
  const known = new Set([...policies.values(), ...signers.values()]);
  const idOf =
    (ids: ReadonlyMap<StoredName, string>, what: string) =>
    (field: string, name: string): string => {
      const id = ids.get(typedName(name));
      if (id === undefined) throw refusedField(field, `names no ${what}`, name);
      return id;
    };
  const policyNamed = idOf(policies, 'auth policy');
  const signerNamed = idOf(signers, 'external JWT signer');
  return {
    plannedId: (kind, name) => (kind === 'auth-policy' ? policies : signers).get(name) ?? random.id(),
    isKnown: (id) => known.has(id),
    policyId: (field, name) => asId(policyNamed(field, name)),
    signerId: (field, name) => asId(signerNamed(field, name)),
  };
}

/** The fields that members of a document set, with ids instead of names. @throws AuthError could_not_validate */
export function fieldsOf(
  references: References,
  fields: Fields,
  { members, path = '' }: { readonly members: object; readonly path?: string },
): Readonly<Record<string, unknown>> {
  const given = members as Readonly<Record<string, unknown>>;
  const set = stateFields(fields).flatMap(({ member, name, field }) => {
    const value = given[member];
    if (value === undefined) return [];
    return [[name, identified(references, field, { value, path: `${path}${member}` })] as const];
  });
  return Object.fromEntries(set);
}

function identified(
  references: References,
  field: Field,
  { value, path }: { readonly value: unknown; readonly path: string },
): unknown {
  if (value === null) return value;
  if (field.kind === 'group' || field.kind === 'object')
    return fieldsOf(references, field.members, { members: value as object, path: `${path}.` });
  if (field.kind !== 'reference' && field.kind !== 'references') return value;
  const idOf = (name: string) =>
    field.to === 'auth-policy' ? references.policyId(path, name) : references.signerId(path, name);
  return field.kind === 'reference' ? idOf(value as string) : (value as string[]).map(idOf);
}
