// The document: entities by kind and name. References are names too, so that a document fits every installation.

import type { Entity } from '../../model/entities/entity.ts';
import type { StateKind } from '../../model/entities/state-kinds.ts';
import type { StoredName } from '../../model/ids.ts';
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
