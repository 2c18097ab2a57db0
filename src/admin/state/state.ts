// The document: entities by kind and name. References are names too, so that a document fits every installation.

import { isDeepStrictEqual } from 'node:util';
import { type Entity, type Field, type Fields, isReference } from '../../model/entities/entity.ts';
import { stateFields } from '../../model/entities/state-fields.ts';
import type { StateKind } from '../../model/entities/state-kinds.ts';
import type { StoredName } from '../../model/ids.ts';
import { typedName } from '../../model/names.ts';
import { secretChanged } from '../admin-call.ts';
import { authPolicies } from '../auth-policies.ts';
import { cas } from '../cas.ts';
import { configTypes } from '../config-types.ts';
import type { Managed } from '../entity-rules.ts';
import { eventSubscriptions } from '../event-subscriptions.ts';
import { signers } from '../external-jwt-signers.ts';
import { oidcClients } from '../oidc-clients.ts';

export type Rules = Managed<Entity>;

/** The rules of each kind but identities, which have operations of their own. */
export const rulesOf = {
  'auth-policy': authPolicies,
  'ext-jwt-signer': signers,
  ca: cas,
  'config-type': configTypes,
  'event-subscription': eventSubscriptions,
  'oidc-client': oidcClients,
  // Sound because the fields are those of the table of the kind.
} as unknown as Readonly<Record<Exclude<StateKind, 'identity'>, Rules>>;

/** An entity with some of the members of its table (`stateFields`), without secrets. */
export interface NamedState<Name extends string = StoredName> {
  readonly name: Name;
  /** Of entities that others know by their id: configuration types and applications. */
  readonly id?: string | undefined;
  readonly [member: string]: unknown;
}

/** The document says nothing about a missing kind. */
export type State = { readonly [Kind in StateKind]?: readonly NamedState<string>[] | undefined };

/** One member of an entity that differs from the document. */
export interface MemberChange {
  /** Such as `primary.updb.minPasswordLength`. */
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface StateEntry {
  readonly kind: StateKind;
  readonly name: string;
}

/** The outcome of applying a document. */
export interface StateChanges {
  readonly created: readonly StateEntry[];
  readonly changed: readonly (StateEntry & { readonly fields: readonly MemberChange[] })[];
  readonly deleted: readonly StateEntry[];
  readonly unchanged: readonly StateEntry[];
}

// How an entity differs from a document.

/** The given members that differ. Missing members stay as they are; members of groups are compared one by one. */
export function differences(fields: Fields, stored: object, given: object): readonly MemberChange[] {
  const [old, sent] = [stored, given] as readonly Readonly<Record<string, unknown>>[];
  const own = stateFields(fields).flatMap(({ member, field }): readonly MemberChange[] => {
    const [before, after] = [old?.[member], sent?.[member]];
    if (after === undefined) return [];
    if (field.kind === 'group')
      return differences(field.members, before as object, after as object).map((change) => ({
        ...change,
        field: `${member}.${change.field}`,
      }));
    if (isDeepStrictEqual(inOneForm(field, before), inOneForm(field, after))) return [];
    const { from, to } = secretChanged(member);
    return [field.isSecret ? { field: member, before: from, after: to } : { field: member, before, after }];
  });
  const id =
    sent?.id === undefined || sent.id === old?.id ? [] : [{ field: 'id', before: old?.id, after: sent.id }];
  return [...id, ...own];
}

/** A value of a document as the rules of entities store it. */
function inOneForm(field: Field, value: unknown): unknown {
  if (value === undefined || (value === '' && field.isNullable && !isReference(field))) return null;
  const isNamed = field.isName || isReference(field);
  if (typeof value === 'string') {
    if (isNamed) return typedName(value);
    return field.kind === 'pem' ? value.replaceAll(/\s/g, '') : value;
  }
  if (Array.isArray(value) && field.isSet) {
    const stored = field.isLowerCase ? value.map((one: string) => one.toLowerCase()) : value;
    return [...new Set(isNamed ? stored.map(typedName) : stored)].sort();
  }
  if (field.kind === 'object' && value !== null) {
    const of = value as Readonly<Record<string, unknown>>;
    return stateFields(field.members).map(({ member, field: own }) => inOneForm(own, of[member]));
  }
  // Those of a parser have another prototype.
  return typeof value === 'object' ? JSON.parse(JSON.stringify(value)) : value;
}

/** The top-level members of an entity that differ somewhere inside. */
export function changedMembers<Given extends object>(
  given: Given,
  changes: readonly MemberChange[],
): Partial<Given> {
  const names = new Set(changes.map(({ field }) => field.split('.')[0]));
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name))) as Partial<Given>;
}
