import type { Entity, EntityKind } from '../../../src/model/entities/entity.ts';
import { useList } from '../queries.ts';

export interface Named {
  readonly id: string;
  readonly name: string;
}

const collections: { readonly [Kind in EntityKind]?: string } = {
  'auth-policy': 'auth-policies',
  'ext-jwt-signer': 'external-jwt-signers',
  ca: 'cas',
  'oidc-client': 'oidc-clients',
  'config-type': 'config-types',
  'event-subscription': 'event-subscriptions',
};

/** The first part of the addresses of the screens of a kind. */
export const screens = {
  'auth-policy': 'policies',
  'ext-jwt-signer': 'signers',
  ca: 'cas',
  'oidc-client': 'clients',
  'event-subscription': 'events',
} as const;

/** The same for an entity that has them. */
export function screenOf({ kind }: Entity): (typeof screens)[keyof typeof screens] {
  return screens[kind as keyof typeof screens];
}

/** Whether `useNames` finds entities of this kind. People are too many. */
export function hasNames(kind: string | null): kind is EntityKind {
  return kind !== null && Object.hasOwn(collections, kind);
}

/** Names of entities by id; empty until they are loaded. */
export function useNames(kind: EntityKind): Readonly<Record<string, string>> {
  const path = collections[kind] ?? '';
  const query = useList<Named>(path, { limit: 500, sort: 'name asc' });
  return Object.fromEntries((query.data?.items ?? []).map(({ id, name }) => [id, name]));
}

/** The name of a registered application, and its id as long as that is not known; empty: none in particular. */
export function ApplicationName({ id }: { id: string }): string {
  return useNames('oidc-client')[id] ?? id;
}
