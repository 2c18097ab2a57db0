// The document: entities by kind and name. References are names too, so that a document fits every installation.

import { authPolicyEntity } from '../../model/entities/auth-policy.ts';
import { caEntity } from '../../model/entities/ca.ts';
import { configTypeEntity } from '../../model/entities/config-type.ts';
import type { Entity } from '../../model/entities/entity.ts';
import { eventSubscriptionEntity } from '../../model/entities/event-subscription.ts';
import { externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import { identityEntity } from '../../model/entities/identity.ts';
import { oidcClientEntity } from '../../model/entities/oidc-client.ts';
import type { StateKind } from '../../model/entities/state-kinds.ts';

export const entityOfKind: Readonly<Record<StateKind, Entity>> = {
  'auth-policy': authPolicyEntity,
  'ext-jwt-signer': externalJwtSignerEntity,
  ca: caEntity,
  'config-type': configTypeEntity,
  'event-subscription': eventSubscriptionEntity,
  'oidc-client': oidcClientEntity,
  identity: identityEntity,
};

/** An entity with some of the members of its table (`stateFields`), without secrets. */
export interface NamedState {
  readonly name: string;
  /** Of entities that others know by their id: configuration types and applications. */
  readonly id?: string | undefined;
  readonly [member: string]: unknown;
}

/** The document says nothing about a missing kind. */
export type State = { readonly [Kind in StateKind]?: readonly NamedState[] | undefined };

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
