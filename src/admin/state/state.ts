// The document: entities by kind and name. References are names too, so that a document fits every installation.

import type { AuthPolicy } from '../../model/entities/auth-policy.ts';
import type { caEntity } from '../../model/entities/ca.ts';
import type { Change } from '../../model/entities/entity.ts';
import type { externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import type { IdentityType, Tags } from '../../model/entities/identity.ts';
import type { oidcClientEntity } from '../../model/entities/oidc-client.ts';
import type { Permission } from '../../model/permission.ts';
import type { Some } from '../admin-call.ts';

/** In the order in which they refer to one another. */
export const stateKinds = [
  'auth-policy',
  'ext-jwt-signer',
  'ca',
  'config-type',
  'oidc-client',
  'identity',
] as const;
export type StateKind = (typeof stateKinds)[number];

export interface NamedState {
  readonly name: string;
}

interface AuthPolicyMembers {
  readonly primary: {
    readonly cert?: Some<AuthPolicy['primary']['cert']> | undefined;
    readonly extJwt?:
      | Some<{ readonly allowed: boolean; readonly allowedSigners: readonly string[] }>
      | undefined;
    readonly updb?: Some<AuthPolicy['primary']['updb']> | undefined;
  };
  readonly secondary: Some<{ readonly requireTotp: boolean; readonly requireExtJwt: string | null }>;
  readonly tags: Tags;
}

type SignerMembers = Omit<Change<typeof externalJwtSignerEntity>, 'name' | 'enrollAuthPolicyId'> & {
  readonly enrollAuthPolicy: string | null;
};

interface IdentityMembers {
  readonly type: IdentityType;
  readonly isAdmin: boolean;
  readonly permissions: readonly Permission[];
  readonly externalId: string | null;
  readonly authPolicy: string;
  readonly passwordMustChange: boolean;
  readonly roleAttributes: readonly string[];
  readonly disabled: boolean;
  /** RFC 3339; null: until somebody enables it. */
  readonly disabledUntil: string | null;
  readonly tags: Tags;
}

export type AuthPolicyState = NamedState & Some<AuthPolicyMembers>;
export type SignerState = NamedState & Some<SignerMembers>;
export type CaState = NamedState & Omit<Change<typeof caEntity>, 'name'>;
/** Includes the id: tokens carry it, and other parts of the overlay know the type by it. */
export type ConfigTypeState = NamedState & Some<{ readonly id: string; readonly tags: Tags }>;
/** Includes the id: it is the `client_id` that applications use. Without their secrets. */
export type OidcClientState = NamedState &
  Omit<Change<typeof oidcClientEntity>, 'name'> & { readonly id?: string | undefined };
export type IdentityState = NamedState & Some<IdentityMembers>;

/** The document says nothing about a missing kind. */
export interface State {
  readonly 'auth-policy'?: readonly AuthPolicyState[] | undefined;
  readonly 'ext-jwt-signer'?: readonly SignerState[] | undefined;
  readonly ca?: readonly CaState[] | undefined;
  readonly 'config-type'?: readonly ConfigTypeState[] | undefined;
  readonly 'oidc-client'?: readonly OidcClientState[] | undefined;
  readonly identity?: readonly IdentityState[] | undefined;
}

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
